/**
 * Whose signatures count: this installation's own key, and the keys that a person trusts.
 *
 * @module
 */
import { messageOf } from "../base/pml-error.js";
import type { Store } from "../postgres/open-store.js";
import { fingerprintOf, KeyRing, trustingSigner } from "../registry/key-ring.js";
import type { Signer } from "../registry/signature.js";
import { SignedKeys } from "../registry/trusted-keys.js";
import type { Config } from "./config-schema.js";
import type { InstallationKey } from "./installation-key.js";
import type { Settings } from "./settings.js";
import { TrustedKeysFile } from "./trusted-keys-file.js";

export interface TrustedKeysStatus {
  readonly trusted: number;
  /** Fingerprints of entries that are not signed by this installation, and count for nothing. */
  readonly ignored: readonly string[];
  /** Why they cannot be read. */
  readonly problem?: string;
}

interface Keys {
  readonly ring: KeyRing;
  readonly signer: Signer;
  status(): Promise<TrustedKeysStatus>;
  stop(): void;
}

export function composeKeys(
  settings: Settings,
  config: Config,
  store: Store,
  installation: InstallationKey,
): Keys {
  // Gateways that share a server have one key in common, and no directory.
  const file = config.store?.url === undefined ? new TrustedKeysFile(settings.keyDir) : undefined;
  const trusted = file ?? new SignedKeys(store.keys, installation, installation.publicKey);
  const ring = new KeyRing(trusted, installation.publicKey);
  // If reading fails, the keys from before stay, and the next reader is told why.
  const unwatch = file?.watch(() => void ring.reload().catch(() => {}));
  return {
    ring,
    signer: trustingSigner(installation, ring),
    status: () => statusOf(ring),
    stop: () => unwatch?.(),
  };
}

async function statusOf(ring: KeyRing): Promise<TrustedKeysStatus> {
  try {
    await ring.loaded();
  } catch (error) {
    return { trusted: 0, ignored: [], problem: messageOf(error) };
  }
  return { trusted: ring.list().length, ignored: await Promise.all(ring.ignored.map(fingerprintOf)) };
}
