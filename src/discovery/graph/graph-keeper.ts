/**
 * Keeps the graph up to date while tools and capabilities come and go, runs end, and other gateways learn.
 *
 * The store only has what cannot be computed again: how often one node followed another. All other edges follow from
 * records, code and schemas, which every gateway has anyway. So a starting gateway reads the strongest sequences in one
 * query, and there is nothing else to synchronise.
 *
 * Several gateways add to the same rows. Each one regularly reads what others have added and takes over the sums, so
 * reading a row twice does no harm. A gateway knows its own runs at once.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { Log } from "../../base/log.js";
import { messageOf } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import { fqdnOfRef } from "../../registry/capability-ref.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type {
  CodeLinks,
  GraphNode,
  GraphStore,
  ObservedSequence,
  SchemaLinks,
} from "../../registry/tool-graph.js";
import { isOperationId, type ToolId } from "../../registry/tool-id.js";
import { Catalogue, type CatalogueSources, type CatalogueTool } from "../catalogue.js";
import { addUses, FORGOTTEN_USES, periodOf } from "./edge-weights.js";
import { type CapabilityFacts, ToolGraph } from "./tool-graph.js";

export interface GraphTool extends CatalogueTool {
  readonly inputSchema: Json;
}

export interface GraphSources<Tool extends GraphTool> extends CatalogueSources<Tool> {
  /** The same object until something changes. */
  readonly outputSchemaOf: (tool: Tool) => Json | undefined;
  /** The links in the code of these capabilities, if the code is available. */
  readonly codeOf: (capabilities: readonly Capability[]) => Promise<ReadonlyMap<Fqdn, CodeLinks>>;
  readonly schemas: SchemaLinks;
  readonly store: GraphStore;
  readonly log: Log;
  readonly now?: () => number;
  readonly graph?: ToolGraph;
}

/** Takes a few milliseconds. */
const SEQUENCES_AT_ONCE = 2_000;
const CODE_AT_ONCE = 100;
/** A store that does not answer is not asked again with every request. */
const READ_AGAIN_MS = 10_000;
/**
 * Maximum number of sequences that are read at the start, and of new sequences from other gateways that are read at a
 * time.
 */
const LOADED = 200_000;
const NEWS = 20_000;
/** Longer names do not fit into an index of the store, so their sequences are not recorded. */
const NODE_CHARS = 500;
/** Pairs that wait to be written; the oldest are dropped. */
const WAITING = 10_000;

export class GraphKeeper<Tool extends GraphTool = GraphTool> {
  readonly graph: ToolGraph;
  readonly #sources: GraphSources<Tool>;
  readonly #now: () => number;
  readonly #catalogue: Catalogue<Tool>;
  /** The output schemas that the graph was built with. */
  readonly #outputs = new Map<ToolId, Json | undefined>();
  /** Tools whose links must be computed again. */
  readonly #unlinked = new Set<ToolId>();
  /** Capabilities whose code must be read. */
  readonly #unread = new Set<Fqdn>();
  readonly #code = new Map<Fqdn, { readonly version: number; readonly links: CodeLinks }>();
  #waiting = new Map<string, ObservedSequence>();
  #mark: Date | undefined;
  #exchange: Promise<void> = Promise.resolve();
  #reading: Promise<void> | undefined;
  #readAgainAt = 0;

