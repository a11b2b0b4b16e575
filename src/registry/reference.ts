/**
 * The forms of a reference to a capability: an FQDN with or without its hash, an explicit scope and a name, a name or
 * an alias, an id; each with an optional version after `@`, and an optional `cap:` prefix.
 *
 * The forms are distinct: only FQDNs and scopes contain dots, and names that look like ids are reserved.
 *
 * @module
 */
import type { Capability } from "./capability.js";
import { type DisplayName, isCapabilityId, isDisplayName } from "./display-name.js";
import { type Fqdn, isFqdn, isFqdnLabel } from "./fqdn.js";
import type { Scope } from "./scope.js";
import { parseVersionSpec, type VersionSpec } from "./version-spec.js";

export type ReferenceTarget<Name extends string = DisplayName> =
  | { readonly kind: "fqdn"; readonly fqdn: Fqdn }
  /** An FQDN without its hash. */
  | { readonly kind: "label"; readonly label: string }
  | { readonly kind: "scoped"; readonly org: string; readonly project: string; readonly name: Name }
  | { readonly kind: "id"; readonly id: string }
  /** A name or an alias in the current scope. */
  | { readonly kind: "name"; readonly name: Name };

export interface Reference<Name extends string = DisplayName> {
  readonly target: ReferenceTarget<Name>;
  /** Default: the latest. */
  readonly version?: VersionSpec;
  /** The reference without its version, as written. */
  readonly text: string;
}

const PREFIX = "cap:";
const SCOPED = /^([a-z0-9_-]+)\.([a-z0-9_-]+):(.+)$/;

/** The name that calls a capability from a scope: prefixed with its own scope, if that is another one. */
export function callName(
  { org, project, displayName }: Pick<Capability, "org" | "project" | "displayName">,
  scope: Pick<Scope, "org" | "project">,
): string {
  const isHere = org === scope.org && project === scope.project;
  return isHere ? displayName : `${org}.${project}:${displayName}`;
}

/** Returns undefined for other forms: to its caller, such a capability does not exist. */
export function parseReference(text: string): Reference | undefined {
  return parseReferenceTo(text, isDisplayName);
}

/** The same for other grammars of names. */
export function parseReferenceTo<Name extends string>(
  text: string,
  isName: (text: string) => text is Name,
): Reference<Name> | undefined {
  const at = text.indexOf("@");
  const named = at < 0 ? text : text.slice(0, at);
  const bare = named.startsWith(PREFIX) ? named.slice(PREFIX.length) : named;
  const target = parseTarget(bare, isName);
  if (target === undefined) return undefined;
  return { target, text: named, ...(at < 0 ? {} : { version: parseVersionSpec(text.slice(at + 1)) }) };
}

function parseTarget<Name extends string>(
  text: string,
  isName: (text: string) => text is Name,
): ReferenceTarget<Name> | undefined {
  if (isFqdn(text)) return { kind: "fqdn", fqdn: text };
  if (isFqdnLabel(text)) return { kind: "label", label: text };
  if (isCapabilityId(text)) return { kind: "id", id: text.toLowerCase() };
  if (isName(text)) return { kind: "name", name: text };
  const [, org, project, name] = SCOPED.exec(text) ?? [];
  if (org === undefined || project === undefined || name === undefined || !isName(name)) return undefined;
  return { kind: "scoped", org, project, name };
}
