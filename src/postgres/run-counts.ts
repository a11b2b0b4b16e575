import type { CountedRuns, RunCounts } from "../registry/run-counts.js";
import type { Scope } from "../registry/scope.js";
import type { Database, NamedStatement } from "./database.js";
import { storeAction } from "./sql-error.js";

const SINCE: NamedStatement = {
  name: "execution_trace_since",
  text: `select count(*) as total, count(*) filter (where not success) as failed from execution_trace
          where org = $1 and project = $2 and executed_at >= $3 and parent_trace_id is null`,
};

/** {@link RunCounts} on table `execution_trace`. */
export class PostgresRunCounts implements RunCounts {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async since({ org, project }: Pick<Scope, "org" | "project">, time: Date): Promise<CountedRuns> {
    return await storeAction("count runs", async () => {
      const { rows } = await this.#database.query<CountedRuns>(SINCE, [org, project, time]);
      const { total = 0, failed = 0 } = rows[0] ?? {};
      return { total, failed };
    });
  }
}
