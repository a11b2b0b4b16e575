import { derived } from "../base/derived.js";
import type { Log } from "../base/log.js";
import type { KnownTool } from "../execution/ports/tool-box.js";
import {
  type Approval,
  type ApprovalDoor,
  type ApprovalSettings,
  approvalOf,
  isEntryOf,
  NO_PERMISSIONS,
} from "../execution/prepare/approval-policy.js";
import type { Config } from "./config-schema.js";
import type { LiveConfig, LiveState } from "./live-config.js";
import type { Settings } from "./settings.js";

/** The rules of a gateway with these settings; throws `CONFIG_INVALID` if the file is invalid. */
export async function approvalRules(
  { permissions: file }: Settings,
  config: Config,
  log: Log,
): Promise<ApprovalSettings> {
  // Without such a file, its parser is not loaded.
  const permissions =
    file === undefined ? NO_PERMISSIONS : (await import("./permissions-yaml.js")).parsePermissions(file);
  const servers = Object.keys(config.mcpServers ?? {});
  for (const server of permissions.servers.keys())
    if (!isEntryOf(server, servers)) log.warn("permissions.unknown_server", { file: file?.file, server });
  const { unannotated, direct } = config.approvals ?? {};
  return { permissions, unannotated, direct };
}

/** A changed tool is a new object, so each object is judged once per state of the rules. */
export function approver(door: ApprovalDoor, live: Pick<LiveConfig, "now">): (tool: KnownTool) => Approval {
  const judgeOf = derived(({ rules }: LiveState) =>
    derived((tool: KnownTool) => {
      const { server: name, transport, trusted } = tool;
      return approvalOf(tool, { name, transport, trusted }, rules, door);
    }),
  );
  return (tool) => judgeOf(live.now)(tool);
}
