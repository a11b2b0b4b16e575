/** Prepared and ended runs, as caches receive them. */
import type { Json } from "../../src/base/canonical-json.js";
import { PmlError } from "../../src/base/pml-error.js";
import type { CacheSettings } from "../../src/execution/cache/cache-rules.js";
import type { KnownTool } from "../../src/execution/ports/tool-box.js";
import type { PlannedUnit } from "../../src/execution/prepare/plan-run.js";
import type { PreparedRun } from "../../src/execution/prepare/prepared-run.js";
import type { EndedRun } from "../../src/execution/run/runner.js";
import type { ServerName, ToolId } from "../../src/registry/tool-id.js";

export const ADA = { org: "local", project: "default", user: "ada" };

export const SETTINGS: CacheSettings = {
  executionMs: 300_000,
  capabilityMs: 1_800_000,
  volatile: { executionMs: 5_000, capabilityMs: 5_000 },
  intent: false,
  entries: 100,
  bytes: 10_000_000,
  capabilities: new Map(),
  home: ADA,
};

/** `fs:read` is read-only and stable, `fs:read?` is not stable, `fs:write!` is not read-only. */
export function tool(text: string, more: Partial<KnownTool> = {}): KnownTool {
  const id = text.replace(/[!?]/, "");
  const [server = "", name = ""] = id.split(":");
  return {
    id: id as ToolId,
    server: server as ServerName,
    name,
    inputSchema: {},
    hash: "h1",
    transport: "stdio",
    trusted: true,
    annotations: {
      readOnlyHint: !text.endsWith("!"),
      ...(text.endsWith("?") ? {} : { idempotentHint: true, openWorldHint: false }),
    },
    ...more,
  };
}

export interface RunSketch {
  readonly codeHash?: string;
  readonly args?: Readonly<Record<string, Json>>;
  readonly tools?: readonly KnownTool[];
  readonly units?: readonly PlannedUnit[];
  readonly of?: PreparedRun["of"];
  readonly request?: Partial<PreparedRun["request"]>;
  readonly needsApproval?: boolean;
}

export function prepared(sketch: RunSketch = {}): PreparedRun {
  const { codeHash = "c1", args = {}, tools = [], units = [], of, request, needsApproval = false } = sketch;
  const [first] = tools;
  const waiting = needsApproval && first !== undefined ? [{ tool: first, reason: "so" }] : [];
  const asked = { intent: "see", args, ...request };
  return {
    request: asked,
    again: asked,
    args,
    codeHash,
    plan: { tools, units, needsApproval: waiting } as unknown as PreparedRun["plan"],
    ...(of === undefined ? {} : { of }),
    warnings: [],
  };
}

export interface EndSketch {
  readonly text?: string;
  readonly called?: readonly string[];
  readonly readsClock?: boolean;
  readonly drawsRandomness?: boolean | undefined;
  readonly warnings?: readonly string[];
  readonly logs?: readonly string[];
  readonly failedTask?: boolean;
  readonly error?: string;
}

export function ended(sketch: EndSketch = {}): EndedRun {
  const {
    text = "1",
    called = [],
    warnings = [],
    logs = [],
    failedTask = false,
    error,
    readsClock = false,
  } = sketch;
  const drawsRandomness = "drawsRandomness" in sketch ? sketch.drawsRandomness : false;
  const task = { taskId: "n1", tool: "fs:read", success: !failedTask, durationMs: 1, resultPreview: "" };
  const end = {
    clock: readsClock ? [[1, 1]] : [],
    warnings,
    ...(drawsRandomness === undefined ? {} : { usedRandomness: drawsRandomness }),
  };
  const outcome = error === undefined ? { kind: "returned", text, ...end } : { kind: "threw", ...end };
  return {
    report: { outcome, tasks: [task], toolsCalled: called, logs } as unknown as EndedRun["report"],
    trace: {} as EndedRun["trace"],
    nested: [],
    called: [],
    error: error === undefined ? undefined : new PmlError("RUN_FAILED", error),
  };
}
