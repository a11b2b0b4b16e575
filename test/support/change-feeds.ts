import { expect, vi } from "vitest";
import type { Database, NamedStatement, Queryable, SqlValue } from "../../src/postgres/database.js";
import type { ChangeListener } from "../../src/registry/change-feed.js";

const PATTERN = "11111111-1111-4111-8111-111111111111";

/** Inserts a capability's record with plain SQL, without the other rows that a store would write. */
export async function insertRecord(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(
    `insert into workflow_pattern (pattern_id, source, intent, code, canonical_code, code_hash)
     values ($1, 'code', 'x', 'x', 'x', repeat('0', 64)) on conflict do nothing`,
    [PATTERN],
  );
  await queryable.query(
    `insert into capability_records
       (id, display_name, display_name_fold, org, project, namespace, action, hash, code_hash, workflow_pattern_id,
        created_by)
     values ($1, $1, $1, 'local', 'default', 'x', $1, '0000', encode(sha256($1::text::bytea), 'hex'), $2, 'me')`,
    [id, PATTERN],
  );
}

export async function tagRecord(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(
    `update capability_records set tags = tags || 'new'::text, revision = revision + 1, updated_at = now()
      where id = $1`,
    [id],
  );
}

export async function countRecord(queryable: Queryable, id: string): Promise<void> {
  await queryable.query(
    `update capability_records set usage_count = usage_count + 1, verified = verified, revision = revision + 1
      where id = $1`,
    [id],
  );
}

/** A listener that keeps changes as text: the ids of capabilities, or `servers`, `keys`, `all`. */
export class Told implements ChangeListener {
  readonly texts: string[] = [];
  /** Called for each change, before it counts as received. */
  before: (text: string) => Promise<void> = () => Promise.resolve();

  async #tell(text: string): Promise<void> {
    await this.before(text);
    this.texts.push(text);
  }

  capabilitiesChanged = (fqdns: readonly string[]) => this.#tell(fqdns.join(" "));
  serversChanged = () => this.#tell("servers");
  keysChanged = () => this.#tell("keys");
  toolsChanged = (servers: readonly string[] = []) => this.#tell(["tools", ...servers].join(" "));
  allChanged = () => this.#tell("all");

  async waitFor(...texts: readonly string[]): Promise<void> {
    await vi.waitFor(() => expect(this.texts).toEqual(texts), { timeout: 20_000 });
  }
}

let lastId = 0;
export function newId(): string {
  lastId += 1;
  return `r${String(lastId).padStart(4, "0")}`;
}

/** A database that passes its answers to the feed through `change`, and that cannot listen. */
export function withAnswers(
  database: Database,
  change: (ask: () => Promise<object[]>) => Promise<object[]>,
): Database {
  const query = async (statement: string | NamedStatement, values?: readonly SqlValue[]) => {
    const ask = async () => [...(await database.query<object>(statement, values)).rows];
    const rows = await change(ask);
    return { rows, rowCount: rows.length };
  };
  return {
    kind: "postgres",
    query: query as Queryable["query"],
    transaction: (work) => database.transaction(work),
    close: () => database.close(),
  };
}
