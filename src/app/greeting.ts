import { isJsonObject } from "../base/json-object.js";
import { CAPABILITIES, instructions, SERVER_INFO } from "../gateway/introduction.js";
import type { Greeting } from "./client-set-up.js";
import { sectionOf } from "./config-file.js";
import { metaOf, type Request } from "./relay-message.js";
import type { Settings } from "./settings.js";

/** Revisions that `initialize` can select: the gateway uses the one that the client names. */
const REVISIONS_2025: ReadonlySet<unknown> = new Set([
  "2025-11-25",
  "2025-06-18",
  "2025-03-26",
  "2024-11-05",
]);
const REVISION_2026 = "2026-07-28";
const VERSION_META = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_META = "io.modelcontextprotocol/clientCapabilities";
const SERVER_META = "io.modelcontextprotocol/serverInfo";

/**
 * The exact answer of a gateway with these settings to `initialize` and `server/discover`; undefined for an
 * unusual request. When a client has this answer, most of a cold start is over.
 */
export function greetingOf({ config }: Settings): Greeting {
  const servers = Object.entries(sectionOf(config, "mcpServers")).flatMap(([name, entry]) =>
    isJsonObject(entry) && entry.disabled === true ? [] : [name],
  );
  return (request) => {
    if (request.method === "initialize" && isUsual(request))
      return {
        protocolVersion: request.params?.protocolVersion,
        capabilities: CAPABILITIES,
        serverInfo: SERVER_INFO,
        instructions: instructions(servers),
      };
    if (request.method === "server/discover" && isUsualDiscovery(request))
      return {
        supportedVersions: [REVISION_2026],
        capabilities: CAPABILITIES,
        instructions: instructions(servers),
        resultType: "complete",
        ttlMs: 0,
        cacheScope: "private",
        _meta: { [SERVER_META]: SERVER_INFO },
      };
    return undefined;
  };
}

function isUsual({ params }: Request): boolean {
  const { protocolVersion, capabilities, clientInfo } = params ?? {};
  return (
    REVISIONS_2025.has(protocolVersion) &&
    isMadeOfObjects(capabilities) &&
    isJsonObject(clientInfo) &&
    typeof clientInfo.name === "string" &&
    typeof clientInfo.version === "string"
  );
}

function isUsualDiscovery(request: Request): boolean {
  const meta = metaOf(request);
  return meta[VERSION_META] === REVISION_2026 && isMadeOfObjects(meta[CAPABILITIES_META]);
}

function isMadeOfObjects(value: unknown): boolean {
  return isJsonObject(value) && Object.values(value).every(isJsonObject);
}
