/**
 * Signing versions again with the key of this installation.
 *
 * @module
 */
import type { CapabilityStore } from "./capability-store.js";
import { oldSignedText, type Signer, signedText } from "./signature.js";

type Versions = Pick<CapabilityStore, "signAgain">;

/**
 * Signs again what this installation's key signed before versions were a chain. A version whose old signature does not
 * verify stays as it is, and is refused when it is to run. Answers how many versions were signed.
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
 * Signs again, with the key of `signer`, every version that `fromPublicKey` had validly signed, also before versions were
 * a chain; everything else stays. Call it only after a person has confirmed that key. Answers how many versions were
 * signed.
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
