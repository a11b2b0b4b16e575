/**
 * What people read when a run has hit a limit: which one, and how to raise it.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import type { SandboxLimitName, SandboxLimits } from "../../execution/sandbox.js";
import { CALLS_IN_FLIGHT_MOST, TEXT_BYTES_MOST } from "../protocol/frames.js";

/** A sentence without a final period. */
export function limitMessage(limit: SandboxLimitName, limits: SandboxLimits): string {
  const most = count(LIMITS.runTimeMostMs);
  switch (limit) {
    case "time":
      return `The run reached its time limit of ${limits.timeMs} ms; raise options.timeout (${most} at most) or sandbox.timeoutMs in the configuration`;
    case "memory":
      return `The run reached its memory limit of ${limits.memoryMb} MiB; work on less at a time, or raise sandbox.memoryMb in the configuration`;
    case "tool-calls":
      return `The run reached its limit of ${count(limits.toolCalls)} tool calls; make fewer, or raise sandbox.toolCalls in the configuration`;
    case "output":
      return `The result is over the output limit of ${mebibytes(LIMITS.runOutputBytes)} MiB, which is fixed; return less, or write the result somewhere with a tool`;
    case "arguments":
      return `The arguments of a call are over the limit of ${mebibytes(TEXT_BYTES_MOST)} MiB, which is fixed; send less at a time`;
    case "pending-calls":
      return `The run had more than ${CALLS_IN_FLIGHT_MOST} tool calls under way at once, which is the limit; await some before making more`;
  }
}

function mebibytes(bytes: number): number {
  return bytes / (1024 * 1024);
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
