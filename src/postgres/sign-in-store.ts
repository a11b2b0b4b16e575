import { LIMITS } from "../base/limits.js";
import type { SealedSignIn, SignInKey, SignInRows, SignInStore } from "../registry/sign-in-store.js";
import { OnDatabase, type Queryable, sql } from "./database.js";
import { storeAction } from "./sql-error.js";
import { fromSqlText, toSqlText } from "./sql-text.js";

const READ = sql("sign_in_read")`
    select key_id, issuer, sealed from sign_ins
     where server = $1 and address = $2 and owner = $3 and key_id = any($4::text[])
     order by updated_at desc limit 1`;

const LIST = sql("sign_in_list")`
    select server, address, owner, key_id, issuer, sealed from sign_ins where key_id = any($1::text[])`;

const REMOVE = sql("sign_in_remove")`
    delete from sign_ins where server = $1 and address = $2 and owner = $3 and key_id = any($4::text[])`;

const WRITE = sql("sign_in_write")`
    insert into sign_ins (server, address, owner, key_id, issuer, sealed)
    values ($1, $2, $3, $4, $5, $6)
    on conflict (server, address, owner, key_id) do update
      set issuer = excluded.issuer, sealed = excluded.sealed, updated_at = clock_timestamp()`;

const REMOVE_OTHERS = sql("sign_in_remove_others")`
    delete from sign_ins
     where server = $1 and address = $2 and owner = $3 and key_id = any($4::text[]) and key_id <> $5`;

interface SignInRow {
  readonly server: string;
  readonly address: string;
  readonly owner: string;
  readonly key_id: string;
  readonly issuer: string;
  readonly sealed: string;
}

/** Connections that wait for an authorization server cannot be used for anything else, so their number is limited. */
const EXCLUSIVE_AT_ONCE = 4;

/** {@link SignInStore} on the table `sign_ins`. */
export class PostgresSignInStore extends OnDatabase implements SignInStore {
  /** Work under a lock: how much is running, and the callers that wait for their turn. */
  #underWay = 0;
  readonly #waiting: (() => void)[] = [];

  read(key: SignInKey, keyIds: readonly string[]): Promise<SealedSignIn | undefined> {
    return rowsOn(this.database).read(key, keyIds);
  }

  write(key: SignInKey, keyIds: readonly string[], signIn: SealedSignIn): Promise<void> {
    return rowsOn(this.database).write(key, keyIds, signIn);
  }

  remove(key: SignInKey, keyIds: readonly string[]): Promise<boolean> {
    return rowsOn(this.database).remove(key, keyIds);
  }

  async list(keyIds: readonly string[]): Promise<readonly (SignInKey & SealedSignIn)[]> {
    return await storeAction("list the sign-ins", async () => {
      const { rows } = await this.database.query<SignInRow>(LIST, [keyIds]);
      return rows.map(({ server, address, owner, key_id: keyId, issuer, sealed }) => ({
        server: fromSqlText(server),
        address,
        owner: fromSqlText(owner),
        keyId,
        issuer: fromSqlText(issuer),
        sealed,
      }));
    });
  }

  /** An embedded store has only one gateway, and a transaction would block it, so the caller takes turns itself. */
  async exclusive<T>(key: SignInKey, work: (port: SignInRows) => Promise<T>): Promise<T> {
    if (this.database.kind === "pglite") return await work(rowsOn(this.database));
    await this.#turn();
    try {
      // The lock belongs to the connection: it ends with the process, and is held until the answer is written.
      return await this.database.transaction(async (transaction) => {
        await transaction.query(`set local lock_timeout = ${LIMITS.signInLockMs}`);
        await transaction.query(`set local idle_in_transaction_session_timeout = ${LIMITS.signInLockMs}`);
        await transaction.query("select pg_advisory_xact_lock(hashtextextended($1, 24))", [
          toSqlText(JSON.stringify([key.server, key.address, key.owner])),
        ]);
        return await work(rowsOn(transaction));
      });
    } finally {
      this.#underWay -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    if (this.#underWay >= EXCLUSIVE_AT_ONCE)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#underWay += 1;
  }
}

function rowsOn(on: Queryable): SignInRows {
  return {
    read: (key, keyIds) =>
      storeAction("read a sign-in", async () => {
        const { rows } = await on.query<SignInRow>(READ, [...valuesOf(key), keyIds]);
        const [row] = rows;
        return row && { keyId: row.key_id, issuer: fromSqlText(row.issuer), sealed: row.sealed };
      }),
    write: (key, keyIds, { keyId, issuer, sealed }) =>
      storeAction("keep a sign-in", async () => {
        await on.query(WRITE, [...valuesOf(key), keyId, toSqlText(issuer), sealed]);
        await on.query(REMOVE_OTHERS, [...valuesOf(key), keyIds, keyId]);
      }),
    remove: (key, keyIds) =>
      storeAction("remove a sign-in", async () => {
        const { rowCount } = await on.query(REMOVE, [...valuesOf(key), keyIds]);
        return rowCount > 0;
      }),
  };
}

function valuesOf({ server, address, owner }: SignInKey) {
  return [toSqlText(server), address, toSqlText(owner)] as const;
}
