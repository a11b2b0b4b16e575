import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

declare const WebAssembly: { compile(code: Uint8Array): Promise<object> };

let kept: Promise<object> | undefined;

/**
 * Keeps the machine code of PGlite for as long as this process lives. V8 shares it between threads, and drops it with
 * the last thread that uses it: without this, each store compiles PostgreSQL again, which is most of the time to open one.
 */
export function keepPglite(): Promise<object> {
  const directory = dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite"));
  kept ??= WebAssembly.compile(readFileSync(join(directory, "pglite.wasm")));
  return kept;
}
