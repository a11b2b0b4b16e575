/**
 * What is signed of a version, and the port to whoever holds the key.
 *
 * @module
 */
import { canonicalJson } from "../base/canonical-json.js";
import type { ParametersSchema } from "./capability.js";
import type { Fqdn } from "./fqdn.js";

export interface SignedContent {
  readonly fqdn: Fqdn;
  readonly canonicalCode: string;
  readonly parameters: ParametersSchema;
}

export interface Signature {
  /** Base64 of the Ed25519 signature. */
  readonly signature: string;
  /** Base64 of the raw public key that verifies it. */
  readonly publicKey: string;
}

/** Signs with the key of this installation, and says which keys it believes. */
export interface Signer {
  sign(text: string): Signature;
  /** False for whatever is no signature of `text` by that key, also for what is no signature or key at all. */
  verify(text: string, signature: string, publicKey: string): boolean;
  isTrusted(publicKey: string): boolean;
  /** Resolves when it is known which keys are trusted; left out where that is always so. */
  ready?(): Promise<void>;
}

/** How versions are signed, once their FQDN is known. */
export function signWith(signer: Signer): (content: SignedContent) => Signature {
  return (content) => signer.sign(signedText(content));
}

/** Says what kind of text this is, so that no signature of another kind can be passed off as one of this. */
const KIND = "pml-capability-v1";

/** The text that the signature of a version covers: the same for the same content, and for no other. */
export function signedText({ fqdn, canonicalCode, parameters }: SignedContent): string {
  return `${KIND}\n${canonicalJson({ fqdn, canonicalCode, parameters })}`;
}
