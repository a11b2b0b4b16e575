/**
 * Finds the server of each resource address.
 *
 * Servers can list anything, including other servers' addresses. If two list the same address or template, the first in
 * the configuration owns it. The directory decides about an unlisted address: it belongs to the server that lists
 * resources there, otherwise to the template or the resources with the most specific fixed beginning. A template never
 * takes addresses out of a directory in which only other servers list resources.
 *
 * @module
 */
import type { Resource, ResourceTemplateType } from "@modelcontextprotocol/server";
import { PmlError } from "../base/pml-error.js";
import type { ServerOffer } from "../mcp/real-servers.js";
import type { ServerName } from "../registry/tool-id.js";

/** Schemes that do not identify a server: many serve files and pages. */
const SHARED_SCHEMES: ReadonlySet<string> = new Set(["file:", "http:", "https:"]);

interface HeldTemplate {
  readonly server: ServerName;
  readonly template: ResourceTemplateType;
  /** The directory of the part before its first expression. */
  readonly directory: string;
}

interface Claim {
  readonly server: ServerName;
  readonly directory: string;
  readonly isListed: boolean;
}

export class ResourceAddresses {
  readonly #resources = new Map<string, { readonly server: ServerName; readonly resource: Resource }>();
  readonly #templates = new Map<string, HeldTemplate>();
  /** Servers that list resources in each directory. */
  readonly #listedIn = new Map<string, Set<ServerName>>();
  readonly #refused = new Map<ServerName, string[]>();
  readonly #holders: readonly ServerName[];

  /** `offers` in the order of the configuration. */
  constructor(offers: readonly ServerOffer[]) {
    for (const { server, resources, templates } of offers) {
      for (const resource of resources) this.#addResource(server, resource);
      for (const template of templates) this.#addTemplate(server, template);
    }
    this.#holders = offers
      .filter(({ resources, templates }) => resources.length + templates.length > 0)
      .map(({ server }) => server);
  }

  get resources(): readonly Resource[] {
    return [...this.#resources.values()].map(({ resource }) => resource);
  }

  get templates(): readonly ResourceTemplateType[] {
    return [...this.#templates.values()].map(({ template }) => template);
  }

  /** What a server lists but another server owns: `resource address: reason`. */
  refused(server: ServerName): readonly string[] {
    return this.#refused.get(server) ?? [];
  }

  /** The server that owns `uri`, if any; throws if several have equal claims. */
  serverOf(uri: string): ServerName | undefined {
    const listed = this.#resources.get(uri);
    if (listed !== undefined) return listed.server;
    const here = this.#listedIn.get(directoryOf(uri));
    const claims = this.#templateClaims(uri).filter(({ server }) => here?.has(server) !== false);
    const isOffered = claims.length > 0;
    if (here !== undefined && claims.length === 0)
      for (const server of here) claims.push({ server, directory: "", isListed: true });
    else if (here === undefined) claims.push(...this.#listingClaims(uri));
    const best = bestOf(claims);
    if (best.length === 1) return best[0];
    if (best.length > 1 && isOffered) throw ambiguous(uri, best);
    return this.#holders.length === 1 ? this.#holders[0] : undefined;
  }

  /** The server that declares exactly this template. */
  serverOfTemplate(uriTemplate: string): ServerName | undefined {
    return this.#templates.get(uriTemplate)?.server;
  }

  #addResource(server: ServerName, resource: Resource): void {
    const { uri } = resource;
    const held = this.#resources.get(uri);
    if (held !== undefined) {
      this.#refuse(server, `resource ${uri}`, held.server);
      return;
    }
    this.#resources.set(uri, { server, resource });
    // A server that lists any resource of a scheme has the weakest claim on the whole scheme.
    for (const claimed of new Set([directoryOf(uri), schemeOf(uri)])) {
      if (SHARED_SCHEMES.has(claimed)) continue;
      const servers = this.#listedIn.get(claimed) ?? new Set();
      this.#listedIn.set(claimed, servers.add(server));
    }
  }

  #addTemplate(server: ServerName, template: ResourceTemplateType): void {
    const { uriTemplate } = template;
    const held = this.#templates.get(uriTemplate);
    if (held !== undefined) {
      this.#refuse(server, `template ${uriTemplate}`, held.server);
      return;
    }
    const [beginning = ""] = uriTemplate.split("{");
    this.#templates.set(uriTemplate, { server, template, directory: directoryOf(beginning) });
  }

  #refuse(server: ServerName, what: string, holder: ServerName): void {
    if (holder === server) return;
    const reasons = this.#refused.get(server) ?? [];
    this.#refused.set(server, reasons);
    reasons.push(`${what}: it belongs to server "${holder}", which comes first in the configuration`);
  }

