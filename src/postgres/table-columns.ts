/**
 * Reads whole tables at once.
 *
 * Row by row, a driver spends several times as long on an answer as the server: a message, an object and a parser for
 * each value, and on PGlite a copy of all that from one thread to the other. So a few megabytes of a table become one
 * row, and in it each column one JSON text, which crosses as it is and is parsed in one go. Tables are read in the
 * order in which they lie on disk: by an index, each row would be a page to find.
 *
 * @module
 */
import type { NamedStatement, Queryable } from "./database.js";

export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns that are times: they come as microseconds since 1970, which {@link dateOf} reads. */
  readonly times?: readonly string[];
  /** Which rows; all by default. */
  readonly where?: string;
}

/** Of 8 KiB each: parsing what is on them must not hold up anybody for long. */
const BLOCKS_A_READ = 256;

const COUNT_BLOCKS: NamedStatement = {
  name: "table_blocks",
  text: "select (pg_relation_size($1::regclass) / current_setting('block_size')::int)::int as blocks",
};

/** One JSON text a column; null where there are no rows. */
type Texts = Readonly<Record<string, string | null>>;

/** The values of each column, all columns in the same order of rows. */
export type Columns<Row extends object> = { readonly [Column in keyof Row]: readonly Row[Column][] };

/** All rows, some at a time. In a transaction that sees one state: rows that move meanwhile may be missed otherwise. */
export async function* readTable<Row extends object>(
  transaction: Queryable,
  table: Table,
): AsyncGenerator<Columns<Row>> {
  const statement = statementOf(table);
  const { rows } = await transaction.query<{ readonly blocks: number }>(COUNT_BLOCKS, [table.name]);
  const blocks = rows[0]?.blocks ?? 0;
  const read = async (from: number): Promise<Texts> => {
    const range = [`(${from},0)`, `(${from + BLOCKS_A_READ},0)`];
    const answer = await transaction.query<Texts>(statement, range);
    return answer.rows[0] ?? {};
  };
  let next = blocks > 0 ? read(0) : undefined;
  for (let from = BLOCKS_A_READ; next !== undefined; from += BLOCKS_A_READ) {
    const texts = await next;
    // The database reads on while these are gone through.
    next = from < blocks ? read(from) : undefined;
    // Whoever has stopped asking is not told that it failed.
    next?.catch(() => undefined);
    yield parsed(texts) as Columns<Row>;
  }
}

export function dateOf(microseconds: number): Date {
  return new Date(Math.floor(microseconds / 1_000));
}

function statementOf({ name, columns, times = [], where }: Table): NamedStatement {
  const values = columns.map((column) => {
    const value = times.includes(column) ? `(extract(epoch from ${column}) * 1000000)::int8` : column;
    return `json_agg(${value})::text as ${column}`;
  });
  return {
    name: `read_${name}`,
    text: `select ${values.join(", ")} from ${name}
      where ctid >= $1::tid and ctid < $2::tid ${where === undefined ? "" : `and ${where}`}`,
  };
}

function parsed(texts: Texts): Readonly<Record<string, readonly unknown[]>> {
  return Object.fromEntries(
    Object.entries(texts).map(([column, text]) => [column, JSON.parse(text ?? "[]") as readonly unknown[]]),
  );
}
