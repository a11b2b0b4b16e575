/**
 * Converts PostgreSQL's text to JavaScript values: one table for both drivers, so that they cannot differ.
 *
 * @module
 */

import type { QueryConfig } from "pg";
import pg from "pg";
import type { NamedStatement, SqlValue } from "./database.js";

const BYTEA = pg.types.builtins.BYTEA;
const INT8 = pg.types.builtins.INT8;

type Parse = (text: string) => unknown;

/** In the form that `pg` accepts as the option `types` of a client or pool. */
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

/** Copied out of Node's buffer pool: sending a view to a thread would send the whole pool. */
function parseBytea(text: string): Uint8Array {
  return new Uint8Array(parseHex(text));
}

/**
 * A statement as `pg` accepts it. Always uses the extended protocol, with or without values: it accepts exactly one
 * statement, while the simple protocol accepts several and returns an array.
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
