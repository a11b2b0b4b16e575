/**
 * Keeps the offer of one server up to date, across all its connections.
 *
 * A server can be used as soon as its tools are read. Its prompts and resources are read in parallel: a server that
 * lists them slowly, or not at all, does not delay its tools.
 *
 * @module
 */
import type { Client } from "@modelcontextprotocol/client";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { RateLimit } from "../base/rate-limit.js";
import type { OfferedTool, OfferKind, ServerOffer } from "../mcp/real-servers.js";
import { type Reading, readPrompts, readResources, readTemplates, readTools } from "./read-offer.js";

/** Pause between two readings of a list that keeps changing. */
const READ_PAUSE_MS = 50;

/** The maximum of logged reasons per server for omitting items; `pml doctor` has all of them. */
const REASONS_LOGGED = 50;

/** The kinds that are read once the server is ready. */
const BESIDES = ["prompts", "resources"] as const;

export class OfferReader {
  readonly #server: string;
  readonly #log: Log;
  readonly #onChange: (kinds: readonly OfferKind[]) => void;
  readonly #offer = new RememberedOffer();
  #client: Client | undefined;
  /** Kinds announced as changed, and not read since. */
  readonly #due = new Set<OfferKind>();
  readonly #reading = new Set<OfferKind>();
  /** Kinds not read on this connection yet. */
  readonly #unread = new Set<OfferKind>();
  /** A server that keeps changing is read again and again, and all its users have to follow. */
  readonly #limits = {
    tools: new RateLimit(1, LIMITS.serverListReadings),
    prompts: new RateLimit(1, LIMITS.serverListReadings),
    resources: new RateLimit(1, LIMITS.serverListReadings),
  } as const satisfies Record<OfferKind, RateLimit>;
  readonly #logged = new Set<string>();
  readonly #firstReadings = new Map(BESIDES.map((kind) => [kind as OfferKind, new Signal()]));

  constructor(server: string, onChange: (kinds: readonly OfferKind[]) => void, log: Log) {
    this.#server = server;
    this.#onChange = onChange;
    this.#log = log;
  }

  get tools(): readonly OfferedTool[] {
    return this.#offer.view().tools;
  }

  /** `name: reason` of each omitted tool, prompt and resource. */
  get refused(): readonly string[] {
    return this.#offer.refused;
  }

  view() {
    return this.#offer.view();
  }

  /** Uses earlier tools until the server itself is read. */
  remember(tools: readonly OfferedTool[]): void {
    this.#offer.remember(tools);
  }

  /** Reads the tools on a new connection; rejects if that fails. */
  async readTools(client: Client): Promise<void> {
    // The answer to this request already contains changes that were announced before it.
    this.#due.clear();
    await this.#offer.read(client, "tools");
  }

  /** The server is ready on this connection: reads the rest, and what has changed since its tools were requested. */
  follow(client: Client): void {
    this.#client = client;
    this.#logRefused();
    for (const kind of BESIDES) this.#unread.add(kind);
    for (const kind of new Set([...BESIDES, ...this.#due])) this.changed(kind);
  }

  /** The connection is lost; the offer read from it stays. */
  lost(): void {
    this.#client = undefined;
  }

  /**
   * A server may announce changes faster than it can be read: changes during a reading are read together afterwards.
   */
  changed(kind: OfferKind): void {
    this.#due.add(kind);
    if (this.#client === undefined || this.#reading.has(kind)) return;
    this.#reading.add(kind);
    void this.#readWhileDue(kind).finally(() => this.#reading.delete(kind));
  }

  /** Resolves when the first reading started by {@link follow} has ended or failed; at once for tools. */
  async firstReading(kind: OfferKind): Promise<void> {
    await this.#firstReadings.get(kind)?.given;
  }

  async #readWhileDue(kind: OfferKind): Promise<void> {
    const limit = this.#limits[kind];
    while (this.#client !== undefined && this.#due.delete(kind)) {
      await this.#read(kind, this.#client);
      await sleep(READ_PAUSE_MS);
      while (!limit.take()) await sleep(limit.waitMs);
    }
  }

  async #read(kind: OfferKind, client: Client): Promise<void> {
    try {
      await this.#offer.read(client, kind);
      this.#logRefused();
      this.#onChange([kind]);
    } catch (error) {
      // While the server is away, its offer stays listed.
      if (client === this.#client) {
        this.#log.warn("server.list_failed", { server: this.#server, kind, message: messageOf(error) });
        if (this.#unread.has(kind)) {
          this.#offer.forget(kind);
          this.#onChange([kind]);
        }
      }
    }
    if (client === this.#client) this.#unread.delete(kind);
    this.#firstReadings.get(kind)?.give();
  }

  /** A server may list the same items again and again: each reason is logged once, up to a limit. */
  #logRefused(): void {
    for (const reason of this.refused) {
      if (this.#logged.size >= REASONS_LOGGED) return;
      if (this.#logged.has(reason)) continue;
      this.#logged.add(reason);
      this.#log.warn("server.left_out", { server: this.#server, reason });
    }
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** An event that happens once and can be awaited. */
class Signal {
  give: () => void = () => {};
  readonly given = new Promise<void>((resolve) => {
    this.give = resolve;
  });
}

type Offer = Pick<ServerOffer, "tools" | "prompts" | "resources" | "templates">;

/** The empty offer of a kind. */
const NONE = {
  tools: { tools: [] },
  prompts: { prompts: [] },
  resources: { resources: [], templates: [] },
} as const satisfies Record<OfferKind, Partial<Offer>>;

/** The last read or remembered offer of a server. It stays while the server is away. */
class RememberedOffer {
  #offer: Offer = { ...NONE.tools, ...NONE.prompts, ...NONE.resources };
  /** The name of every tool that the server has ever listed. */
  readonly #names = new Set<string>();
  readonly #refused = new Map<OfferKind, readonly string[]>();

  /** `name: reason` of each omitted tool, then prompts and resources. */
  get refused(): readonly string[] {
    return (["tools", "prompts", "resources"] as const).flatMap((kind) => this.#refused.get(kind) ?? []);
  }

  view(): Offer {
    return this.#offer;
  }

  /** Uses earlier tools until the server itself is read. */
  remember(tools: readonly OfferedTool[]): void {
    this.#offer = { ...this.#offer, tools };
  }

  /** Reads one kind again; if that fails, the known items stay. */
  async read(client: Client, kind: OfferKind): Promise<void> {
    if (client.getServerCapabilities()?.[kind] === undefined) return this.forget(kind);
    const { refused, ...read } = await this.#readKind(client, kind);
    this.#offer = { ...this.#offer, ...read };
    this.#refused.set(kind, refused);
  }

  /** For a server that has no items of a kind, or cannot list them. */
  forget(kind: OfferKind): void {
    this.#refused.delete(kind);
    this.#offer = { ...this.#offer, ...NONE[kind] };
  }

  async #readKind(
    client: Client,
    kind: OfferKind,
  ): Promise<Partial<Offer> & Pick<Reading<unknown>, "refused">> {
    if (kind === "tools") return await readTools(client, this.#names);
    if (kind === "prompts") {
      const { items: prompts, refused } = await readPrompts(client);
      return { prompts, refused };
    }
    const [resources, templates] = await Promise.all([
      readResources(client),
      // A server may have resources and answer "method not found" for templates.
      readTemplates(client).catch(() => ({ items: [], refused: [] })),
    ]);
    const refused = [...resources.refused, ...templates.refused];
    return { resources: resources.items, templates: templates.items, refused };
  }
}
