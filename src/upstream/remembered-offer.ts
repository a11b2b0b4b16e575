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
  #instructions: string | undefined;
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
      ...(this.#instructions === undefined ? {} : { instructions: this.#instructions }),
    };
  }

  /** Takes tools from before, until the server itself is read. */
  remember(tools: readonly OfferedTool[]): void {
    this.#tools = tools;
  }

  async read(client: Client, kinds: readonly OfferKind[]): Promise<void> {
    const offered = client.getServerCapabilities() ?? {};
    this.#instructions = client.getInstructions();
    await Promise.all([
      kinds.includes("tools") ? this.#readTools(client, offered.tools !== undefined) : undefined,
      kinds.includes("prompts") ? this.#readPrompts(client, offered.prompts !== undefined) : undefined,
      kinds.includes("resources") ? this.#readResources(client, offered.resources !== undefined) : undefined,
    ]);
  }

  async #readTools(client: Client, isOffered: boolean): Promise<void> {
    const { tools, refused } = isOffered ? await readTools(client) : { tools: [], refused: [] };
    this.#tools = tools;
    this.#refused = refused;
  }

  async #readPrompts(client: Client, isOffered: boolean): Promise<void> {
    this.#prompts = isOffered ? await readPrompts(client) : [];
  }

  async #readResources(client: Client, isOffered: boolean): Promise<void> {
    const [resources, templates] = await Promise.all([
      isOffered ? readResources(client) : [],
      // A server may have resources and answer "method not found" to templates.
      isOffered ? readTemplates(client).catch(() => []) : [],
    ]);
    this.#resources = resources;
    this.#templates = templates;
  }
}
