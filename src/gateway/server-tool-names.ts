import type { RealServers } from "../mcp/real-servers.js";
import { foldSpelling } from "../registry/tool-id.js";
import { type NamedTool, type ToolNames, toolNamesOf } from "../registry/tool-names.js";

/**
 * The names of the tools that the servers have now; also of servers that are away, whose tools stay. `waitMs` is how long
 * somebody waits for servers that are starting.
 */
export function serverToolNames(servers: RealServers, waitMs: number): ToolNames {
  let names: Omit<ToolNames, "pending"> | undefined;
  let settling: Promise<void> | undefined;
  let isSettled = false;
  servers.listen({
    offerChanged: () => {
      names = undefined;
    },
    resourceUpdated() {},
    logged() {},
  });
  const current = () => {
    names ??= toolNamesOf(namedTools(servers));
    return names;
  };
  return {
    toolCalled: (name) => current().toolCalled(name),
    folds: () => current().folds(),
    pending(reference) {
      if (isSettled || !isOfUnknownServer(servers, reference)) return undefined;
      settling ??= servers.settled("tools", waitMs).then(() => {
        isSettled = true;
      });
      return settling;
    },
  };
}

function namedTools(servers: RealServers): readonly NamedTool[] {
  return servers
    .offers()
    .flatMap(({ server, naming, tools }) =>
      tools.map(({ tool: { name } }) => ({ server, name, isBare: naming === "bare" })),
    );
}

/** Whether it could be a tool of a server of which nothing is known yet. */
function isOfUnknownServer(servers: RealServers, reference: string): boolean {
  const [first = "", ...rest] = reference.replace(/^cap:/, "").split(":");
  const owner = foldSpelling(first);
  return servers
    .offers()
    .some(
      ({ server, naming, current, tools }) =>
        !current &&
        tools.length === 0 &&
        (rest.length === 0 ? naming === "bare" : foldSpelling(server) === owner),
    );
}
