import type { KeyStore, TrustedKey } from "../registry/trusted-keys.js";
import type { Database, NamedStatement } from "./database.js";
import { storeAction, storeFailed } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const COLUMNS = "public_key, name, trusted_by, trusted_at";

const LIST: NamedStatement = {
  name: "key_list",
  text: `select ${COLUMNS} from trusted_keys order by name, public_key`,
};

const TRUST: NamedStatement = {
  name: "key_trust",
  text: `insert into trusted_keys (public_key, name, trusted_by) values ($1, $2, $3)
    on conflict (public_key) do update set name = excluded.name
    returning ${COLUMNS}`,
};

const DISTRUST: NamedStatement = {
  name: "key_distrust",
  text: "delete from trusted_keys where public_key = $1",
};

interface KeyRow {
  readonly public_key: string;
  readonly name: string;
  readonly trusted_by: string;
  readonly trusted_at: Date;
}

/** {@link KeyStore} on the table `trusted_keys`. */
export class PostgresKeyStore implements KeyStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(): Promise<readonly TrustedKey[]> {
    return await storeAction("list the trusted keys", async () => {
      const { rows } = await this.#database.query<KeyRow>(LIST);
      return rows.map(toKey);
    });
  }

  async trust({ publicKey, name, trustedBy }: Omit<TrustedKey, "trustedAt">): Promise<TrustedKey> {
    return await storeAction("trust a key", async () => {
      const { rows } = await this.#database.query<KeyRow>(TRUST, [publicKey, toSqlText(name), trustedBy]);
      const [row] = rows;
      if (row === undefined) throw storeFailed("trust a key", "it was not kept");
      return toKey(row);
    });
  }

  async distrust(publicKey: string): Promise<boolean> {
    return await storeAction("distrust a key", async () => {
      const { rowCount } = await this.#database.query(DISTRUST, [publicKey]);
      return rowCount > 0;
    });
  }
}

function toKey({ public_key, name, trusted_by, trusted_at }: KeyRow): TrustedKey {
  return { publicKey: public_key, name: fromSqlText(name), trustedBy: trusted_by, trustedAt: trusted_at };
}
