import { generateKeyPairSync } from "node:crypto";
import { type InstallationKey, openInstallationKey } from "../../src/app/installation-key.js";

/** A new key that is not stored anywhere. */
export function newSigner(): InstallationKey {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
  return openInstallationKey({ keyDir: "/nowhere", directory: "/nowhere", signingKey: pem.toString() });
}
