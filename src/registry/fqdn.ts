/**
 * FQDNs, `<org>.<project>.<namespace>.<action>.<hash>`: the one module that owns their grammar.
 *
 * The hash is a label: the first digits of the SHA-256 of the canonical code of version 1, four of them unless
 * different code already has that FQDN. Identity compares the whole hash, which is in the record.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";

declare const fqdnBrand: unique symbol;

/** `<org>.<project>.<namespace>.<action>.<hash>`: the immutable identity of a capability. */
export type Fqdn = string & { readonly [fqdnBrand]: true };

/** An FQDN without its hash: people write this, and several capabilities may share it. */
export interface FqdnLabel {
  readonly org: string;
  readonly project: string;
  readonly namespace: string;
  readonly action: string;
}

export interface FqdnParts extends FqdnLabel {
  readonly hash: string;
}

/** The number of hash digits at first, and of the digits added at each step. */
const HASH_STEP = 4;
const LABEL = /^(?:[a-z0-9_-]+\.){3}[a-z0-9_-]+$/;
const FQDN = /^(?:[a-z0-9_-]+\.){4}(?:[0-9a-f]{4}){1,16}$/;

export function isFqdn(text: string): text is Fqdn {
  return FQDN.test(text);
}

export function parseFqdn(text: string): Fqdn {
  if (!isFqdn(text)) {
    throw new PmlError(
      "NAME_INVALID",
      `Cannot use ${JSON.stringify(text)} as an FQDN: expected org.project.namespace.action.hash, the parts of a-z, 0-9, '_' and '-', the hash of 4 hex digits or a multiple`,
    );
  }
  return text;
}

/** The inverse of {@link formatFqdn}. */
export function splitFqdn(fqdn: Fqdn): FqdnParts {
  const [org, project, namespace, action, hash] = fqdn.split(".") as [string, string, string, string, string];
  return { org, project, namespace, action, hash };
}

export function formatFqdn({ org, project, namespace, action, hash }: FqdnParts): Fqdn {
  return parseFqdn(`${org}.${project}.${namespace}.${action}.${hash}`);
}

/** Whether `text` is an FQDN without its hash. */
export function isFqdnLabel(text: string): boolean {
  return LABEL.test(text);
}

/** An FQDN without its hash, as text. */
export function fqdnLabel(fqdn: Fqdn): string {
  return fqdn.slice(0, fqdn.lastIndexOf("."));
}

/** Every possible FQDN of some code, the shortest first: each is used if the ones before it are taken. */
export function* fqdnCandidates(label: FqdnLabel, codeHash: string): Generator<Fqdn> {
  for (let digits = HASH_STEP; digits <= codeHash.length; digits += HASH_STEP)
    yield formatFqdn({ ...label, hash: codeHash.slice(0, digits) });
}
