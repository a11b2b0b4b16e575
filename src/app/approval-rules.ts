import type { Log } from "../base/log.js";
import { type ApprovalSettings, isEntryOf, NO_PERMISSIONS } from "../execution/prepare/approval-policy.js";
import { isLoopback } from "./config-facts.js";
import type { Config } from "./config-schema.js";
import type { Settings } from "./settings.js";

/** The rules that a gateway with these settings goes by; throws `CONFIG_INVALID` where the file is wrong. */
export async function approvalRules(
  { permissions: file, httpHost }: Settings,
  config: Config,
  log: Log,
): Promise<ApprovalSettings> {
  // Who has no such file does not wait for its parser.
  const permissions =
    file === undefined ? NO_PERMISSIONS : (await import("./permissions-yaml.js")).parsePermissions(file);
  const servers = Object.keys(config.mcpServers ?? {});
  for (const server of permissions.servers.keys())
    if (!isEntryOf(server, servers)) log.warn("permissions.unknown_server", { file: file?.file, server });
  const { unannotated, direct = isReachable(httpHost) ? "ask" : "pass" } = config.approvals ?? {};
  return { permissions, unannotated, direct };
}

/** Whether other machines can connect: there is no telling whether their clients ask anybody. */
function isReachable(httpHost: string | undefined): boolean {
  return httpHost !== undefined && !isLoopback(httpHost);
}
