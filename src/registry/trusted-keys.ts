/**
 * Keys of other installations that a person trusts: what they signed may run here.
 *
 * @module
 */
export interface TrustedKey {
  /** Base64 of the raw Ed25519 public key. */
  readonly publicKey: string;
  /** What the person calls it. */
  readonly name: string;
  readonly trustedBy: string;
  readonly trustedAt: Date;
}

export interface KeyStore {
  /** By name. */
  list(): Promise<readonly TrustedKey[]>;
  /** Trusting a key again renames it. */
  trust(key: Pick<TrustedKey, "publicKey" | "name" | "trustedBy">): Promise<TrustedKey>;
  /** Answers whether it was trusted. */
  distrust(publicKey: string): Promise<boolean>;
}
