/**
 * The last list of tools, in a file beside the store, so that the next start can list at once, before the store is open
 * and the servers are connected. It is a copy: the store is the authority, and the file may be deleted.
 *
 * @module
 */
import { join } from "node:path";
import type { Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { readRegularFile } from "../daemon/regular-file.js";
import type { OfferedTool, ServerOffer } from "../mcp/real-servers.js";
import { type ServerName, type ToolId, toolId } from "../registry/tool-id.js";
import type { ToolListState, ToolListStore } from "../registry/tool-list.js";
import { isWireName } from "../registry/wire-name.js";
import type { WireNameEntry } from "../registry/wire-table.js";
import { writeWhole } from "./write-whole.js";

interface RememberedTool {
  readonly hash: string;
  readonly tool: Json;
}

export interface RememberedCatalogue {
  readonly names: readonly WireNameEntry[];
  /** The last listed tools of each server. */
  readonly tools: Readonly<Record<string, readonly RememberedTool[]>>;
  /** The state of lists, for an embedded store only; other stores have more than one gateway. */
  readonly lists?: Readonly<Record<string, RememberedList>> | undefined;
}

/** {@link ToolListState} in JSON. */
interface RememberedList extends Omit<ToolListState, "rankedAt"> {
  readonly rankedAt: string;
}

/** Version of the file format: files of other versions are ignored. */
const VERSION = 1;
const FILE_BYTES = 64 * 1024 * 1024;
const WRITE_MS = 500;

/** Returns undefined if there is no usable file. */
export function readCatalogue(dataDir: string): RememberedCatalogue | undefined {
  try {
    const value: unknown = JSON.parse(readRegularFile(catalogueFile(dataDir), { most: FILE_BYTES }));
    return isCatalogue(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the file atomically, shortly after a change. */
export class CatalogueWriter {
  readonly #dataDir: string;
  readonly #log: Log;
  readonly #take: () => RememberedCatalogue;
  #timer: NodeJS.Timeout | undefined;
  #written = "";

  constructor(dataDir: string, log: Log, take: () => RememberedCatalogue) {
    this.#dataDir = dataDir;
    this.#log = log;
    this.#take = take;
  }

  changed(): void {
    this.#timer ??= setTimeout(() => this.flush(), WRITE_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = JSON.stringify({ version: VERSION, ...this.#take() });
    if (text === this.#written) return;
    const file = catalogueFile(this.#dataDir);
    try {
      writeWhole(file, text);
      this.#written = text;
    } catch (error) {
      this.#log.warn("catalogue.not_written", { message: messageOf(error) });
    }
  }
}

/**
 * The tools of connected servers, and the remembered tools of others: in the form that agents see, which excludes
 * changes that no person has accepted.
 */
export function toolsOf(
  offers: readonly ServerOffer[],
  shown: (id: ToolId, offered: OfferedTool) => OfferedTool = (_, offered) => offered,
): RememberedCatalogue["tools"] {
  const remembered = (server: ServerName, offered: OfferedTool) => {
    const { raw, hash } = shown(toolId(server, offered.tool.name), offered);
    return { hash, tool: raw };
  };
  return Object.fromEntries(
    offers.map(({ server, tools }) => [server, tools.map((tool) => remembered(server, tool))]),
  );
}

/** The state of lists, copied from the store to the file: so the first listing does not wait for the store. */
export class CopiedLists implements ToolListStore {
  readonly #store: ToolListStore;
  readonly #onChange: () => void;
  readonly #states = new Map<string, ToolListState>();
  readonly #isCopy: boolean;

  constructor(store: ToolListStore, remembered: RememberedCatalogue["lists"], onChange: () => void) {
    this.#store = store;
    this.#onChange = onChange;
    this.#isCopy = remembered !== undefined;
    for (const [key, list] of Object.entries(remembered ?? {}))
      this.#states.set(key, { ...list, rankedAt: new Date(list.rankedAt) });
  }

  async load(): Promise<ReadonlyMap<string, ToolListState>> {
    if (this.#isCopy) return new Map(this.#states);
    const loaded = await this.#store.load();
    for (const [key, state] of loaded) if (!this.#states.has(key)) this.#states.set(key, state);
    this.#onChange();
    return loaded;
  }

  save(key: string, state: ToolListState): Promise<void> {
    this.#states.set(key, state);
    this.#onChange();
    return this.#store.save(key, state);
  }

  remembered(): NonNullable<RememberedCatalogue["lists"]> {
    return Object.fromEntries(
      [...this.#states].map(([key, state]) => [key, { ...state, rankedAt: state.rankedAt.toISOString() }]),
    );
  }
}

function catalogueFile(dataDir: string): string {
  return join(dataDir, "catalogue.json");
}

function isCatalogue(value: unknown): value is RememberedCatalogue {
  if (!isJsonObject(value) || value.version !== VERSION || !isJsonObject(value.tools)) return false;
  const { names, tools, lists = {} } = value;
  return (
    Array.isArray(names) &&
    names.every(isNameEntry) &&
    Object.values(tools).every(isToolList) &&
    isJsonObject(lists) &&
    Object.values(lists).every(isList)
  );
}

function isList(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { mode, ranked, fresh, rankedAt } = value;
  const isTime = typeof rankedAt === "string" && !Number.isNaN(Date.parse(rankedAt));
  return (mode === "all" || mode === "lean") && isTime && [ranked, fresh].every(isIds);
}

function isIds(value: unknown): boolean {
  return Array.isArray(value) && value.every((id) => typeof id === "string");
}

function isNameEntry(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value.id === "string" &&
    typeof value.name === "string" &&
    isWireName(value.name)
  );
}

function isToolList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((item) => isJsonObject(item) && typeof item.hash === "string" && isTool(item.tool))
  );
}

function isTool(value: unknown): boolean {
  return isJsonObject(value) && typeof value.name === "string" && isJsonObject(value.inputSchema);
}
