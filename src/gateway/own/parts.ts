import type { ResultCache } from "../../execution/cache/run-cache.js";
import type { Executor } from "../../execution/executor.js";
import type { SavesCapabilities } from "../../execution/learn/capability-saver.js";
import type { CapabilityImporter } from "../../execution/learn/import-capabilities.js";
import type { ToolBox } from "../../execution/ports/tool-box.js";
import type { Evidence } from "../../execution/replay/evidence.js";
import type { TaskResults } from "../../execution/run/task-results.js";
import type { ServerStatus } from "../../mcp/real-servers.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { KeyRing } from "../../registry/key-ring.js";
import type { ServerRegistry } from "../../registry/server-registry.js";
import type { TraceStore } from "../../registry/trace-store.js";
import type { DecisionGate } from "../decision-gate.js";
import type { Ledger } from "../ledger.js";
import type { PlainCalls } from "../plain-calls.js";
import type { ToolPins } from "../tool-pins.js";

/** The parts of the gateway that operations work with; each takes what it needs. */
export interface Parts {
  readonly registry: CapabilityRegistry;
  readonly executor: Executor;
  readonly saver: SavesCapabilities;
  readonly importer: CapabilityImporter;
  /** Recordings for exports. */
  readonly evidence: Pick<Evidence, "of">;
  readonly tools: ToolBox;
  readonly ring: KeyRing;
  readonly servers: { statuses(): readonly Pick<ServerStatus, "name" | "state">[] };
  readonly serverRecords?: ServerRegistry;
  /** How long the names of deleted capabilities stay reserved. */
  readonly reserveDays: number;
  readonly cache: Pick<ResultCache, "stats" | "totals" | "invalidate" | "log"> | undefined;
  readonly traces: Pick<TraceStore, "learning" | "runsOf" | "ofWorkflow" | "latest">;
  readonly ledger: Pick<Ledger, "of" | "project">;
  readonly pins: Pick<ToolPins, "quarantined" | "accept">;
  readonly results: Pick<TaskResults, "page">;
  /** Programs learnt from single calls of clients. */
  readonly plainCalls: Pick<PlainCalls, "offered" | "decide" | "learnFrom" | "codeOf" | "usual">;
  /** The gate for decisions of people. */
  readonly gate: Pick<DecisionGate, "isScripted">;
}
