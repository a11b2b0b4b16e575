/**
 * The trusted signing keys, in memory: this installation's own key, and those that a person trusts.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import type { Signer } from "./signature.js";
import { SignedRows } from "./signed-rows.js";
import type { KeyStore, TrustedKey } from "./trusted-keys.js";

const FINGERPRINT = "SHA256:";
/** A shorter fingerprint could be forged to imitate another key. */
const FINGERPRINT_CHARS_LEAST = 12;
const KEY_BYTES = 32;

/** Base64 of 32 bytes, only in canonical form: keys are compared as text. */
export function isPublicKey(text: string): boolean {
  if (!/^[A-Za-z0-9+/]{43}=$/.test(text)) return false;
  const bytes = atob(text);
  return bytes.length === KEY_BYTES && btoa(bytes) === text;
}

/** `SHA256:…`, the form in which people compare keys. */
export async function fingerprintOf(publicKey: string): Promise<string> {
  const bytes = isPublicKey(publicKey)
    ? Uint8Array.from(atob(publicKey), (char) => char.charCodeAt(0))
    : new TextEncoder().encode(publicKey);
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const base64 = btoa(String.fromCharCode(...digest));
  return FINGERPRINT + base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/**
 * Finds the key that a person means: by its base64, its fingerprint, or a long enough prefix of that. A key in base64
 * need not be in `keys`. Throws `KEY_INVALID`.
 */
export async function findKey(text: string, keys: Iterable<string>): Promise<string> {
  if (isPublicKey(text)) return text;
  const wanted = text.startsWith(FINGERPRINT) ? text.slice(FINGERPRINT.length) : text;
  if (!/^[A-Za-z0-9_-]{1,43}$/.test(wanted))
    throw new PmlError("KEY_INVALID", `${JSON.stringify(text.slice(0, 100))} is not a public key`, {
      hint: "Expected the base64 of an Ed25519 public key, or a fingerprint such as SHA256:…; pml key list shows those of imported capabilities.",
    });
  if (wanted.length < FINGERPRINT_CHARS_LEAST)
    throw new PmlError(
      "KEY_INVALID",
      `${JSON.stringify(text)} is too short: expected ${FINGERPRINT_CHARS_LEAST} characters of a fingerprint at least`,
    );
  const found: string[] = [];
  for (const key of new Set(keys))
    if ((await fingerprintOf(key)).startsWith(FINGERPRINT + wanted)) found.push(key);
  const [key, other] = found;
  if (key !== undefined && other === undefined) return key;
  throw new PmlError(
    "KEY_INVALID",
    key === undefined
      ? `No capability here is signed with a key with the fingerprint ${text}`
      : `${found.length} keys have fingerprints that begin with ${text}`,
    { hint: "`pml key list` lists the keys." },
  );
}

/** The fields of a trusted key that a person sets. */
export type TrustRequest = Pick<TrustedKey, "publicKey" | "name" | "trustedBy" | "orgs">;

export class KeyRing extends SignedRows<TrustedKey> {
  readonly own: string;
  readonly #store: KeyStore;

  constructor(store: KeyStore, own: string) {
    super();
    this.#store = store;
    this.own = own;
  }

  /** Reads memory: before {@link loaded} has resolved, only this installation's own key is trusted. */
  isTrusted(publicKey: string, org: string): boolean {
    if (publicKey === this.own) return true;
    const key = this.rows.get(publicKey);
    return key !== undefined && (key.orgs === undefined || key.orgs.includes(org));
  }

  /** Keys of other installations, by name. */
  list(): readonly TrustedKey[] {
    return [...this.rows.values()];
  }

  /** An already trusted key gets this name and these orgs; the person who first trusted it stays recorded. */
  async trust({ publicKey, name, trustedBy, orgs }: TrustRequest): Promise<TrustedKey> {
    if (!isPublicKey(publicKey))
      throw new PmlError("KEY_INVALID", `${JSON.stringify(publicKey.slice(0, 100))} is not a public key`);
    await this.reload();
    const first = this.rows.get(publicKey) ?? { trustedBy, trustedAt: new Date() };
    const key: TrustedKey = {
      publicKey,
      name,
      ...(orgs === undefined ? {} : { orgs: [...new Set(orgs)] }),
      trustedBy: first.trustedBy,
      trustedAt: first.trustedAt,
    };
    await this.#store.keep(key);
    await this.reload();
    return key;
  }

  /** Returns whether it was trusted. From then on nothing that it signed runs. */
  async untrust(publicKey: string): Promise<boolean> {
    const removed = await this.#store.distrust(publicKey);
    this.forget((key) => key.publicKey === publicKey);
    await this.reload();
    return removed;
  }

  protected keyOf({ publicKey }: TrustedKey): string {
    return publicKey;
  }

  protected rightsOf({ publicKey, orgs }: TrustedKey): string {
    return JSON.stringify([publicKey, orgs]);
  }

  protected async read() {
    const { keys: rows, ignored } = await this.#store.list();
    return { rows, ignored };
  }
}

/** The signer of an installation that also trusts the keys of a ring. */
export function trustingSigner(signer: Signer, ring: KeyRing): Signer {
  return {
    sign: (text) => signer.sign(text),
    verify: (text, signature, publicKey) => signer.verify(text, signature, publicKey),
    isTrusted: (publicKey, org) => ring.isTrusted(publicKey, org),
    ready: () => ring.loaded(),
  };
}