  #templateClaims(uri: string): Claim[] {
    return [...this.#templates.values()]
      .filter(({ template }) => matchesTemplate(template.uriTemplate, uri))
      .map(({ server, directory }) => ({ server, directory, isListed: false }));
  }

  /** The claims of servers that list resources in a parent directory. */
  #listingClaims(uri: string): readonly Claim[] {
    const claims: Claim[] = [];
    let directory = directoryOf(uri);
    for (let above = parentOf(directory); above !== directory; above = parentOf(directory)) {
      directory = above;
      for (const server of this.#listedIn.get(directory) ?? [])
        claims.push({ server, directory, isListed: true });
    }
    return claims;
  }
}

/** Servers with the most specific claim; a listed resource counts more than a template. */
function bestOf(claims: readonly Claim[]): readonly ServerName[] {
  const rankOf = ({ directory, isListed }: Claim) => directory.length * 2 + (isListed ? 1 : 0);
  const best = Math.max(...claims.map(rankOf));
  return [...new Set(claims.filter((claim) => rankOf(claim) === best).map(({ server }) => server))];
}

/** `note:`, or an empty text. */
function schemeOf(uri: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.exec(uri)?.[0].toLowerCase() ?? "";
}

/** Everything before the last slash of the path: `note:` of `note://one`, `file:///a` of `file:///a/b?c`. */
function directoryOf(uri: string): string {
  const scheme = schemeOf(uri);
  const [path = ""] = uri.slice(scheme.length).split(/[?#]/);
  return scheme + path.slice(0, path.lastIndexOf("/") + 1).replace(/\/+$/, "");
}

function parentOf(directory: string): string {
  return directoryOf(directory);
}

function ambiguous(uri: string, servers: readonly ServerName[]): PmlError {
  const names = servers.map((server) => `"${server}"`).join(" and ");
  return new PmlError(
    "RESOURCE_AMBIGUOUS",
    `Cannot read resource "${uri.slice(0, 300)}": servers ${names} both offer templates for it`,
    {
      hint: "Read a resource from resources/list, or disable one of the servers in the configuration.",
      data: { uri, servers },
    },
  );
}

// Decides in one pass whether an address could have been made from a URI template (RFC 6570).
//
// Templates come from servers. As regular expressions they could take exponential time, on the thread that serves all
// clients; here the fixed parts are searched in order, each at its first occurrence. This may accept an address that an
// exact match would reject, which only leads to the server's own "not found".

export function matchesTemplate(template: string, uri: string): boolean {
  const [start = "", ...rest] = template.split("{");
  if (!uri.startsWith(start)) return false;
  let at = start.length;
  for (const [index, piece] of rest.entries()) {
    const close = piece.indexOf("}");
    if (close < 0) return false;
    const [operator = ""] = piece;
    const fixed = piece.slice(close + 1);
    const isLast = index === rest.length - 1;
    const end = endOfValue(uri, at, fixed, isLast);
    if (end < at) return false;
    // Only an expression with an operator may contain a slash.
    if (/[\w%]/.test(operator) && uri.slice(at, end).includes("/")) return false;
    at = end + fixed.length;
  }
  return at === uri.length;
}

function endOfValue(uri: string, at: number, fixed: string, isLast: boolean): number {
  if (!isLast) return uri.indexOf(fixed, at);
  return uri.endsWith(fixed) ? uri.length - fixed.length : -1;
}