  constructor(sources: GraphSources<Tool>) {
    this.#sources = sources;
    this.#now = sources.now ?? Date.now;
    this.graph = sources.graph ?? new ToolGraph();
    this.#catalogue = new Catalogue(sources, {
      tool: (id, tool) => this.#setTool(id, tool),
      follow: () => this.#linkOne(),
      capability: (fqdn, capability) => this.#setCapability(fqdn, capability),
    });
  }

  /** Applies changes: a few before this returns, and the rest in the background. Never rejects. */
  async catchUp(): Promise<void> {
    try {
      await this.ready();
    } catch (error) {
      this.#sources.log.warn("graph.not_ready", { message: messageOf(error) });
    }
  }

  /** Resolves when the graph has the current tools and capabilities; the code of new ones is read meanwhile. */
  async ready(): Promise<void> {
    await this.#catalogue.takeOver();
    if (this.#unread.size > 0 && this.#now() >= this.#readAgainAt) this.#reading ??= this.#readCode();
  }

  /** A tool has answered: more may be known about its results. */
  answered(id: ToolId): void {
    const tool = this.#catalogue.toolOf(id);
    if (tool === undefined || !this.#outputs.has(id)) return;
    if (this.#sources.outputSchemaOf(tool) !== this.#outputs.get(id)) this.#catalogue.touchTool(id);
  }

  /** Records nodes that followed one another, each with its predecessor. */
  followed(pairs: readonly (readonly [GraphNode, GraphNode])[], at: number = this.#now()): void {
    const period = periodOf(at);
    for (const [from, to] of pairs) {
      if (from.length > NODE_CHARS || to.length > NODE_CHARS) continue;
      const seen: ObservedSequence = { from, to, uses: 1, period };
      this.graph.see(seen);
      const key = pairKey(seen);
      const known = this.#waiting.get(key);
      if (known === undefined && this.#waiting.size >= WAITING) continue;
      this.#waiting.set(key, { from, to, ...(known === undefined ? seen : addUses(known, seen)) });
    }
  }

  /** Writes new local data, then reads new data of other gateways; all data, the first time. Never rejects. */
  exchange(): Promise<void> {
    this.#exchange = this.#exchange
      .then(() => this.#exchangeNow())
      .catch((error: unknown) => {
        this.#sources.log.warn("graph.not_exchanged", { message: messageOf(error) });
      });
    return this.#exchange;
  }

  /** Resolves when the code of all capabilities in the graph was read, as far as possible. */
  async codeRead(): Promise<void> {
    await this.ready();
    while (this.#reading !== undefined) await this.#reading;
  }

  /** Deletes uses that are too old to count. */
  async prune(): Promise<number> {
    const period = periodOf(this.#now());
    this.graph.forget(period);
    return await this.#sources.store.prune(period, FORGOTTEN_USES);
  }

  /** Writes the remaining data. */
  async stop(): Promise<void> {
    this.#catalogue.stop();
    await this.#reading;
    await this.exchange();
  }

  async #exchangeNow(): Promise<void> {
    const { store } = this.#sources;
    const waiting = this.#waiting;
    this.#waiting = new Map();
    try {
      if (waiting.size > 0) await store.add([...waiting.values()]);
    } catch (error) {
      for (const [key, one] of waiting) {
        const newer = this.#waiting.get(key);
        this.#waiting.set(key, newer === undefined ? one : { ...one, ...addUses(one, newer) });
      }
      throw error;
    }
    const page = this.#mark === undefined ? await store.load(LOADED) : await store.since(this.#mark, NEWS);
    for (const [index, one] of page.observed.entries()) {
      const waits = this.#waiting.get(pairKey(one));
      this.graph.setUses(waits === undefined ? one : { ...one, ...addUses(one, waits) });
      if (index % SEQUENCES_AT_ONCE === 0) await new Promise(setImmediate);
    }
    this.#mark = page.mark;
  }

  #setTool(id: ToolId, tool: Tool | undefined): void {
    const { schemas, outputSchemaOf } = this.#sources;
    if (tool === undefined) {
      this.#outputs.delete(id);
      schemas.remove(id);
      this.graph.removeTool(id);
      return;
    }
    const { inputSchema } = tool;
    const outputSchema = outputSchemaOf(tool);
    this.#outputs.set(id, outputSchema);
    schemas.put(id, inputSchema, outputSchema);
    this.graph.putTool(id, { inputSchema, outputSchema });
  }

  /** Not for each tool immediately: a thousand new tools change one another's links a thousand times. */
  #linkOne(): boolean {
    const { schemas } = this.#sources;
    for (const id of schemas.takeChanged()) this.#unlinked.add(id);
    const [id] = this.#unlinked;
    if (id === undefined) return false;
    this.#unlinked.delete(id);
    this.graph.setProvided(id, schemas.linksFrom(id));
    return true;
  }

  #setCapability(fqdn: Fqdn, capability: Capability | undefined): void {
    if (capability === undefined) {
      this.#code.delete(fqdn);
      this.#unread.delete(fqdn);
      this.graph.removeCapability(fqdn);
      return;
    }
    const code = this.#code.get(fqdn);
    if (code?.version !== capability.version) this.#unread.add(fqdn);
    this.graph.putCapability(fqdn, this.#factsOf(capability));
  }

  #factsOf({ fqdn, version, toolsUsed, dependencies, usageCount, lastUsedAt }: Capability): CapabilityFacts {
    const code = this.#code.get(fqdn);
    const period = periodOf(lastUsedAt?.getTime() ?? 0);
    return {
      tools: toolsUsed.filter((id) => !isOperationId(id)),
      calls: [...new Set(dependencies.map(fqdnOfRef))],
      uses: { uses: usageCount, period },
      code: code?.version === version ? code.links : undefined,
    };
  }

  async #readCode(): Promise<void> {
    const { directory, codeOf, log } = this.#sources;
    let fqdns: readonly Fqdn[] = [];
    try {
      // The caller continues first.
      await new Promise(setImmediate);
      while (this.#unread.size > 0) {
        fqdns = [...this.#unread].slice(0, CODE_AT_ONCE);
        for (const fqdn of fqdns) this.#unread.delete(fqdn);
        const capabilities = fqdns.flatMap((fqdn) => directory.get(fqdn) ?? []);
        const read = await codeOf(capabilities);
        for (const { fqdn, version } of capabilities) {
          const links = read.get(fqdn);
          if (links === undefined) continue;
          this.#code.set(fqdn, { version, links });
          this.#setCapability(fqdn, directory.get(fqdn));
        }
      }
    } catch (error) {
      // Added at the end again, so that code that can never be read does not block the rest.
      for (const fqdn of fqdns) this.#unread.add(fqdn);
      this.#readAgainAt = this.#now() + READ_AGAIN_MS;
      log.warn("graph.code_not_read", { message: messageOf(error) });
    } finally {
      this.#reading = undefined;
    }
  }
}

function pairKey({ from, to }: Pick<ObservedSequence, "from" | "to">): string {
  return JSON.stringify([from, to]);
}
