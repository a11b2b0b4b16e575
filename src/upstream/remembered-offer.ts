/**
 * What a server offers, as it was last read or is remembered. It stays while the server is away.
 *
 * @module
 */
import type { Client } from "@modelcontextprotocol/client";
import type { Prompt, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import type { OfferedTool, OfferKind } from "../mcp/real-servers.js";
import { readPrompts, readResources, readTemplates, readTools } from "./read-offer.js";

export class RememberedOffer {
  #tools: readonly OfferedTool[] = [];
  #prompts: readonly Prompt[] = [];
  #resources: readonly Resource[] = [];
  #templates: readonly ResourceTemplateType[] = [];
  /** Every name of a tool that the server has listed. */
  readonly #names = new Set<string>();
  readonly #refused = new Map<OfferKind, readonly string[]>();

  get tools(): readonly OfferedTool[] {
    return this.#tools;
  }

  /** `name: reason` of each tool that was left out, then prompts and resources. */
  get refused(): readonly string[] {
    return (["tools", "prompts", "resources"] as const).flatMap((kind) => this.#refused.get(kind) ?? []);
  }

  view() {
    return {
      tools: this.#tools,
      prompts: this.#prompts,
      resources: this.#resources,
      templates: this.#templates,
    };
  }

  /** Takes tools from before, until the server itself is read. */
  remember(tools: readonly OfferedTool[]): void {
    this.#tools = tools;
  }

  /** Reads one kind anew; where that fails, what was known of it stays. */
  async read(client: Client, kind: OfferKind): Promise<void> {
    const isOffered = client.getServerCapabilities()?.[kind] !== undefined;
    if (!isOffered) this.forget(kind);
    else if (kind === "tools") await this.#readTools(client);
    else if (kind === "prompts") await this.#readPrompts(client);
    else await this.#readResources(client);
  }

  /** For a server that has nothing of a kind, or cannot say what it has. */
  forget(kind: OfferKind): void {
    this.#refused.delete(kind);
    if (kind === "prompts") this.#prompts = [];
    else if (kind === "resources") {
      this.#resources = [];
      this.#templates = [];
    } else this.#tools = [];
  }

  async #readTools(client: Client): Promise<void> {
    const { tools, refused } = await readTools(client, this.#names);
    this.#tools = tools;
    this.#refused.set("tools", refused);
  }

  async #readPrompts(client: Client): Promise<void> {
    const { items, refused } = await readPrompts(client);
    this.#prompts = items;
    this.#refused.set("prompts", refused);
  }

  async #readResources(client: Client): Promise<void> {
    const [resources, templates] = await Promise.all([
      readResources(client),
      // A server may have resources and answer "method not found" to templates.
      readTemplates(client).catch(() => ({ items: [], refused: [] })),
    ]);
    this.#resources = resources.items;
    this.#templates = templates.items;
    this.#refused.set("resources", [...resources.refused, ...templates.refused]);
  }
}
