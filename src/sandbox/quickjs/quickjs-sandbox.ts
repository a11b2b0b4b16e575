/**
 * The sandbox for platforms without Deno: QuickJS as WebAssembly in Node processes of the broker, one run at a time in
 * each; its memory is restored between two runs.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { Sandbox } from "../../execution/ports/sandbox.js";
import { type BrokeredOptions, createBrokeredSandbox } from "../host/brokered-sandbox.js";

/** All barriers between code and the resources that it must not reach or use up. */
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

/** From the engine's package. */
function engineVersion(): string {
  const file = createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/package.json");
  return String((JSON.parse(readFileSync(file, "utf8")) as { readonly version?: unknown }).version);
}
