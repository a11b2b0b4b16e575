import { totalmem } from "node:os";
import { LIMITS } from "../base/limits.js";
import type { Config } from "./config-schema.js";

const MEBIBYTE = 1_048_576;

/**
 * How many programs may run at the same time: as many as are configured, and as fit into their common memory limit.
 * Every program may use its whole limit, so the full limit is counted.
 */
export function runsAtOnce(sandbox: Config["sandbox"], memoryMb: number, machineMb = ownMemoryMb()): number {
  const eachMb = memoryMb + LIMITS.runBesideMb;
  const totalMb = sandbox?.totalMemoryMb ?? Math.max(machineMb / 2, 2 * eachMb);
  return Math.max(1, Math.min(sandbox?.runsAtOnce ?? LIMITS.runsAtOnce, Math.floor(totalMb / eachMb)));
}

/** The memory of the machine, or of the container if that is less. */
function ownMemoryMb(): number {
  const limit = process.constrainedMemory();
  return (limit > 0 ? Math.min(totalmem(), limit) : totalmem()) / MEBIBYTE;
}
