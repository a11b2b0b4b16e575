/**
 * Decides which signatures are trusted: those of this installation's own key, and of keys that a person trusts. Also
 * which clients may connect over HTTP.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { AccessTokens } from "../registry/access-tokens.js";
import { fingerprintOf, KeyRing, trustingSigner } from "../registry/key-ring.js";
import { SignedKeys } from "../registry/trusted-keys.js";
import type { MemoryParts } from "./compose-memory.js";
import { TrustedKeysFile } from "./trusted-keys-file.js";

export interface TrustedKeysStatus {
  readonly trusted: number;
  /** Fingerprints of ignored entries, because this installation has not signed them. */
  readonly ignored: readonly string[];
  /** Why they cannot be read. */
  readonly problem?: string;
}

export function composeKeys({ settings, config, store, installation }: MemoryParts) {
  // Gateways that share a server share a key, but not a directory.
  const file = config.store?.url === undefined ? new TrustedKeysFile(settings.keyDir) : undefined;
  const trusted = file ?? new SignedKeys(store.keys, installation, installation.publicKey);
  const ring = new KeyRing(trusted, installation.publicKey);
  // If reading fails, the previous keys stay, and the next reader gets the reason.
  const unwatch = file?.watch(() => void ring.reload().catch(() => {}));
  const accessTokens = new AccessTokens({
    rows: store.accessTokens,
    signer: installation,
    ownKey: installation.publicKey,
  });
  return {
    ring,
    signer: trustingSigner(installation, ring),
    accessTokens,
    status: () => statusOf(ring),
    start(log: Log) {
      for (const part of [ring, accessTokens])
        part.loaded().catch((error: unknown) => {
          log.error("keys.not_read", { message: messageOf(error) });
        });
    },
    async reload() {
      await Promise.all([ring.reload(), accessTokens.reload()]);
    },
    async stop() {
      unwatch?.();
      await accessTokens.stop();
    },
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
