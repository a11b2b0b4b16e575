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
  #refused: readonly string[] = [];

  get tools(): readonly OfferedTool[] {
    return this.#tools;
  }

  /** `name: reason` of each tool that was left out. */
  get refused(): readonly string[] {
    return this.#refused;
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
    else if (kind === "prompts") this.#prompts = await readPrompts(client);
    else await this.#readResources(client);
  }

  /** For a server that has nothing of a kind, or cannot say what it has. */
  forget(kind: OfferKind): void {
    if (kind === "prompts") this.#prompts = [];
    else if (kind === "resources") {
      this.#resources = [];
      this.#templates = [];
    } else {
      this.#tools = [];
      this.#refused = [];
    }
  }

  async #readTools(client: Client): Promise<void> {
    const { tools, refused } = await readTools(client);
    this.#tools = tools;
    this.#refused = refused;
  }

  async #readResources(client: Client): Promise<void> {
    const [resources, templates] = await Promise.all([
      readResources(client),
      // A server may have resources and answer "method not found" to templates.
      readTemplates(client).catch(() => []),
    ]);
    this.#resources = resources;
    this.#templates = templates;
  }
}
