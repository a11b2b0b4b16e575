/**
 * Parses `mcp-permissions.yaml` and validates each key, with its line.
 *
 * It reads the nodes of the document, never a JavaScript object: names in the file are arbitrary, and nothing is
 * expanded. Anchors, aliases, tags and merge keys, which the file does not need, are rejected.
 *
 * @module
 */
import { createRequire } from "node:module";
import type { Node, ParsedNode } from "yaml";
import { defined } from "../base/defined.js";
import { nearest } from "../base/nearest.js";
import type { PmlError } from "../base/pml-error.js";
import {
  APPROVAL_MODES,
  type PermissionEntry,
  type Permissions,
  type ServerPermissions,
} from "../execution/prepare/approval-policy.js";
import { type PermissionsFile, permissionsProblem } from "./permissions-file.js";

type Yaml = typeof import("yaml");
const load = createRequire(import.meta.url);
let loaded: Yaml | undefined;

/** The parser. It takes longer to load than a client takes to join, so it is loaded when it is first needed. */
function yaml(): Yaml {
  loaded ??= load("yaml") as Yaml;
  return loaded;
}

const ROUTINGS = ["local", "cloud"] as const;
/** The maximum of the parser's message, which may quote the file at length. */
const MESSAGE_CHARS = 160;

/** Throws `CONFIG_INVALID` naming file, line, key and what was expected. */
export function parsePermissions(source: PermissionsFile): Permissions {
  return new Reader(source).permissions();
}

/** The values of a mapping by their keys, with the position of each key. */
type Fields = ReadonlyMap<string, { readonly node: Node | null; readonly at: Node }>;

class Reader {
  readonly #source: PermissionsFile;
  readonly #lines = new (yaml().LineCounter)();

  constructor(source: PermissionsFile) {
    this.#source = source;
  }

  permissions(): Permissions {
    const root = this.#fields(this.#document(), "");
    this.#known(root, "", ["defaults", "servers"]);
    const defaults = this.#below(root, "defaults", "");
    this.#known(defaults, "defaults", ["approvalMode", "routing"]);
    const servers = this.#below(root, "servers", "");
    return {
      defaults: this.#entry(defaults, "defaults"),
      servers: new Map([...servers.keys()].map((name) => [name, this.#server(servers, name)])),
    };
  }

  #server(servers: Fields, name: string): ServerPermissions {
    const key = `servers.${name}`;
    const fields = this.#below(servers, name, "servers");
    this.#known(fields, key, ["approvalMode", "routing", "trusted", "tools"]);
    const trusted = this.#value(fields, key, "trusted", [true, false]);
    const tools = this.#below(fields, "tools", key);
    return {
      ...this.#entry(fields, key),
      ...defined({ trusted }),
      tools: new Map([...tools.keys()].map((tool) => [tool, this.#tool(tools, tool, `${key}.tools`)])),
    };
  }

  #tool(tools: Fields, name: string, parent: string): Pick<PermissionEntry, "approvalMode"> {
    const key = `${parent}.${name}`;
    const fields = this.#below(tools, name, parent);
    this.#known(fields, key, ["approvalMode"]);
    const approvalMode = this.#value(fields, key, "approvalMode", APPROVAL_MODES);
    return approvalMode === undefined ? {} : { approvalMode };
  }

  #entry(fields: Fields, key: string): PermissionEntry {
    const approvalMode = this.#value(fields, key, "approvalMode", APPROVAL_MODES);
    const routing = this.#value(fields, key, "routing", ROUTINGS);
    return {
      ...defined({ approvalMode, routing }),
    };
  }

  #document(): ParsedNode | null {
    const document = yaml().parseDocument(this.#source.text, {
      // Explicit, so that no directive in the file changes the meaning of words.
      schema: "core",
      merge: false,
      // It would compare every pair of keys; the map below does the check.
      uniqueKeys: false,
      lineCounter: this.#lines,
      prettyErrors: false,
    });
    const [fault] = [...document.errors, ...document.warnings];
    if (fault === undefined) return document.contents;
    const why = fault.code === "MULTIPLE_DOCS" ? "expected one document" : short(fault.message);
    throw this.#problem(`it is not valid YAML: ${why}`, "", fault.pos[0]);
  }

  #below(fields: Fields, name: string, parent: string): Fields {
    const field = fields.get(name);
    return field === undefined ? new Map() : this.#fields(field.node, join(parent, name), field.at);
  }

