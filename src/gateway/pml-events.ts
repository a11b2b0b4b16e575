import type { SpanEvents } from "../base/trace-context.js";
import type { ExecutorEvents } from "../execution/executor.js";
import type { UsageRow } from "../registry/usage.js";
import type { ToolCallEvents } from "./invoke-tool.js";
import type { ToolPinEvents } from "./tool-pins.js";

/** All events of a gateway that other parts subscribe to. */
export interface PmlEvents extends ExecutorEvents, ToolCallEvents, ToolPinEvents, SpanEvents {
  /** A call of a tool, or of a capability by code, was counted. */
  readonly "call.counted": UsageRow;
  /** Runs or approvals of these projects (`org/project`) have changed, at any gateway of the store. */
  readonly "watched.changed": { readonly what: "run" | "approval"; readonly projects: readonly string[] };
  /** The offers or the descriptions of servers have changed. */
  readonly "offers.changed": undefined;
}
