/**
 * The rules for who may see a capability and who may change its record.
 *
 * @module
 */

import { PmlError } from "../base/pml-error.js";
import type { Capability, CapabilityVersion } from "./capability.js";
import type { Scope } from "./scope.js";

/** The form of creators: `user@org`. */
export function creatorOf({ user, org }: Scope): string {
  return `${user}@${org}`;
}

/** The user in a text from {@link creatorOf}: user names may contain an `@`, org names may not. */
export function userIn(creator: string): string {
  return creator.slice(0, creator.lastIndexOf("@"));
}

/** For a capability that a session may not see, it gets the same "not found" as for a missing one. */
export function canSee(
  { visibility, org, project, creators }: Pick<Capability, "visibility" | "org" | "project" | "creators">,
  scope: Scope,
): boolean {
  switch (visibility) {
    case "public":
      return true;
    case "org":
      return org === scope.org;
    case "project":
      return org === scope.org && project === scope.project;
    case "private":
      return creators.includes(creatorOf(scope));
  }
}

/** Replaces the name of a capability that the caller may not see. */
export const hiddenName = "(a capability of another user)";

/**
 * The name of a capability as shown to this user. Code may call capabilities that the user may not see; the
 * user sees only that it does.
 */
export function shownName(
  capability: Pick<Capability, "visibility" | "org" | "project" | "creators" | "displayName">,
  scope: Scope,
): string {
  return canSee(capability, scope) ? capability.displayName : hiddenName;
}

/** A session of the same project, or a creator; in both cases only for capabilities that the session can see. */
export function mayChange(
  capability: Pick<Capability, "visibility" | "org" | "project" | "creators">,
  scope: Scope,
): boolean {
  if (!canSee(capability, scope)) return false;
  const isInProject = capability.org === scope.org && capability.project === scope.project;
  return isInProject || capability.creators.includes(creatorOf(scope));
}

/** Throws `NOT_ALLOWED` if the session may see a capability but not change it. */
export function refuseChange(capability: Capability, scope: Scope): void {
  if (mayChange(capability, scope)) return;
  const { displayName, org, project } = capability;
  throw new PmlError(
    "NOT_ALLOWED",
    `${displayName} belongs to ${org}.${project}: only its creator or a session of that project may change it`,
    { hint: "cap_fork copies it into your own project, where you can change it." },
  );
}

type Named = Pick<
  Capability,
  "fqdn" | "id" | "displayName" | "aliases" | "visibility" | "org" | "project" | "creators"
>;

/** Characters between the parts of a name in code: `a.b`, `a["b"]`, `a:b`. */
const BETWEEN = "[\\s?.:[\\]\"'`]{1,6}";

/**
 * Removes names that the asker may not see from texts that the asker may see: code, graphs, traces and messages of a
 * capability that calls a private one contain its FQDN, id, name and former names.
 */
export class HiddenNames {
  readonly #pattern: RegExp | undefined;

  /** Hides the names of all given capabilities, or only of those that `asker` may not see. */
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

  /** A copy of JSON with the names removed from every string; keys stay. */
  everywhere<T>(value: T): T {
    return this.isEmpty ? value : (this.#every(value) as T);
  }

  /** The code of a version: as written, or as saved if the written form would reveal hidden names. */
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

/** Matches any spelling. A name without a namespace is an ordinary word, unless it follows `mcp` or is in quotes. */
function namePattern(name: string): string {
  const parts = name.split(":").map((part) => [...part.replace(/[-_]/g, "")].map(escaped).join("[-_]?"));
  if (parts.length > 1) return parts.join(BETWEEN);
  return `(?:(?:mcp|capabilities)${BETWEEN}|(?<=["'\`]))${parts[0]}`;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
