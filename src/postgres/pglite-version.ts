import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The major version of the PostgreSQL in PGlite; it decides whether a data directory can be read. */
export const PGLITE_POSTGRES_MAJOR = 18;

/** The installed version of PGlite. */
export function pgliteVersion(): string {
  const entry = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(entry), "..", "package.json"), "utf8"));
  return (manifest as { readonly version: string }).version;
}
