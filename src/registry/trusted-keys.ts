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
  /** The orgs whose capabilities it may sign; absent for every org. */
  readonly orgs?: readonly string[];
  readonly trustedBy: string;
  readonly trustedAt: Date;
}

export interface TrustedKeys {
  /** By name. */
  readonly keys: readonly TrustedKey[];
  /** Public keys of entries that no person made through PML: they count for nothing. */
  readonly ignored: readonly string[];
}

/** Where a person's trust is kept: nothing that can write to the database alone can add to it. */
export interface KeyStore {
  list(): Promise<TrustedKeys>;
  /** Replaces what was kept of that key. */
  keep(key: TrustedKey): Promise<void>;
  /** Answers whether it was there. */
  distrust(publicKey: string): Promise<boolean>;
}

/** In the order of {@link TrustedKeys}. */
export function byName(a: TrustedKey, b: TrustedKey): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  return a.publicKey < b.publicKey ? -1 : 1;
}
