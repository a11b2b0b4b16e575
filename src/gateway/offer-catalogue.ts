/**
 * Prompts, resources and templates of all servers, in one order, and which server each belongs to.
 *
 * @module
 */
import type { Prompt, Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import { nearest } from "../base/nearest.js";
import { PmlError } from "../base/pml-error.js";
import { cleanText } from "../mcp/clean-text.js";
import type { ServerOffer } from "../mcp/real-servers.js";
import type { ServerName } from "../registry/tool-id.js";
import { promptWireForm } from "../registry/wire-name.js";
import { inKeyOrder, StableList } from "./pages.js";
import { ResourceAddresses } from "./resource-addresses.js";
import type { ToolInventory } from "./tool-inventory.js";

export interface ListedPrompt {
  readonly server: ServerName;
  /** The server's own name for it. */
  readonly name: string;
  readonly listed: Prompt;
}

export class OfferCatalogue {
  readonly #inventory: Pick<ToolInventory, "offers">;
  readonly #prompts = new StableList<ListedPrompt>();
  readonly #resources = new StableList<Resource>();
  readonly #templates = new StableList<ResourceTemplateType>();
  /** Resources and templates are announced together. */
  readonly #both = new StableList<unknown>();
  #addresses = new ResourceAddresses([]);
  #of: readonly ServerOffer[] | undefined;

  /** `inventory` returns the same object until the offers change. */
  constructor(inventory: Pick<ToolInventory, "offers">) {
    this.#inventory = inventory;
  }

  prompts(): readonly ListedPrompt[] {
    this.#refresh();
    return this.#prompts.items;
  }

  resources(): readonly Resource[] {
    this.#refresh();
    return this.#resources.items;
  }

  templates(): readonly ResourceTemplateType[] {
    this.#refresh();
    return this.#templates.items;
  }

  allResources(): readonly unknown[] {
    this.#refresh();
    return this.#both.items;
  }

  prompt(name: string): ListedPrompt {
    const prompts = this.prompts();
    const found = prompts.find(({ listed }) => listed.name === name);
    if (found !== undefined) return found;
    throw notFound(
      "prompt",
      name,
      prompts.map(({ listed }) => listed.name),
    );
  }

  /** The server that `uri` belongs to, whether it is listed or not. */
  serverOf(uri: string): ServerName {
    this.#refresh();
    const found = this.#addresses.serverOf(uri);
    if (found !== undefined) return found;
    throw notFound(
      "resource",
      uri,
      this.resources().map((resource) => resource.uri),
    );
  }

  /** The server that declares exactly this template. */
  serverOfTemplate(uriTemplate: string): ServerName {
    this.#refresh();
    return this.#addresses.serverOfTemplate(uriTemplate) ?? this.serverOf(uriTemplate);
  }

  /** Resources and templates of a server that are not listed because another server has them, with the reason. */
  refused(server: ServerName): readonly string[] {
    this.#refresh();
    return this.#addresses.refused(server);
  }

  #refresh(): void {
    const current = this.#inventory.offers();
    if (current === this.#of) return;
    this.#of = current;
    const offers = current.toSorted((a, b) => a.place - b.place);
    const servers = new Set<string>(offers.map(({ server }) => server));
    const prompts = offers.flatMap((offer) =>
      offer.prompts.map((prompt) => listedPrompt(offer, prompt, servers)),
    );
    this.#prompts.set(listOf(prompts, ({ listed }) => listed.name));
    this.#addresses = new ResourceAddresses(offers);
    this.#resources.set(inKeyOrder(this.#addresses.resources, ({ uri }) => uri));
    this.#templates.set(inKeyOrder(this.#addresses.templates, ({ uriTemplate }) => uriTemplate));
    this.#both.set([...this.#resources.items, ...this.#templates.items]);
  }
}

/** A bare prompt name that looks like another server's prompt gets its own server's name as prefix, as usual. */
function listedPrompt(
  { server, naming }: ServerOffer,
  prompt: Prompt,
  servers: ReadonlySet<string>,
): ListedPrompt {
  const [claimed = "", ...rest] = prompt.name.split("__");
  const isBare = naming === "bare" && !(rest.length > 0 && servers.has(claimed));
  const label = cleanText(prompt.title ?? prompt.name);
  return {
    server,
    name: prompt.name,
    listed: {
      ...prompt,
      name: isBare ? prompt.name : promptWireForm(server, prompt.name),
      title: naming === "bare" ? label : `${server}: ${label}`,
    },
  };
}

/** If servers offer the same name, the first one in the configuration always wins. */
function listOf<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const first = new Map<string, T>();
  for (const item of items) if (!first.has(keyOf(item))) first.set(keyOf(item), item);
  return inKeyOrder([...first.values()], keyOf);
}

function notFound(what: "prompt" | "resource", name: string, candidates: readonly string[]): PmlError {
  const [like] = nearest(name, candidates, 1);
  return new PmlError(
    what === "prompt" ? "PROMPT_NOT_FOUND" : "RESOURCE_NOT_FOUND",
    `Cannot find ${what} "${name}": no connected server has it`,
    {
      hint: like && `Did you mean "${like}"?`,
      data: what === "resource" ? { uri: name } : { name },
    },
  );
}
