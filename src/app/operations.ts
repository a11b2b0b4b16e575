/**
 * All that PML can do: what agents have, and what only a person at a command has. Who calls one, by its id, gets the
 * types of its input and of its answer from here.
 *
 * @module
 */
import type { ResultCache } from "../execution/cache/run-cache.js";
import type { Executor } from "../execution/executor.js";
import { CapabilityImporter } from "../execution/learn/import-capabilities.js";
import type { ToolBox } from "../execution/ports/tool-box.js";
import type { TaskResults } from "../execution/run/task-results.js";
import type { DecisionGate } from "../gateway/decision-gate.js";
import type { Operation, Question } from "../gateway/operation.js";
import { approvalsTool, approveTool } from "../gateway/own/approvals.js";
import { cacheTool } from "../gateway/own/cache.js";
import { type CurateParts, capCurateTool } from "../gateway/own/cap-curate.js";
import { capDeleteTool } from "../gateway/own/cap-delete.js";
import { capForkTool } from "../gateway/own/cap-fork.js";
import { capHistoryTool } from "../gateway/own/cap-history.js";
import { capListTool } from "../gateway/own/cap-list.js";
import { capLookupTool } from "../gateway/own/cap-lookup.js";
import { capMergeTool } from "../gateway/own/cap-merge.js";
import { capRenameTool } from "../gateway/own/cap-rename.js";
import { capSaveTool } from "../gateway/own/cap-save.js";
import { capVerifyTool } from "../gateway/own/cap-verify.js";
import { capWhoisTool } from "../gateway/own/cap-whois.js";
import { type DiscoverParts, discoverTool } from "../gateway/own/discover.js";
import { executeTool } from "../gateway/own/execute.js";
import { formerTools } from "../gateway/own/former-names.js";
import { getTaskResultTool } from "../gateway/own/get-task-result.js";
import { keysTool } from "../gateway/own/keys.js";
import { exportTool, importTool } from "../gateway/own/sharing.js";
import { type StatsParts, statsTool } from "../gateway/own/stats.js";
import { toolsAcceptTool, toolsChangedTool } from "../gateway/own/tools-accept.js";
import { traceTool } from "../gateway/own/trace.js";
import type { ToolPins } from "../gateway/tool-pins.js";
import type { RealServers } from "../mcp/real-servers.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { KeyRing } from "../registry/key-ring.js";
import type { ServerRegistry } from "../registry/server-registry.js";
import type { Signer } from "../registry/signature.js";
import type { TraceStore } from "../registry/trace-store.js";

export interface OperationParts {
  readonly registry: CapabilityRegistry;
  readonly executor: Executor;
  readonly tools: ToolBox;
  readonly signer: Signer;
  readonly ring: KeyRing;
  readonly servers: RealServers;
  readonly serverRecords: ServerRegistry;
  readonly reserveDays: number;
  readonly cache: ResultCache | undefined;
  readonly traces: TraceStore;
  readonly pins: ToolPins;
  readonly results: TaskResults;
  readonly stats: StatsParts;
  readonly curate: CurateParts;
  readonly discover: Omit<DiscoverParts, "registry" | "tools">;
  /** What decisions of people have to pass. */
  readonly gate: DecisionGate;
}

function operations(parts: OperationParts) {
  const { registry, executor, tools, signer, ring, servers, serverRecords, reserveDays, traces } = parts;
  const { saver } = executor;
  const names = servers.statuses().map(({ name }) => name);
  return [
    discoverTool({ ...parts.discover, registry, tools }, names),
    executeTool(executor, names),
    getTaskResultTool(parts.results),
    statsTool(parts.stats),
    traceTool({ registry, traces, written: () => executor.written() }),
    capLookupTool(registry, serverRecords),
    capListTool(registry, serverRecords),
    capWhoisTool({
      registry,
      tools,
      keys: { ownerOf: (publicKey) => ownerOf(publicKey, ring) },
      traces,
      servers: serverRecords,
      statuses: () => servers.statuses(),
    }),
    capHistoryTool(registry, serverRecords),
    capRenameTool(registry, tools),
    capCurateTool(parts.curate),
    capSaveTool(registry, saver),
    capForkTool(registry, saver),
    capMergeTool(registry, saver),
    capDeleteTool(registry, { reserveDays }),
    capVerifyTool(registry),
    exportTool(registry, ring),
    importTool(new CapabilityImporter({ registry, signer, tools: executor.tools }), ring),
    keysTool(registry.store, ring),
    cacheTool(registry, parts.cache),
    toolsChangedTool(parts.pins, () => tools.settled()),
    toolsAcceptTool(parts.pins),
    approvalsTool(executor.desk, parts.gate),
    approveTool(executor.desk),
  ] as const;
}

/** All of them, and the names that they had before. */
export function allOperations(parts: OperationParts): readonly Operation[] {
  const all = operations(parts);
  return [...all, ...formerTools(all)];
}

type Declared = ReturnType<typeof operations>[number];

export type OperationId = Declared["id"];

/** What an operation takes. */
export type InputOf<Id extends OperationId> = Given<Parameters<Extract<Declared, { id: Id }>["run"]>[0]>;

/** The same for those who give it: nothing of it is changed. */
type Given<T> = T extends object ? { readonly [K in keyof T]: Given<T[K]> } : T;

/** What an operation answers. */
export type AnswerOf<Id extends OperationId> = Exclude<
  Awaited<ReturnType<Extract<Declared, { id: Id }>["run"]>>,
  Question
>;

async function ownerOf(publicKey: string, ring: KeyRing): Promise<string | undefined> {
  if (publicKey === ring.own) return "this installation";
  await ring.loaded();
  const key = ring.list().find((one) => one.publicKey === publicKey);
  // In quotes, so that no key can be called this installation.
  return key === undefined ? undefined : `the key "${key.name}"`;
}
