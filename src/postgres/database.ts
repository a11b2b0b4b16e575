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
  /** Rows returned or, without `returning`, rows touched. */
  readonly rowCount: number;
}

export interface Queryable {
  /** Runs one statement. What PostgreSQL refuses is a {@link SqlError}; everything else is `STORE_FAILED`. */
  query<Row extends object>(
    statement: string | NamedStatement,
    values?: readonly SqlValue[],
  ): Promise<QueryResult<Row>>;
}

export interface Database extends Queryable {
  readonly kind: "pglite" | "postgres";
  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws. Inside, only the
   * handle it is given may be used: another transaction or a query on the database itself is refused, because
   * PGlite has one session and would wait for itself.
   */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  /**
   * Hears what is notified on a channel, over a connection of its own, until the answer is called. `onLost` is called
   * once when the connection is lost, and then nothing more is heard. Missing if there is no other gateway to notify.
   */
  listen?(
    channel: string,
    onNotice: (payload: string) => void,
    onLost: (error: Error) => void,
  ): Promise<() => Promise<void>>;
  /** Waits for what is under way, then gives everything back. Closing twice is fine. */
  close(): Promise<void>;
}

/** What every store is. */
export abstract class OnDatabase {
  protected readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }
}
