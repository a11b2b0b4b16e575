import type { Log } from "../base/log.js";
import { type ApprovalSettings, isEntryOf, NO_PERMISSIONS } from "../execution/approval-policy.js";
import type { Config } from "./config-schema.js";
import { parsePermissions } from "./permissions-yaml.js";
import type { Settings } from "./settings.js";

/** The rules that a gateway with these settings goes by; throws `CONFIG_INVALID` where the file is wrong. */
export function approvalRules({ permissions: file }: Settings, config: Config, log: Log): ApprovalSettings {
  const permissions = file === undefined ? NO_PERMISSIONS : parsePermissions(file);
  const servers = Object.keys(config.mcpServers ?? {});
  for (const server of permissions.servers.keys())
    if (!isEntryOf(server, servers)) log.warn("permissions.unknown_server", { file: file?.file, server });
  return { permissions, unannotated: config.approvals?.unannotated };
}
