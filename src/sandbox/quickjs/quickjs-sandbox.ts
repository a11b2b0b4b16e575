/**
 * The sandbox for platforms without Deno: QuickJS as WebAssembly in Node processes that the broker owns, one run at a
 * time in each, and its memory put back between two runs.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Sandbox } from "../../execution/ports/sandbox.js";
import { type BrokeredOptions, createBrokeredSandbox } from "../host/brokered-sandbox.js";

/** Everything that stands between code and what it must not reach or use up. */
const DEFENCES = [
  "wasm-memory-limit",
  "node-permissions",
  "empty-environment",
  "data-limit",
  "cpu-limit",
  "no-network-namespace",
  "no-code-generation",
  "deleted-globals",
  "private-console",
  "frozen-built-ins",
  "time-limit",
  "frame-cap",
  "depth-scan",
  "pending-calls-cap",
  "tool-calls-cap",
  "log-cap",
  "unit-handles",
] as const;

const BUILT = import.meta.url.endsWith(".ts") ? "../../../dist/sandbox/quickjs/" : "./";
const CHILD = fileURLToPath(new URL(`${BUILT}quickjs-child.js`, import.meta.url));

/** Nothing is started before the first run, or the first {@link Sandbox.status}. */
export function createQuickjsSandbox(options: BrokeredOptions = {}): Sandbox {
  return createBrokeredSandbox(
    {
      engine: "quickjs",
      find: () => ({ binary: process.execPath, guest: CHILD, version: engineVersion() }),
      defences: DEFENCES,
      off: [],
    },
    options,
  );
}

/** Of the package that the engine comes in. */
function engineVersion(): string {
  const file = createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/package.json");
  return String((JSON.parse(readFileSync(file, "utf8")) as { readonly version?: unknown }).version);
}
