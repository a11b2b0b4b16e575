/**
 * References in saved code: a capability by its FQDN, in its current version at each call, or one pinned version of it,
 * `<fqdn>@<number>`. The one module that owns that grammar.
 *
 * @module
 */
import { type Fqdn, isFqdn } from "./fqdn.js";

declare const pinnedBrand: unique symbol;

/** `<fqdn>@<number>`: always exactly that version. */
type PinnedRef = string & { readonly [pinnedBrand]: true };

export type CapabilityRef = Fqdn | PinnedRef;

export interface RefParts {
  readonly fqdn: Fqdn;
  /** Absent for the newest version. */
  readonly version?: number;
}

const NUMBER = /^[1-9]\d{0,8}$/;

/** Returns undefined if the text has no such form. */
export function parseCapabilityRef(text: string): RefParts | undefined {
  const at = text.indexOf("@");
  const fqdn = at < 0 ? text : text.slice(0, at);
  if (!isFqdn(fqdn)) return undefined;
  if (at < 0) return { fqdn };
  const number = text.slice(at + 1);
  return NUMBER.test(number) ? { fqdn, version: Number(number) } : undefined;
}

/** The inverse of {@link splitCapabilityRef}. */
export function formatCapabilityRef({ fqdn, version }: RefParts): CapabilityRef {
  return version === undefined ? fqdn : (`${fqdn}@${version}` as PinnedRef);
}

export function splitCapabilityRef(ref: CapabilityRef): RefParts {
  const at = ref.indexOf("@");
  return at < 0
    ? { fqdn: ref as Fqdn }
    : { fqdn: ref.slice(0, at) as Fqdn, version: Number(ref.slice(at + 1)) };
}

/** The form for people: `fs:read_json`, and `fs:read_json@2` for one version of it. */
export function nameAt(name: string, version: number | undefined): string {
  return version === undefined ? name : `${name}@${version}`;
}

/** A reference to a version of a capability: the newest one follows later versions, an older one is pinned. */
export function refAt(
  { fqdn, version: newest }: { readonly fqdn: Fqdn; readonly version: number },
  version: number,
): CapabilityRef {
  return version === newest ? fqdn : formatCapabilityRef({ fqdn, version });
}

/** The FQDN of the called capability, without its version. */
export function fqdnOfRef(ref: CapabilityRef): Fqdn {
  return splitCapabilityRef(ref).fqdn;
}
