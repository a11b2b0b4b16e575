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
import type { OwnTool } from "../gateway/own-tool.js";
import { QuestionClock } from "../gateway/question-clock.js";
import { ToolObservations } from "../gateway/tool-observations.js";
import { UsageRecorder } from "../gateway/usage-recorder.js";
import { hasStore } from "../postgres/open-store.js";
import type { Capability } from "../registry/capability.js";
import { CapabilityRegistry, type CapabilityRegistryOptions } from "../registry/capability-registry.js";
import { KeyRing, trustingSigner } from "../registry/key-ring.js";
import type { ServerName } from "../registry/tool-id.js";
import { createSandbox } from "../sandbox/create-sandbox.js";
import type { ServerEntry } from "../upstream/server-entry.js";
import type { ServerPool } from "../upstream/server-pool.js";
import { CapabilityFile, readCapabilities } from "./capability-file.js";
import type { Config } from "./config-schema.js";
import { openInstallationKey } from "./installation-key.js";
import { ownTools } from "./own-tools.js";
import { ServerRecords } from "./server-records.js";
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
  /** Whether what a session may see is in its list: what this installation would not run is not. */
  isListed(capability: Capability): boolean;
  /** Calls when that has changed. */
  onListed(listener: () => void): void;
  /** Once the store is being opened. */
  start(): void;
  stop(): Promise<void>;
}

export function composeMemory(
  settings: Settings,
  config: Config,
  servers: ServerPool,
  entries: readonly ServerEntry[],
  store: StoreKeeper,
  rules: ApprovalSettings,
  log: Log,
): Memory {
  const installation = openInstallationKey({
    dataDir: settings.dataDir,
    directory: settings.config.directory,
    signingKey: config.store?.signingKey,
  });
  const ring = new KeyRing(store.keys, installation.publicKey);
  const signer = trustingSigner(installation, ring);
  const serverRecords = new ServerRecords({
    store: store.servers,
    entries,
    config,
    scope: settings.scope,
    permissions: rules.permissions,
    servers,
    log,
  });
  const limits = {
    timeMs: config.sandbox?.timeoutMs ?? LIMITS.runTimeMs,
    memoryMb: config.sandbox?.memoryMb ?? LIMITS.runMemoryMb,
    toolCalls: config.sandbox?.toolCalls ?? LIMITS.runToolCalls,
  };
  const { registry, copy } = composeRegistry(settings.dataDir, config.store?.url === undefined, store, log, {
    serversChanged: () => serverRecords.registry.refresh(),
    keysChanged: () => ring.reload(),
  });
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
    role: settings.role,
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
    own: ownTools({
      registry,
      executor,
      tools,
      signer,
      ring,
      servers,
      serverRecords: serverRecords.registry,
      reserveDays: config.registry?.reserveDays ?? LIMITS.reserveDays,
    }),
    isListed: ({ signedBy }) => ring.isTrusted(signedBy),
    onListed: (listener) => void ring.onChange(listener),
    start() {
      serverRecords.start();
      ring.loaded().catch(() => {});
    },
    async stop() {
      // What is still running ends with the sandbox, and is then written like everything else.
      await sandbox.close();
      await executor.stop();
      await observations.flush();
      await registry.stop();
      await serverRecords.stop();
      copy?.stop();
    },
  };
}

/** An embedded store has one gateway, which can keep a copy of its names that is never wrong. */
function composeRegistry(
  dataDir: string,
  isEmbedded: boolean,
  store: StoreKeeper,
  log: Log,
  onElsewhere: NonNullable<CapabilityRegistryOptions["onElsewhere"]>,
) {
  const copy = isEmbedded ? new CapabilityFile(dataDir, log, named) : undefined;
  const registry = new CapabilityRegistry({
    store: store.capabilities,
    log,
    named: isEmbedded ? (hasStore(dataDir) ? readCapabilities(dataDir) : []) : undefined,
    onChanging: () => copy?.changing() ?? (() => {}),
    feed: isEmbedded ? undefined : store.changes,
    onElsewhere,
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
