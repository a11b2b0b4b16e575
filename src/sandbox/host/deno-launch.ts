/**
 * How Deno is started: without permissions, and without a place to store anything.
 *
 * @module
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrokerConfig } from "../protocol/broker-frames.js";
import type { EngineLaunch, GuestSize } from "./engine-launch.js";

/** No user can create files below a device; Deno still boots, and its storages fail. */
const UNWRITABLE = "/dev/null/deno";
/** All of the guest is compiled during boot, when no run waits for it, instead of at the first call of a run. */
const EAGER = "--no-lazy";
const FLAGS = ["--no-prompt", "--no-config", "--no-lock", "--no-npm", "--no-remote"];

export function denoLaunch(
  { binary, guest, off }: BrokerConfig,
  { memoryMb }: Pick<GuestSize, "memoryMb">,
): EngineLaunch {
  const permissions = off.includes("deno-permissions") ? ["--allow-all"] : [];
  const heap = off.includes("heap-limit") ? "" : `,--max-old-space-size=${memoryMb},--max-semi-space-size=8`;
  // Not the directory of the person's own Deno.
  const folder = off.includes("unwritable-deno-dir") ? join(tmpdir(), "pml-deno-dir") : UNWRITABLE;
  return {
    line: [binary, "run", ...FLAGS, `--v8-flags=${EAGER}${heap}`, ...permissions, guest, ...off],
    env: { DENO_DIR: folder, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    defences: [
      { name: "deno-permissions", isThere: true, detail: "none granted" },
      { name: "unwritable-deno-dir", isThere: true, detail: UNWRITABLE },
      { name: "heap-limit", isThere: true, detail: `${memoryMb} MB` },
    ],
  };
}
