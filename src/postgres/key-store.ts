import type { TrustedKeyRow, TrustedKeyRows } from "../registry/trusted-keys.js";
import type { Database, NamedStatement } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const LIST: NamedStatement = {
  name: "key_list",
  text: `select public_key, name, orgs, trusted_by, trusted_at, signature from trusted_keys
     order by name, public_key`,
};

const KEEP: NamedStatement = {
  name: "key_keep",
  text: `insert into trusted_keys (public_key, name, orgs, trusted_by, trusted_at, signature)
    values ($1, $2, $3::text[], $4, $5, $6)
    on conflict (public_key) do update set name = excluded.name, orgs = excluded.orgs,
      trusted_by = excluded.trusted_by, trusted_at = excluded.trusted_at, signature = excluded.signature`,
};

const REMOVE: NamedStatement = {
  name: "key_remove",
  text: "delete from trusted_keys where public_key = $1",
};

interface KeyRow {
  readonly public_key: string;
  readonly name: string;
  readonly orgs: readonly string[] | null;
  readonly trusted_by: string;
  readonly trusted_at: Date;
  readonly signature: string | null;
}

/** {@link TrustedKeyRows} on the table `trusted_keys`. */
export class PostgresKeyRows implements TrustedKeyRows {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(): Promise<readonly TrustedKeyRow[]> {
    return await storeAction("list the trusted keys", async () => {
      const { rows } = await this.#database.query<KeyRow>(LIST);
      return rows.map(toKey);
    });
  }

  async keep({ publicKey, name, orgs, trustedBy, trustedAt, signature }: TrustedKeyRow): Promise<void> {
    await storeAction("trust a key", () =>
      this.#database.query(KEEP, [publicKey, toSqlText(name), orgs ?? null, trustedBy, trustedAt, signature]),
    );
  }

  async remove(publicKey: string): Promise<boolean> {
    return await storeAction("distrust a key", async () => {
      const { rowCount } = await this.#database.query(REMOVE, [publicKey]);
      return rowCount > 0;
    });
  }
}

function toKey({ public_key, name, orgs, trusted_by, trusted_at, signature }: KeyRow): TrustedKeyRow {
  return {
    publicKey: public_key,
    name: fromSqlText(name),
    ...(orgs === null ? {} : { orgs }),
    trustedBy: trusted_by,
    trustedAt: trusted_at,
    signature: signature ?? "",
  };
}