  /** The fields of a mapping; empty if the node is empty. */
  #fields(node: Node | null, key: string, at: Node | null = node): Fields {
    if (node === null || (yaml().isScalar(node) && node.value === null && plain(node))) return new Map();
    this.#refuseOddities(node, key);
    if (!yaml().isMap(node))
      throw this.#problem(`expected a mapping, found ${kindOf(node)}`, key, offset(at));
    const fields = new Map<string, { readonly node: Node | null; readonly at: Node }>();
    for (const { key: name, value } of node.items) {
      if (!yaml().isScalar(name)) throw this.#problem("expected a name as a key", key, offset(at));
      this.#refuseOddities(name, key);
      // The source text, because a server may be called 9.
      const text = name.source ?? String(name.value);
      const path = join(key, text);
      if (fields.has(text))
        throw this.#problem(`the key ${JSON.stringify(text)} appears twice`, path, offset(name));
      fields.set(text, { node: yaml().isNode(value) ? value : null, at: name });
    }
    return fields;
  }

  #known(fields: Fields, parent: string, known: readonly string[]): void {
    for (const [name, { at }] of fields) {
      if (known.includes(name)) continue;
      const [like] = nearest(name, known, 1);
      const offer = like === undefined ? `: expected ${known.join(", ")}` : `, did you mean "${like}"?`;
      throw this.#problem(`unknown key ${JSON.stringify(name)}${offer}`, join(parent, name), offset(at));
    }
  }

  #value<T extends string | boolean>(
    fields: Fields,
    parent: string,
    name: string,
    allowed: readonly T[],
  ): T | undefined {
    const field = fields.get(name);
    if (field === undefined) return undefined;
    const { node, at } = field;
    const key = join(parent, name);
    if (node !== null) this.#refuseOddities(node, key);
    const found = allowed.find((value) => yaml().isScalar(node) && node.value === value);
    if (found !== undefined) return found;
    throw this.#problem(`expected ${listed(allowed)}, found ${kindOf(node)}`, key, offset(at));
  }

  #refuseOddities(node: Node, key: string): void {
    if (yaml().isAlias(node)) throw this.#problem("aliases are not allowed", key, offset(node));
    if ("anchor" in node && node.anchor !== undefined)
      throw this.#problem("anchors are not allowed", key, offset(node));
    if (node.tag !== undefined) throw this.#problem("tags are not allowed", key, offset(node));
  }

  #problem(why: string, key: string, at: number | undefined): PmlError {
    const line = at === undefined ? undefined : this.#lines.linePos(at).line;
    return permissionsProblem(this.#source.file, why, {
      ...(key === "" ? {} : { key }),
      ...(line === undefined || line === 0 ? {} : { line }),
    });
  }
}

function join(parent: string, name: string): string {
  return parent === "" ? name : `${parent}.${name}`;
}

function offset(node: Node | null): number | undefined {
  return node?.range?.[0];
}

function plain(node: Node): boolean {
  return node.tag === undefined && !("anchor" in node && node.anchor !== undefined);
}

function kindOf(node: Node | null): string {
  if (node === null || (yaml().isScalar(node) && node.value === null)) return "nothing";
  if (yaml().isScalar(node))
    return short(typeof node.value === "string" ? JSON.stringify(node.value) : `${node.source}`);
  return yaml().isMap(node) ? "a mapping" : "a list";
}

function listed(values: readonly unknown[]): string {
  return `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

function short(message: string): string {
  return message.length > MESSAGE_CHARS ? `${message.slice(0, MESSAGE_CHARS)}…` : message;
}
