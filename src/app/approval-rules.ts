import type { Log } from "../base/log.js";
import { type ApprovalSettings, isEntryOf, NO_PERMISSIONS } from "../execution/approval-policy.js";
import type { Config } from "./config-schema.js";
import type { Settings } from "./settings.js";

/** The rules that a gateway with these settings goes by; throws `CONFIG_INVALID` where the file is wrong. */
export async function approvalRules(
  { permissions: file }: Settings,
  config: Config,
  log: Log,
): Promise<ApprovalSettings> {
  // Who has no such file does not wait for its parser.
  const permissions =
    file === undefined ? NO_PERMISSIONS : (await import("./permissions-yaml.js")).parsePermissions(file);
  const servers = Object.keys(config.mcpServers ?? {});
  for (const server of permissions.servers.keys())
    if (!isEntryOf(server, servers)) log.warn("permissions.unknown_server", { file: file?.file, server });
  return { permissions, unannotated: config.approvals?.unannotated };
}
