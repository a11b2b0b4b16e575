import { expect, it } from "vitest";
import { describeMigrations } from "../../test/suites/migrations.suite.js";
import { describeSchema } from "../../test/suites/schema.suite.js";
import { databases } from "../../test/support/databases.js";
import { migrate } from "./migrate.js";
import { MIGRATIONS } from "./migrations/index.js";

it("migrations are numbered without a gap, and listed in order", () => {
  const numbers = MIGRATIONS.map(({ id }) => Number(/^(\d{4})-[a-z-]+$/.exec(id)?.[1]));
  expect(numbers).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

for (const target of databases()) {
  describeMigrations(target);
  describeSchema(target.name, async () => {
    const database = await target.open();
    await migrate(database, MIGRATIONS);
    return database;
  });
}
