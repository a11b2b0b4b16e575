/**
 * How PostgreSQL's text becomes JavaScript values: one table for both drivers, so that they cannot differ.
 *
 * @module
 */
import pg from "pg";

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
