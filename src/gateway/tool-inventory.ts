/**
 * All tools of the real servers at one moment, as agents may see them: the one snapshot that lists, discovery,
 * analysis, approvals and calls read.
 *
 * The first request after a change builds it. Values computed from it are cached with `derived`, by the identity of the
 * snapshot or of its list of tools, so they need no invalidation.
 *
 * @module
 */

import type { Json } from "../base/canonical-json.js";
import { defined } from "../base/defined.js";
import { derived } from "../base/derived.js";
import { beginningOf } from "../discovery/document-text.js";
import { isDeprecated } from "../discovery/matchable.js";
import type { KnownTool } from "../execution/ports/tool-box.js";
import {
  type OfferedTool,
  type RealServers,
  type ServerOffer,
  type ServerStatus,
  wireJson,
} from "../mcp/real-servers.js";
import { foldSpelling, type ServerName, type ToolId, toolId } from "../registry/tool-id.js";
import { type ToolNames, toolNamesOf } from "../registry/tool-names.js";
import { type ToolPins, whatChanged } from "./tool-pins.js";

export interface InventoryTool {
  readonly offer: ServerOffer;
  /** The pinned form, if it differs from the server's current offer. */
  readonly shown: OfferedTool;
  /** The same object until it changes. */
  readonly known: KnownTool;
}

export interface ToolSnapshot {
  /** Incremented with each snapshot. */
  readonly version: number;
  /** By server, in code-unit order. */
  readonly offers: readonly ServerOffer[];
  readonly byId: ReadonlyMap<string, InventoryTool>;
  /** The same list until the tools change, whether their servers are available or not. */
  readonly tools: readonly KnownTool[];
}

export interface InventoryOptions {
  readonly servers: Pick<RealServers, "offers" | "statuses" | "listen">;
  /** Whether the annotations of a server are trusted. */
  readonly isTrusted?: (server: ServerName) => boolean;
  /** The observed shape of a tool's results; the hash identifies the version of the tool. */
  readonly observedOutput?: (id: ToolId, hash: string) => Json | undefined;
  readonly pins?: Pick<ToolPins, "shown" | "showable" | "version">;
}

/** Instructions begin with the server's purpose, and continue with rules for agents. */
const INSTRUCTIONS_CHARS = 300;

export class ToolInventory {
  readonly #options: InventoryOptions;
  /** Self-descriptions of servers; they are kept while a server is away, like its tools. */
  readonly #about = new Map<ServerName, string>();
  #snapshot: ToolSnapshot = { version: 0, offers: [], byId: new Map(), tools: [] };
  #isStale = true;
  #pinsVersion: number | undefined;

  constructor(options: InventoryOptions) {
    this.#options = options;
    options.servers.listen({
      offerChanged: () => {
        this.#isStale = true;
      },
      resourceUpdated() {},
      logged() {},
    });
  }

  snapshot(): ToolSnapshot {
    const pinsVersion = this.#options.pins?.version;
    if (this.#isStale || pinsVersion !== this.#pinsVersion) {
      this.#isStale = false;
      this.#pinsVersion = pinsVersion;
      this.#snapshot = this.#read();
    }
    return this.#snapshot;
  }

  tools(): readonly KnownTool[] {
    return this.snapshot().tools;
  }

  known(id: ToolId): KnownTool | undefined {
    return this.snapshot().byId.get(id)?.known;
  }

  /**
   * Resolves when it is known how every offered tool may be shown, within a time limit; undefined if nothing has to be
   * awaited, as usual.
   */
  showable(): Promise<void> | undefined {
    return this.#options.pins?.showable();
  }

  offers(): readonly ServerOffer[] {
    return this.snapshot().offers;
  }

  #read(): ToolSnapshot {
    const { servers } = this.#options;
    const before = this.#snapshot;
    const offers = servers.offers();
    const statuses = new Map(servers.statuses().map((status) => [status.name, status]));
    const byId = new Map<string, InventoryTool>();
    for (const offer of offers) {
      const status = statuses.get(offer.server);
      this.#hear(offer.server, status);
      for (const offered of offer.tools) {
        const tool = this.#tool(offer, offered, status?.transport ?? "stdio");
        const known = before.byId.get(tool.known.id)?.known;
        const isSame = known !== undefined && isSameTool(known, tool.known);
        byId.set(tool.known.id, isSame ? { ...tool, known } : tool);
      }
    }
    const tools = Array.from(byId.values(), ({ known }) => known);
    const isSameList =
      tools.length === before.tools.length && tools.every((tool, at) => tool === before.tools[at]);
    return { version: before.version + 1, offers, byId, tools: isSameList ? before.tools : tools };
  }

  #tool(offer: ServerOffer, offered: OfferedTool, transport: KnownTool["transport"]): InventoryTool {
    const { isTrusted, observedOutput, pins } = this.#options;
    const { server } = offer;
    const id = toolId(server, offered.tool.name);
    const { offered: shown, quarantined } = pins?.shown(id, offered) ?? { offered };
    const { name, description, inputSchema, outputSchema, annotations } = shown.tool;
    const schema = wireJson(inputSchema);
    const known = {
      id,
      server,
      name,
      hash: shown.hash,
      inputSchema: schema,
      transport,
      trusted: isTrusted?.(server) ?? true,
      ...defined({
        description,
        about: this.#about.get(server),
        isDeprecated: isDeprecated(description ?? "", schema) || undefined,
        outputSchema: outputSchema && wireJson(outputSchema),
        observedOutput:
          observedOutput && outputSchema === undefined ? () => observedOutput(id, shown.hash) : undefined,
        annotations,
        quarantined: quarantined && whatChanged(quarantined),
      }),
    };
    return { offer, shown, known };
  }

  #hear(server: ServerName, status: ServerStatus | undefined): void {
    const { serverDescription = "", serverInstructions = "" } = status ?? {};
    if (serverDescription === "" && serverInstructions === "") return;
    const about = `${serverDescription} ${beginningOf(serverInstructions, INSTRUCTIONS_CHARS)}`;
    this.#about.set(server, about.trim());
  }
}

/** The hash covers everything that the server sent. */
function isSameTool(one: KnownTool, other: KnownTool): boolean {
  return (["hash", "about", "transport", "trusted", "quarantined"] as const).every(
    (field) => one[field] === other[field],
  );
}

/**
 * The names of the servers' current tools, including servers that are away. `waitMs` is how long a caller waits for
 * servers that are starting.
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

/** Whether it may be a tool of a server whose tools are not known yet. */
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
