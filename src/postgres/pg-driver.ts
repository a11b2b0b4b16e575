/**
 * The database on a PostgreSQL server, through a pool of `pg`.
 *
 * @module
 */
import { Socket } from "node:net";
import pg from "pg";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, type PmlError } from "../base/pml-error.js";
import { within } from "../base/within.js";
import type { Database, NamedStatement, Queryable, QueryResult, SqlValue } from "./database.js";
import { SqlError, sqlErrorShape, storeFailed } from "./sql-error.js";
import { pgStatement, SQL_TYPES } from "./sql-types.js";
import { type CommandResult, Transactions } from "./transactions.js";

const CONNECTION = {
  connectionTimeoutMillis: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  application_name: "pml",
  types: SQL_TYPES,
} as const;
const POOL = { ...CONNECTION, max: 10, idleTimeoutMillis: 30_000 } as const;

/**
 * A connection whose server disappeared without a message (a crashed machine, a network that drops packets) is
 * abandoned after this time. The server itself ends statements earlier; statements without that limit have no limit
 * here either.
 */
const ANSWER_MS = LIMITS.storeStatementMs + 10_000;
const NO_LIMIT_MS = 2_147_483_647;
const UNANSWERED = "Query read timeout";

/** Connections that are still busy after this time are cut: a server that hangs must not delay the shutdown. */
const CLOSE_MS = 5_000;

/**
 * SQLSTATE classes of errors that concern the connection or the server, not the statement: connection failed, wrong
 * user, no such database, out of connections or memory, shut down by an operator.
 */
const TROUBLE = /^(08|28|3D|53|57P)/;
/** The codes for a lock timeout and a statement timeout. */
const LOCK_TIMEOUT = "55P03";
const STATEMENT_TIMEOUT = "57014";
/** Sent as a statement: a proxy may not pass on parameters of the startup message. */
const TIMEOUTS = `set lock_timeout = ${LIMITS.storeLockMs}; set statement_timeout = ${LIMITS.storeStatementMs}`;
const UNREACHED_HINT = "Check store.url, and that the server is running and accepts this user.";
const BUSY_HINT = "pg_stat_activity and pg_locks show what keeps the database busy.";
const OLDEST_VERSION = 150_000;

/** The address of a database without its password, so that it may be shown. */
type Address = {
  readonly host: string;
  readonly port: number;
  readonly database: string;
};

/** Connects once, so that a wrong address or password fails at the start and not at the first call. */
export async function openPostgres(
  url: string,
  log: Log,
  checksNesting = true,
  closeMs = CLOSE_MS,
  answerMs = ANSWER_MS,
): Promise<Database> {
  const address = addressOf(url);
  const database = new PgDatabase(url, address, log, { checksNesting, closeMs, answerMs });
  try {
    await database.checkVersion();
    log.info("store.opened", { kind: "postgres", ...address });
    return database;
  } catch (thrown) {
    await database.close();
    throw thrown;
  }
}

class PgDatabase implements Database {
  readonly kind = "postgres";
  readonly #url: string;
  readonly #pool: pg.Pool;
  readonly #listening = new Set<pg.Client>();
  /** All connections, including those that the pool has handed out. */
  readonly #sockets = new Set<Socket>();
  readonly #address: Address;
  readonly #transactions: Transactions;
  readonly #closeMs: number;
  readonly #answerMs: number;
  #closed: Promise<void> | undefined;

