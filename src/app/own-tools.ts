/**
 * PML's own tools: what agents have, and what only a person at a command has.
 *
 * @module
 */
import type { Executor } from "../execution/executor.js";
import { CapabilityImporter } from "../execution/import-capabilities.js";
import type { ToolBox } from "../execution/tool-box.js";
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
import { executeTool } from "../gateway/own/execute.js";
import { keysTool } from "../gateway/own/keys.js";
import { exportTool, importTool } from "../gateway/own/sharing.js";
import type { OwnTool } from "../gateway/own-tool.js";
import type { RealServers } from "../mcp/real-servers.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { KeyRing } from "../registry/key-ring.js";
import type { ServerRegistry } from "../registry/server-registry.js";
import type { Signer } from "../registry/signature.js";

export interface OwnToolParts {
  readonly registry: CapabilityRegistry;
  readonly executor: Executor;
  readonly tools: ToolBox;
  readonly signer: Signer;
  readonly ring: KeyRing;
  readonly servers: RealServers;
  readonly serverRecords: ServerRegistry;
  readonly reserveDays: number;
}

export function ownTools(parts: OwnToolParts): readonly OwnTool[] {
  const { registry, executor, tools, signer, ring, servers, serverRecords, reserveDays } = parts;
  const { saver } = executor;
  return [
    executeTool(
      executor,
      servers.statuses().map(({ name }) => name),
    ),
    capLookupTool(registry, serverRecords),
    capListTool(registry, serverRecords),
    capWhoisTool({
      registry,
      tools,
      keys: { ownerOf: (publicKey) => ownerOf(publicKey, ring) },
      servers: serverRecords,
      statuses: () => servers.statuses(),
    }),
    capHistoryTool(registry, serverRecords),
    capRenameTool(registry, tools),
    capSaveTool(registry, saver),
    capForkTool(registry, saver),
    capMergeTool(registry, saver),
    capDeleteTool(registry, { reserveDays }),
    capVerifyTool(registry),
    exportTool(registry, ring),
    importTool(new CapabilityImporter({ registry, signer, tools: executor.tools }), ring),
    keysTool(registry.store, ring),
  ];
}

async function ownerOf(publicKey: string, ring: KeyRing): Promise<string | undefined> {
  if (publicKey === ring.own) return "this installation";
  await ring.loaded();
  const key = ring.list().find((one) => one.publicKey === publicKey);
  // In quotes, so that no key can be called this installation.
  return key === undefined ? undefined : `the key "${key.name}"`;
}
