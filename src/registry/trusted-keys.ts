/**
 * Trusted keys of other installations: capabilities that they signed may run here.
 *
 * @module
 */
import { canonicalJson } from "../base/canonical-json.js";
import type { Signer } from "./signature.js";

export interface TrustedKey {
  /** Base64 of the raw Ed25519 public key. */
  readonly publicKey: string;
  /** The name that the person gave it. */
  readonly name: string;
  /** The orgs whose capabilities it may sign; absent for every org. */
  readonly orgs?: readonly string[];
  readonly trustedBy: string;
  readonly trustedAt: Date;
}

export interface TrustedKeys {
  /** By name. */
  readonly keys: readonly TrustedKey[];
  /** Public keys of ignored entries, because no person created them through PML. */
  readonly ignored: readonly string[];
}

/** The storage of a person's trust: write access to the database alone cannot add to it. */
export interface KeyStore {
  list(): Promise<TrustedKeys>;
  /** Replaces the stored entry of that key. */
  keep(key: TrustedKey): Promise<void>;
  /** Returns whether it existed. */
  distrust(publicKey: string): Promise<boolean>;
}

/** In the order of {@link TrustedKeys}. */
export function byName(a: TrustedKey, b: TrustedKey): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.publicKey < b.publicKey ? -1 : 1;
}

// Trusted keys that several gateways share as rows of a database. Each row is signed by the installation key that they
// share; a row without a valid signature is ignored, so that write access to the database cannot add trust.

export interface TrustedKeyRow extends TrustedKey {
  /** Base64; empty without a signature. */
  readonly signature: string;
}

/** The rows as stored, not yet verified. */
export interface TrustedKeyRows {
  list(): Promise<readonly TrustedKeyRow[]>;
  /** Replaces the row of that key. */
  keep(row: TrustedKeyRow): Promise<void>;
  /** Returns whether it existed. */
  remove(publicKey: string): Promise<boolean>;
}

/** Identifies the kind of the signed text, so that a signature of a capability never counts as one of a trusted key. */
const KIND = "pml-trusted-key-v1";

/** The text that the signature of a row covers. Must never change: stored signatures depend on it. */
export function trustedKeyText({ publicKey, name, orgs, trustedBy, trustedAt }: TrustedKey): string {
  const content = { publicKey, name, orgs: orgs ?? null, trustedBy, trustedAt: trustedAt.toISOString() };
  return `${KIND}\n${canonicalJson(content)}`;
}

export class SignedKeys implements KeyStore {
  readonly #rows: TrustedKeyRows;
  readonly #signer: Pick<Signer, "sign" | "verify">;
  readonly #ownKey: string;

  constructor(rows: TrustedKeyRows, signer: Pick<Signer, "sign" | "verify">, ownKey: string) {
    this.#rows = rows;
    this.#signer = signer;
    this.#ownKey = ownKey;
  }

  async list(): Promise<TrustedKeys> {
    const keys: TrustedKey[] = [];
    const ignored: string[] = [];
    for (const { signature, ...key } of await this.#rows.list())
      if (this.#signer.verify(trustedKeyText(key), signature, this.#ownKey)) keys.push(key);
      else ignored.push(key.publicKey);
    return { keys: keys.sort(byName), ignored };
  }

  async keep(key: TrustedKey): Promise<void> {
    const { signature } = this.#signer.sign(trustedKeyText(key));
    await this.#rows.keep({ ...key, signature });
  }

  distrust(publicKey: string): Promise<boolean> {
    return this.#rows.remove(publicKey);
  }
}