  constructor(
    url: string,
    address: Address,
    log: Log,
    {
      checksNesting,
      closeMs,
      answerMs,
    }: { readonly checksNesting: boolean; readonly closeMs: number; readonly answerMs: number },
  ) {
    this.#transactions = new Transactions(checksNesting);
    this.#closeMs = closeMs;
    this.#answerMs = answerMs;
    this.#url = url;
    this.#address = address;
    this.#pool = new pg.Pool({
      ...POOL,
      query_timeout: answerMs,
      connectionString: url,
      stream: () => this.#socket(),
      onConnect: (client) => client.query(TIMEOUTS).then(() => undefined),
    });
    // An EventEmitter throws an `error` that has no listener: a lost connection would end the process. The pool listens
    // to idle clients only, so each client gets its own listener while it is in use.
    this.#pool.on("error", () => undefined);
    this.#pool.on("connect", (client) => {
      client.on("error", (error) => log.warn("store.connection_lost", { ...address, error: error.message }));
    });
  }

  async checkVersion(): Promise<void> {
    const { rows } = await this.query<{ version: number; text: string }>(
      "select current_setting('server_version_num')::int as version, current_setting('server_version') as text",
    );
    const [row] = rows;
    if (row === undefined || row.version < OLDEST_VERSION) {
      throw this.#failed("use", `PostgreSQL ${row?.text} is too old, expected 15 or newer`);
    }
  }

  async query<Row extends object>(
    statement: string | NamedStatement,
    values: readonly SqlValue[] = [],
  ): Promise<QueryResult<Row>> {
    this.#transactions.refuseInside("query the database");
    const { rows, rowCount } = await this.#send<Row>(this.#pool, statement, values);
    return { rows, rowCount };
  }

  async transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    this.#transactions.refuseInside("begin a transaction");
    const client = await this.#connect();
    let broken = false;
    let isPatient = false;
    try {
      return await this.#transactions.run(
        async <Row extends object>(statement: string | NamedStatement, values: readonly SqlValue[] = []) => {
          // A server that does not answer would not answer this statement either.
          if (broken) throw this.#failed("reach", "its connection is lost");
          isPatient ||= textOf(statement).includes("statement_timeout");
          try {
            return await this.#send<Row>(client, statement, values, isPatient);
          } catch (thrown) {
            broken ||= !(thrown instanceof SqlError) || statement === "rollback";
            throw thrown;
          }
        },
        work,
      );
    } finally {
      // A broken client is destroyed: the pool would reuse an open transaction or a dead socket.
      client.release(broken);
    }
  }

  async listen(
    channel: string,
    onNotice: (payload: string) => void,
    onLost: (error: Error) => void,
  ): Promise<() => Promise<void>> {
    this.#refuseClosed();
    const client = new pg.Client({
      ...CONNECTION,
      query_timeout: this.#answerMs,
      connectionString: this.#url,
      stream: () => this.#socket(),
    });
    let isHeard = false;
    const stop = async (): Promise<void> => {
      isHeard = false;
      if (this.#listening.delete(client)) await ended(this.#closeMs, [client]);
    };
    // Both an error and the end may be reported, and the end also after `close`.
    const lose = (thrown: unknown): void => {
      if (!isHeard || this.#closed !== undefined) return;
      void stop();
      onLost(this.#explain(thrown));
    };
    client.on("error", lose);
    client.on("end", () => lose(new Error("the connection has ended")));
    client.on("notification", ({ payload }) => onNotice(payload ?? ""));
    this.#listening.add(client);
    try {
      await client.connect();
      await client.query(`listen ${pg.escapeIdentifier(channel)}`);
      isHeard = true;
    } catch (thrown) {
      await stop();
      throw this.#explain(thrown);
    }
    return stop;
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    // A pool that is ended never starts a statement that was requested in the same turn, and its caller would wait for
    // long.
    await new Promise(setImmediate);
    await ended(this.#closeMs, [this.#pool, ...this.#listening]);
    for (const socket of this.#sockets) socket.destroy();
  }

  #socket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once("close", () => this.#sockets.delete(socket));
  }

  async #connect(): Promise<pg.PoolClient> {
    this.#refuseClosed();
    try {
      return await this.#pool.connect();
    } catch (thrown) {
      throw this.#explain(thrown);
    }
  }

  async #send<Row extends object>(
    on: pg.Pool | pg.PoolClient,
    statement: string | NamedStatement,
    values: readonly SqlValue[],
    isPatient = false,
  ): Promise<CommandResult<Row>> {
    this.#refuseClosed();
    try {
      const patience = isPatient ? { query_timeout: NO_LIMIT_MS } : {};
      const config = { ...pgStatement(statement, values), ...patience };
      const answer = await on.query<Row & pg.QueryResultRow>(config);
      return { rows: answer.rows, rowCount: answer.rowCount ?? 0, command: answer.command };
    } catch (thrown) {
      throw this.#explain(thrown);
    }
  }

  #refuseClosed(): void {
    if (this.#closed !== undefined) throw this.#failed("use", "it is closed");
  }

  #explain(thrown: unknown): Error {
    const shape = sqlErrorShape(thrown);
    if (shape?.code === LOCK_TIMEOUT || shape?.code === STATEMENT_TIMEOUT)
      return this.#failed("use", tooLong(shape.code), thrown, shape.code, BUSY_HINT);
    if (shape !== undefined && !TROUBLE.test(shape.code)) return new SqlError(shape, { cause: thrown });
    const why = messageOf(thrown) === UNANSWERED ? `no answer in ${this.#answerMs} ms` : reasonOf(thrown);
    return this.#failed("reach", why, thrown, shape?.code);
  }

  #failed(verb: string, why: string, cause?: unknown, sqlstate?: string, hint = UNREACHED_HINT): PmlError {
    const { host, port, database } = this.#address;
    return storeFailed(`${verb} PostgreSQL database "${database}" at ${host}:${port}`, why, {
      hint,
      data: { ...this.#address, ...(sqlstate === undefined ? {} : { sqlstate }) },
      cause,
    });
  }
}

function textOf(statement: string | NamedStatement): string {
  return typeof statement === "string" ? statement : statement.text;
}

function tooLong(code: string): string {
  return code === LOCK_TIMEOUT
    ? `another session holds a needed lock for more than ${LIMITS.storeLockMs} ms, the limit of storeLockMs`
    : `a statement took more than ${LIMITS.storeStatementMs} ms, the limit of storeStatementMs`;
}

async function ended(ms: number, connections: readonly (pg.Pool | pg.Client)[]): Promise<void> {
  await within(ms, Promise.allSettled(connections.map((connection) => connection.end())));
}

/** If a name has several addresses, the failure is an AggregateError whose own message is empty. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(messageOf).join("; ");
  return messageOf(thrown);
}

function addressOf(url: string): Address {
  try {
    const { host, port, database } = new pg.Client({ connectionString: url });
    return { host, port, database: database ?? "" };
  } catch {
    // No cause: the error of a malformed URL quotes the URL with its password.
    throw storeFailed("open the store", "store.url is not a well-formed PostgreSQL URL", {
      hint: "Write it as postgres://user:password@host:5432/database, with special characters percent-encoded.",
    });
  }
}
