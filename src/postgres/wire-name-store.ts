import { CAPABILITY_WISH, foldWireName, parseWireName } from "../registry/wire-name.js";
import type { WireNameEntry, WireNameStore } from "../registry/wire-table.js";
import { OnDatabase, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

interface WireNameRow {
  readonly id: string;
  readonly name: string;
}

const LOAD = sql("wire_name_load")`select id, name from wire_name order by id`;

const KEEP = sql("wire_name_keep")`insert into wire_name (id, name, fold)
    select id, name, fold
      from unnest($1::text[], $2::text[], $3::text[]) with ordinality as given (id, name, fold, place)
     order by place
    on conflict do nothing`;

const TAKE = sql("wire_name_take")`
    delete from wire_name as held using unnest($1::text[], $2::text[]) as given (id, fold)
     where held.fold = given.fold and starts_with(held.id, $3)
       and not exists (select from wire_name as own where own.id = given.id)`;

const FIND = sql("wire_name_find")`select id, name from wire_name where id = any ($1::text[]) order by id`;

/** {@link WireNameStore} on table `wire_name`. */
export class PostgresWireNameStore extends OnDatabase implements WireNameStore {
  async load(): Promise<readonly WireNameEntry[]> {
    return await storeAction("load the wire names", async () => {
      const { rows } = await this.database.query<WireNameRow>(LOAD);
      return rows.map(toEntry);
    });
  }

  async keep(entries: readonly WireNameEntry[]): Promise<readonly WireNameEntry[]> {
    if (entries.length === 0) return [];
    const ids = entries.map(({ id }) => toSqlText(id));
    return await storeAction("save wire names", () =>
      this.database.transaction(async (transaction) => {
        // Two unique columns have no common order for locking rows, so writers take turns instead. Readers do not wait,
        // and new names are rare.
        await transaction.query("lock table wire_name in share row exclusive mode");
        const names = entries.map(({ name }) => name);
        const tools = entries.filter(({ id }) => !id.startsWith(CAPABILITY_WISH));
        const folds = tools.map(({ name }) => foldWireName(name));
        await transaction.query(TAKE, [tools.map(({ id }) => toSqlText(id)), folds, CAPABILITY_WISH]);
        await transaction.query(KEEP, [ids, names, names.map(foldWireName)]);
        const { rows } = await transaction.query<WireNameRow>(FIND, [ids]);
        return rows.map(toEntry);
      }),
    );
  }
}

function toEntry({ id, name }: WireNameRow): WireNameEntry {
  return { id: fromSqlText(id), name: parseWireName(name) };
}
