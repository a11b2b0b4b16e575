/**
 * How PostgreSQL's text becomes JavaScript values: one table for both drivers, so that they cannot differ.
 *
 * @module
 */

import type { QueryConfig } from "pg";
import pg from "pg";
import type { NamedStatement, SqlValue } from "./database.js";

const BYTEA = pg.types.builtins.BYTEA;
const INT8 = pg.types.builtins.INT8;

type Parse = (text: string) => unknown;

/** In the shape that `pg` takes as the option `types` of a client or pool. */
export const SQL_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary"): Parse => {
    if (format !== "binary" && oid === INT8) return parseInt8;
    if (format !== "binary" && oid === BYTEA) return parseBytea;
    return pg.types.getTypeParser(oid, format ?? "text") as Parse;
  },
};

function parseInt8(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

const parseHex = pg.types.getTypeParser(BYTEA) as (text: string) => Buffer;

/** Copied out of Node's buffer pool: a view would take the whole pool along when it is sent to a thread. */
function parseBytea(text: string): Uint8Array {
  return new Uint8Array(parseHex(text));
}

/**
 * A statement as `pg` takes it. Always in the extended protocol, with values and without: it takes exactly one
 * statement, where the simple one takes several and answers with an array.
 */
export function pgStatement(statement: string | NamedStatement, values: readonly SqlValue[]): QueryConfig {
  const named =
    typeof statement === "string" ? { text: statement } : { name: statement.name, text: statement.text };
  const config: QueryConfig & { readonly queryMode: "extended" } = {
    ...named,
    values: [...values],
    queryMode: "extended",
  };
  return config;
}
