/**
 * The text that the signature of a version covers, and the port to the holder of the key.
 *
 * Versions form a chain: each one names the hash of the text of the version before. So a version cannot be repeated,
 * renumbered, or put on top of a history that it was not signed for.
 *
 * @module
 */

import { canonicalJson } from "../base/canonical-json.js";
import { sha256Hex } from "../base/sha256.js";
import type { ParametersSchema } from "./capability.js";
import type { CapabilityStore } from "./capability-store.js";
import type { Definition } from "./definition.js";
import type { Fqdn } from "./fqdn.js";

export interface SignedContent {
  readonly fqdn: Fqdn;
  readonly version: number;
  /** {@link signedHash} of the version before; null for version 1. */
  readonly previousHash: string | null;
  readonly canonicalCode: string;
  readonly parameters: ParametersSchema;
  /** The source for people: the code as written, or the definition that PML generated it from. */
  readonly code: string;
  readonly definition?: Definition | undefined;
}

export interface Signature {
  /** Base64 of the Ed25519 signature. */
  readonly signature: string;
  /** Base64 of the raw public key that verifies it. */
  readonly publicKey: string;
}

/** Signs with the key of this installation, and knows which keys it trusts. */
export interface Signer {
  sign(text: string): Signature;
  /** False for anything that is not a signature of `text` by that key, including malformed signatures and keys. */
  verify(text: string, signature: string, publicKey: string): boolean;
  /** Whether capabilities of `org` that this key signed may run. */
  isTrusted(publicKey: string, org: string): boolean;
  /** Resolves when the trusted keys are loaded; absent if they always are. */
  ready?(): Promise<void>;
}

/** A function that signs versions, once their FQDN and number are known. */
export function signWith(signer: Signer): (content: SignedContent) => Signature {
  return (content) => signer.sign(signedText(content));
}

/** Names the kind of text, so that a signature of another kind of text never counts as one of this. */
const KIND = "pml-capability-v2";

/**
 * The same text for the same content, and different for any other. Must never change: stored signatures depend on it.
 */
export function signedText(content: SignedContent): string {
  const {
    fqdn,
    version,
    previousHash: previous,
    canonicalCode,
    parameters,
    code: source,
    definition,
  } = content;
  return `${KIND}\n${canonicalJson({ fqdn, version, previous, canonicalCode, parameters, source, definition })}`;
}

/** The hash that the next version contains as its predecessor. */
export function signedHash(content: SignedContent): Promise<string> {
  return sha256Hex(signedText(content));
}

const OLD_KIND = "pml-capability-v1";

/** The signed text from before versions were a chain. Such versions do not run until they are signed again. */
export function oldSignedText({
  fqdn,
  canonicalCode,
  parameters,
}: Pick<SignedContent, "fqdn" | "canonicalCode" | "parameters">): string {
  return `${OLD_KIND}\n${canonicalJson({ fqdn, canonicalCode, parameters })}`;
}

type Versions = Pick<CapabilityStore, "signAgain">;

/**
 * Renews the signatures that this installation's key made before versions were a chain. A version whose old signature
 * is invalid stays as it is, and is refused when it is to run. Returns how many versions were signed.
 */
export function resignOld(store: Versions, signer: Signer, ownKey: string): Promise<number> {
  return store.signAgain({
    publicKey: ownKey,
    onlyOld: true,
    sign: (stored) =>
      signer.verify(oldSignedText(stored), stored.signature, ownKey)
        ? signer.sign(signedText(stored))
        : undefined,
  });
}

/**
 * Signs every version again, with the key of `signer`, that `fromPublicKey` had validly signed, including versions from
 * before the chain; everything else stays. Call it only after a person has confirmed that key. Returns how many
 * versions were signed.
 */
export function resign(store: Versions, signer: Signer, fromPublicKey: string): Promise<number> {
  return store.signAgain({
    publicKey: fromPublicKey,
    onlyOld: false,
    sign: (stored) =>
      [signedText(stored), oldSignedText(stored)].some((text) =>
        signer.verify(text, stored.signature, fromPublicKey),
      )
        ? signer.sign(signedText(stored))
        : undefined,
  });
}
