/**
 * The preferred sandbox: each run in a separate Deno process, started beforehand by the broker and killed afterwards.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { PmlError } from "../../base/pml-error.js";
import type { Sandbox } from "../../execution/ports/sandbox.js";
import { type BrokeredOptions, createBrokeredSandbox } from "./brokered-sandbox.js";
import { denoVersion, findDeno } from "./find-deno.js";

/** All barriers between code and the resources that it must not reach or use up. */
export const DEFENCES = [
  "deno-permissions",
  "empty-environment",
  "unwritable-deno-dir",
  "heap-limit",
  "data-limit",
  "cpu-limit",
  "no-network-namespace",
  "no-code-generation",
  "no-import",
  "deleted-globals",
  "private-console",
  "frozen-built-ins",
  "unhandled-rejections",
  "time-limit",
  "frame-cap",
  "depth-scan",
  "pending-calls-cap",
  "tool-calls-cap",
  "log-cap",
  "unit-handles",
] as const;
type DefenceName = (typeof DEFENCES)[number];

export interface DenoSandboxOptions extends BrokeredOptions {
  /** The binary; default: the one that npm installed. */
  readonly deno?: string;
  /** Replaces {@link findDeno}, the default. */
  readonly findDeno?: () => string | undefined;
  /** For tests: disables single defences. */
  readonly defences?: Partial<Readonly<Record<DefenceName, boolean>>>;
}

const BUILT = import.meta.url.endsWith(".ts") ? "../../../dist/sandbox/guest/" : "../guest/";
const GUEST = fileURLToPath(new URL(`${BUILT}deno-guest.js`, import.meta.url));

/** Nothing is started before the first run, or the first {@link Sandbox.status}. */
export function createDenoSandbox(options: DenoSandboxOptions = {}): Sandbox {
  return createBrokeredSandbox(
    {
      engine: "deno",
      find() {
        const binary = options.deno ?? (options.findDeno ?? findDeno)();
        if (binary === undefined) throw missing();
        return { binary, guest: GUEST, version: denoVersion(binary) };
      },
      defences: DEFENCES,
      off: DEFENCES.filter((name) => options.defences?.[name] === false),
    },
    options,
  );
}

function missing(): PmlError {
  return new PmlError(
    "SANDBOX_FAILED",
    `Cannot run code: there is no Deno binary for ${process.platform}-${process.arch}`,
    {
      hint: "Install without --omit=optional; on systems without one (musl, other processors) use the QuickJS engine",
    },
  );
}
