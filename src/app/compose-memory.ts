/**
 * Builds what learns and recalls: the registry, the sandbox, the executor, and the tools through which agents reach
 * them.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import {
  type Approval,
  type ApprovalDoor,
  type ApprovalSettings,
  approvalOf,
} from "../execution/approval-policy.js";
import { Executor } from "../execution/executor.js";
import type { Sandbox } from "../execution/sandbox.js";
import type { KnownTool } from "../execution/tool-box.js";
import { ArgumentCheck } from "../gateway/argument-check.js";
import { capabilityCaller } from "../gateway/call-capability.js";
import { GatewayToolBox } from "../gateway/gateway-tool-box.js";
import type { ToolInvoker } from "../gateway/invoke-tool.js";
import { capListTool } from "../gateway/own/cap-list.js";
import { capLookupTool } from "../gateway/own/cap-lookup.js";
import { capRenameTool } from "../gateway/own/cap-rename.js";
import { executeTool } from "../gateway/own/execute.js";
import type { OwnTool } from "../gateway/own-tool.js";
import { QuestionClock } from "../gateway/question-clock.js";
import { ToolObservations } from "../gateway/tool-observations.js";
import { UsageRecorder } from "../gateway/usage-recorder.js";
import type { RealServers } from "../mcp/real-servers.js";
import { hasStore } from "../postgres/open-store.js";
import type { Capability } from "../registry/capability.js";
import { CapabilityRegistry } from "../registry/capability-registry.js";
import type { ServerName } from "../registry/tool-id.js";
import { createSandbox } from "../sandbox/create-sandbox.js";
import { CapabilityFile, readCapabilities } from "./capability-file.js";
import type { Config } from "./config-schema.js";
import { openInstallationKey } from "./installation-key.js";
import type { Settings } from "./settings.js";
import type { StoreKeeper } from "./store-keeper.js";

export interface Memory {
  readonly registry: CapabilityRegistry;
  readonly sandbox: Sandbox;
  /** How clients call tools. */
  readonly invoker: ToolInvoker;
  readonly own: readonly OwnTool[];
  /** What is learnt of the results of tools. */
  readonly observations: ToolObservations;
  stop(): Promise<void>;
}

export function composeMemory(
  settings: Settings,
  config: Config,
  servers: RealServers,
  store: StoreKeeper,
  rules: ApprovalSettings,
  log: Log,
): Memory {
  const signer = openInstallationKey({
    dataDir: settings.dataDir,
    directory: settings.config.directory,
    signingKey: config.store?.signingKey,
  });
  const limits = {
    timeMs: config.sandbox?.timeoutMs ?? LIMITS.runTimeMs,
    memoryMb: config.sandbox?.memoryMb ?? LIMITS.runMemoryMb,
    toolCalls: config.sandbox?.toolCalls ?? LIMITS.runToolCalls,
  };
  const { registry, copy } = composeRegistry(settings.dataDir, config.store?.url === undefined, store, log);
  const sandbox = createSandbox({
    engine: config.sandbox?.engine ?? "auto",
    memoryMb: limits.memoryMb,
    timeMs: limits.timeMs,
    log,
  });
  const observations = new ToolObservations(store.tools, log);
  const door: ToolInvoker = {
    servers,
    usage: new UsageRecorder(store.usage, log),
    questionClock: new QuestionClock(),
    argumentCheck: new ArgumentCheck(),
    onResult: (entry, result) => observations.see(entry, result),
  };
  const isTrusted = (server: ServerName) => config.mcpServers?.[server]?.trusted !== false;
  const tools = new GatewayToolBox({
    invoker: door,
    isTrusted,
    observedOutput: (id, hash) => observations.outputOf(id, hash),
    settleMs: LIMITS.firstListWaitMs,
  });
  const approvals = { code: approver("code", rules), client: approver("client", rules) };
  const executor = new Executor({
    sandbox,
    tools,
    registry,
    signer,
    limits,
    log,
    approvalOf: approvals.code,
    checkSchema: (schema, key, value) => door.argumentCheck.problem(schema, key, value),
    usage: (row) => door.usage.record(row),
    onEvent: ({ kind, workflowId }) => log.debug("run.event", { kind, workflowId }),
  });
  return {
    registry,
    sandbox,
    observations,
    invoker: {
      ...door,
      callCapability: capabilityCaller(registry, executor),
      admit: ({ id }) => {
        const tool = tools.known(id);
        if (tool === undefined) return;
        const { mode, reason } = approvals.client(tool);
        if (mode === "deny")
          throw new PmlError("TOOL_DENIED", `${id} may not be called: ${reason}`, { data: { tool: id } });
      },
    },
    own: [
      executeTool(
        executor,
        servers.statuses().map(({ name }) => name),
      ),
      capLookupTool(registry),
      capListTool(registry),
      capRenameTool(registry, tools),
    ],
    async stop() {
      // What is still running ends with the sandbox, and is then written like everything else.
      await sandbox.close();
      await executor.stop();
      await observations.flush();
      copy?.stop();
    },
  };
}

/** An embedded store has one gateway, which can keep a copy of its names that is never wrong. */
function composeRegistry(dataDir: string, isEmbedded: boolean, store: StoreKeeper, log: Log) {
  const copy = isEmbedded ? new CapabilityFile(dataDir, log, named) : undefined;
  const registry = new CapabilityRegistry({
    store: store.capabilities,
    log,
    named: isEmbedded ? (hasStore(dataDir) ? readCapabilities(dataDir) : []) : undefined,
    onChanging: () => copy?.changing() ?? (() => {}),
  });
  function named(): readonly Capability[] {
    return [...registry.directory.all()].filter(({ isNamed }) => isNamed);
  }
  registry.loaded().then(
    () => copy?.changed(),
    () => {},
  );
  return { registry, copy };
}

/** Rules do not change while a gateway runs, and a tool that changes is another object: each is judged once. */
function approver(door: ApprovalDoor, rules: ApprovalSettings): (tool: KnownTool) => Approval {
  const known = new WeakMap<KnownTool, Approval>();
  return (tool) => {
    const { server: name, transport, trusted } = tool;
    const approval = known.get(tool) ?? approvalOf(tool, { name, transport, trusted }, rules, door);
    known.set(tool, approval);
    return approval;
  };
}
