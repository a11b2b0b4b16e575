import type { ListMode, ToolListState, ToolListStore } from "../registry/tool-list.js";
import type { Database, NamedStatement } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

interface ToolListRow {
  readonly view: string;
  readonly mode: ListMode;
  readonly ranked: readonly string[];
  readonly fresh: readonly string[];
  readonly ranked_at: Date;
}

const LOAD: NamedStatement = {
  name: "tool_list_load",
  text: "select view, mode, ranked, fresh, ranked_at from tool_list",
};

const SAVE: NamedStatement = {
  name: "tool_list_save",
  text: `insert into tool_list (view, mode, ranked, fresh, ranked_at) values ($1, $2, $3, $4, $5)
    on conflict (view) do update
      set mode = excluded.mode, ranked = excluded.ranked, fresh = excluded.fresh, ranked_at = excluded.ranked_at`,
};

/** {@link ToolListStore} on table `tool_list`. */
export class PostgresToolListStore implements ToolListStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async load(): Promise<ReadonlyMap<string, ToolListState>> {
    return await storeAction("load the lists of tools", async () => {
      const { rows } = await this.#database.query<ToolListRow>(LOAD);
      return new Map(
        rows.map(({ view, ranked_at: rankedAt, mode, ranked, fresh }) => [
          fromSqlText(view),
          { mode, ranked, fresh, rankedAt },
        ]),
      );
    });
  }

  async save(key: string, { mode, ranked, fresh, rankedAt }: ToolListState): Promise<void> {
    await storeAction("keep a list of tools", () =>
      this.#database.query(SAVE, [toSqlText(key), mode, ranked, fresh, rankedAt]),
    );
  }
}
