/** The reference says what the program reads: a change of the source without the page is a failure here. */
import { expect, it } from "vitest";
import { z } from "zod";
import { configJsonSchema } from "../../src/app/config-schema.js";
import { OPERATIONS } from "../../src/app/operations.js";
import { configurationPage, type Schema, toolsPage } from "./reference.js";

it("has every key of the configuration", async () => {
  const page = configurationPage(configJsonSchema() as Schema);
  await expect(page).toMatchFileSnapshot("../../docs/reference/configuration-keys.md");
});

it("says what every key of the configuration means", () => {
  const rows = configurationPage(configJsonSchema() as Schema).split("\n");
  expect(rows.filter((row) => row.endsWith("|  |"))).toEqual([]);
});

it("has every operation, with its fields", async () => {
  const described = OPERATIONS.map(({ id, who, summary, input }) => ({
    id,
    who,
    summary,
    schema: z.toJSONSchema(input, { io: "input", unrepresentable: "any" }) as Schema,
  }));
  await expect(toolsPage(described)).toMatchFileSnapshot("../../docs/reference/tools.md");
});
