/**
 * How the process of QuickJS is started. WebAssembly is the barrier: the code runs inside its memory. The
 * options of Node are a second barrier, in case the first one has a hole.
 *
 * @module
 */
import type { EngineLaunch, GuestSize } from "../host/engine-launch.js";
import type { BrokerConfig } from "../protocol/broker-frames.js";

/** The heap of Node itself, for lines in transit; the code's memory is not part of it. */
const HEAP_MB = 128;
/** The space that calls of the code need on the stack of the process, which usually has 8 MB. */
const STACK_KB = 3_900;
/** To load its own program, Node reads every folder on the path, which depends on how packages were installed. */
const READS = "--allow-fs-read=*";
const PERMISSION_FLAGS = ["--permission", "--experimental-permission"];

export function quickjsLaunch(
  { binary, guest, off }: BrokerConfig,
  { memoryMb, timeMs }: GuestSize,
): EngineLaunch {
  const permission = permissionFlag();
  const restricted = permission === undefined || off.includes("node-permissions") ? [] : [permission, READS];
  const stack = process.platform === "win32" ? [] : [`--stack-size=${STACK_KB}`];
  const flags = [
    `--max-old-space-size=${HEAP_MB}`,
    "--disallow-code-generation-from-strings",
    "--no-warnings",
  ];
  return {
    line: [binary, ...flags, ...stack, ...restricted, guest, String(memoryMb), String(timeMs)],
    env: {},
    defences: [
      { name: "wasm-memory-limit", isThere: true, detail: `${memoryMb} MB` },
      {
        name: "node-permissions",
        isThere: permission !== undefined,
        detail:
          permission === undefined ? "this Node has none" : "no writing, no processes, no threads, no addons",
      },
    ],
  };
}

function permissionFlag(): string | undefined {
  return PERMISSION_FLAGS.find((flag) => process.allowedNodeEnvironmentFlags.has(flag));
}
