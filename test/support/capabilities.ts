/** Capabilities as tests need them, without a store. */
import type { Capability } from "../../src/registry/capability.js";
import { type DisplayName, isUnnamed, parseDisplayName } from "../../src/registry/display-name.js";
import { parseFqdn } from "../../src/registry/fqdn.js";

export const SCOPE = { org: "local", project: "default", user: "me" };

/** One that is called `name`, as its first success left it. */
export function aCapability(name: string, more: Partial<Capability> = {}): Capability {
  const displayName: DisplayName = parseDisplayName(name);
  const [namespace = "", action = namespace] = name.toLowerCase().split(":");
  const { org, project, user } = { ...SCOPE, ...more, user: SCOPE.user };
  return {
    fqdn: parseFqdn(`${org}.${project}.${namespace}.${action}.abcd`),
    id: crypto.randomUUID(),
    displayName,
    isNamed: !isUnnamed(displayName),
    org,
    project,
    namespace,
    action,
    source: "code",
    codeHash: "0".repeat(64),
    intent: `do ${name}`,
    description: undefined,
    parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
    toolsUsed: [],
    dependencies: [],
    routing: "cloud",
    visibility: "project",
    tags: [],
    version: 1,
    versionTag: undefined,
    trust: "provisional",
    usageCount: 1,
    successCount: 1,
    totalLatencyMs: 5,
    createdBy: `${user}@${org}`,
    creators: [`${user}@${org}`],
    createdAt: new Date(0),
    updatedAt: undefined,
    aliases: [],
    ...more,
  };
}
