/**
 * The searchable items, kept up to date.
 *
 * Changes are applied at the next search, in parts, so that reading a hundred thousand capabilities from the store does
 * not block other work.
 *
 * @module
 */
import type { Capability } from "../registry/capability.js";
import type { CapabilityDirectory } from "../registry/capability-directory.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { ToolId } from "../registry/tool-id.js";

export interface CatalogueTool {
  readonly id: ToolId;
  /** The server's self-description. */
  readonly about?: string;
  /** Changes whenever another field of the tool changes. */
  readonly hash: string;
}

export interface CatalogueSources<Tool extends CatalogueTool> {
  readonly directory: CapabilityDirectory;
  /** The same list object until something changes. */
  readonly tools: () => readonly Tool[];
}

/** Notified of every present item, and of every removed one. */
export interface CatalogueListener<Tool extends CatalogueTool> {
  tool(id: ToolId, tool: Tool | undefined): void;
  capability(fqdn: Fqdn, capability: Capability | undefined): void;
  /** Whether a changed capability differs for this listener; default: it always does. */
  isOther?(before: Capability, after: Capability): boolean;
  /** Does one step of the work that follows from changed tools; false if there was none. */
  follow?(): boolean;
  /** Called when there are changes to apply; not for tools, whose changes are unknown until they are compared. */
  changed?(): void;
}

/** A time limit instead of a number, because one text may take a hundred times as long as another. */
const AT_ONCE_MS = 5;

export class Catalogue<Tool extends CatalogueTool> {
  readonly #sources: CatalogueSources<Tool>;
  readonly #listener: CatalogueListener<Tool>;
  readonly #tools = new Map<ToolId, Tool>();
  /** Changes that the listener does not know yet; undefined for a removed tool. */
  readonly #changedTools = new Map<ToolId, Tool | undefined>();
  readonly #changed = new Set<Fqdn>();
  readonly #stopListening: () => void;
  #list: readonly Tool[] = [];

  constructor(sources: CatalogueSources<Tool>, listener: CatalogueListener<Tool>) {
    this.#sources = sources;
    this.#listener = listener;
    const { directory } = sources;
    for (const { fqdn } of directory.all()) this.#changed.add(fqdn);
    this.#stopListening = directory.onChange(({ before, after }) => {
      const fqdn = (after ?? before)?.fqdn;
      if (fqdn === undefined || (before && after && listener.isOther?.(before, after) === false)) return;
      this.#changed.add(fqdn);
      listener.changed?.();
    });
  }

  /** The tool at the last comparison. */
  toolOf(id: ToolId): Tool | undefined {
    return this.#tools.get(id);
  }

  /** Reports this tool once more, if it is present. */
  touchTool(id: ToolId): void {
    const tool = this.#tools.get(id);
    if (tool === undefined) return;
    this.#changedTools.set(id, tool);
    this.#listener.changed?.();
  }

  /** Reports everything once more, at the next update. */
  forget(): void {
    for (const [id, tool] of this.#tools) this.#changedTools.set(id, tool);
    for (const { fqdn } of this.#sources.directory.all()) this.#changed.add(fqdn);
  }

  /** Notifies the listener of all changes: a few before this returns, and the rest later. */
  async takeOver(): Promise<void> {
    this.#compareTools();
    const { directory } = this.#sources;
    const listener = this.#listener;
    let since = performance.now();
    const isLong = () => performance.now() - since >= AT_ONCE_MS;
    const giveWay = async () => {
      await new Promise(setImmediate);
      since = performance.now();
    };
    // Each change is applied in one step, so a search that comes in between applies the rest and does not
    // wait.
    for (const [id, tool] of this.#changedTools) {
      this.#changedTools.delete(id);
      listener.tool(id, tool);
      if (isLong()) await giveWay();
    }
    while (listener.follow?.() === true) if (isLong()) await giveWay();
    for (const fqdn of this.#changed) {
      this.#changed.delete(fqdn);
      listener.capability(fqdn, directory.get(fqdn));
      if (isLong()) await giveWay();
    }
  }

  stop(): void {
    this.#stopListening();
  }

  #compareTools(): void {
    const tools = this.#sources.tools();
    if (tools === this.#list) return;
    this.#list = tools;
    const gone = new Set(this.#tools.keys());
    for (const tool of tools) {
      gone.delete(tool.id);
      const known = this.#tools.get(tool.id);
      this.#tools.set(tool.id, tool);
      if (known?.hash !== tool.hash || known.about !== tool.about) this.#changedTools.set(tool.id, tool);
    }
    for (const id of gone) {
      this.#tools.delete(id);
      this.#changedTools.set(id, undefined);
    }
  }
}
