/**
 * Takes what somebody may not see out of texts that they may see: code, graphs, traces and messages of a capability that
 * calls a private one name it by FQDN, id, name and former names.
 *
 * @module
 */
import type { Capability, CapabilityVersion } from "./capability.js";
import type { Scope } from "./scope.js";
import { canSee, hiddenName } from "./visibility.js";

type Named = Pick<
  Capability,
  "fqdn" | "id" | "displayName" | "aliases" | "visibility" | "org" | "project" | "creators"
>;

/** What may stand between the parts of a name in code: `a.b`, `a["b"]`, `a:b`. */
const BETWEEN = "[\\s?.:[\\]\"'`]{1,6}";

export class HiddenNames {
  readonly #pattern: RegExp | undefined;

  /** Of all that are given, or of those that `asker` may not see. */
  constructor(capabilities: Iterable<Named>, asker?: Scope) {
    const hidden = [...capabilities].filter((one) => asker === undefined || !canSee(one, asker));
    const patterns = hidden.flatMap(patternsOf);
    this.#pattern =
      patterns.length === 0
        ? undefined
        : new RegExp(`(?<![A-Za-z0-9_-])(?:${patterns.join("|")})(?![A-Za-z0-9_-])`, "gi");
  }

  get isEmpty(): boolean {
    return this.#pattern === undefined;
  }

  in(text: string, instead = hiddenName): string {
    return this.#pattern === undefined ? text : text.replace(this.#pattern, () => instead);
  }

  /** A copy of JSON with every string in it so; keys stay as they are. */
  everywhere<T>(value: T): T {
    return this.isEmpty ? value : (this.#every(value) as T);
  }

  /** The code of a version: as it was written, or as it was saved where that would name what is hidden. */
  code({ code, savedCode }: Pick<CapabilityVersion, "code" | "savedCode">): string {
    return this.in(code) === code ? code : this.in(savedCode);
  }

  #every(value: unknown): unknown {
    if (typeof value === "string") return this.in(value);
    if (Array.isArray(value)) return value.map((item) => this.#every(item));
    if (typeof value !== "object" || value === null || value instanceof Date) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.#every(item)]));
  }
}

function patternsOf({ fqdn, id, displayName, aliases }: Named): readonly string[] {
  const label = fqdn.slice(0, fqdn.lastIndexOf("."));
  return [
    `${escaped(label)}(?:\\.[0-9a-f]+)?(?:@\\d+)?`,
    escaped(id),
    ...[displayName, ...aliases].map(namePattern),
  ];
}

/** However it is spelled. A name without a namespace is a word like any other, but behind `mcp` or in quotes. */
function namePattern(name: string): string {
  const parts = name.split(":").map((part) => [...part.replace(/[-_]/g, "")].map(escaped).join("[-_]?"));
  if (parts.length > 1) return parts.join(BETWEEN);
  return `(?:(?:mcp|capabilities)${BETWEEN}|(?<=["'\`]))${parts[0]}`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
