import { derived } from "../base/derived.js";
import type { RealServers, ServerOffer } from "../mcp/real-servers.js";
import { foldSpelling } from "../registry/tool-id.js";
import { type ToolNames, toolNamesOf } from "../registry/tool-names.js";
import type { ToolInventory } from "./tool-inventory.js";

/**
 * The names of the tools that the servers have now; also of servers that are away, whose tools stay. `waitMs` is how long
 * somebody waits for servers that are starting.
 */
export function serverToolNames(
  inventory: Pick<ToolInventory, "offers">,
  servers: Pick<RealServers, "settled">,
  waitMs: number,
): ToolNames {
  let settling: Promise<void> | undefined;
  let isSettled = false;
  return {
    toolCalled: (name) => namesIn(inventory.offers()).toolCalled(name),
    folds: () => namesIn(inventory.offers()).folds(),
    pending(reference) {
      if (isSettled || !isOfUnknownServer(inventory.offers(), reference)) return undefined;
      settling ??= servers.settled("tools", waitMs).then(() => {
        isSettled = true;
      });
      return settling;
    },
  };
}

const namesIn = derived((offers: readonly ServerOffer[]) =>
  toolNamesOf(
    offers.flatMap(({ server, naming, tools }) =>
      tools.map(({ tool: { name } }) => ({ server, name, isBare: naming === "bare" })),
    ),
  ),
);

/** Whether it could be a tool of a server of which nothing is known yet. */
function isOfUnknownServer(offers: readonly ServerOffer[], reference: string): boolean {
  const [first = "", ...rest] = reference.replace(/^cap:/, "").split(":");
  const owner = foldSpelling(first);
  return offers.some(
    ({ server, naming, current, tools }) =>
      !current &&
      tools.length === 0 &&
      (rest.length === 0 ? naming === "bare" : foldSpelling(server) === owner),
  );
}
