/**
 * The database as the stores see it: SQL in, rows out, on PGlite and on PostgreSQL alike.
 *
 * Values come back with the same JavaScript types on both: `int8` as a number (a bigint beyond 2^53),
 * `timestamptz` as a Date, `json` and `jsonb` parsed, `bytea` as a Uint8Array, `numeric` as text.
 *
 * @module
 */

/** A statement that is prepared once per connection. One name always stands for one text. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

/** A named statement, written as ``sql("name")`select …` ``. */
export function sql(name: string) {
  return (text: TemplateStringsArray, ...parts: readonly (string | number)[]): NamedStatement => ({
    name,
    text: String.raw({ raw: text }, ...parts).trim(),
  });
}

/** Values for `$1`. JSON is passed as text, so that drivers do not guess whether an array is JSON. */
export type SqlValue = null | boolean | number | bigint | string | Date | Uint8Array | readonly SqlValue[];

export interface QueryResult<Row> {
  readonly rows: readonly Row[];
  /** The number of returned rows or, without `returning`, of affected rows. */
  readonly rowCount: number;
}

export interface Queryable {
  /** Runs one statement. Throws a {@link SqlError} if PostgreSQL refuses it, and `STORE_FAILED` for everything else. */
  query<Row extends object>(
    statement: string | NamedStatement,
    values?: readonly SqlValue[],
  ): Promise<QueryResult<Row>>;
}

export interface Database extends Queryable {
  readonly kind: "pglite" | "postgres";
  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws. `work` may use only the
   * handle it receives: another transaction or a query on the database itself is refused, because PGlite has one
   * session and would wait for itself.
   */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  /**
   * Listens to notifications on a channel, over a separate connection, until the returned function is called. `onLost`
   * is called once if the connection is lost; after that no notification arrives. Missing if there is no other gateway
   * to notify.
   */
  listen?(
    channel: string,
    onNotice: (payload: string) => void,
    onLost: (error: Error) => void,
  ): Promise<() => Promise<void>>;
  /** Waits for running statements, then frees all resources. Closing twice is allowed. */
  close(): Promise<void>;
}

/** The base class of all stores. */
export abstract class OnDatabase {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }
}
