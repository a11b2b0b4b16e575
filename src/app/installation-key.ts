/**
 * The key that signs what this installation has learnt: Ed25519, created at the first start, readable by its owner
 * alone.
 *
 * Each user has one, in a directory separate from all data. A key that others can access is refused.
 *
 * Gateways that share one PostgreSQL must share one key, or each would refuse what the others have saved: the
 * configuration gives it to them.
 *
 * @module
 */

import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { Signer } from "../registry/signature.js";
import { sectionOf } from "./config-file.js";
import { checkPrivateDirectory, NotPrivate, readPrivateFile } from "./private-file.js";
import { writeFirst } from "./write-whole.js";

/** Signs, and only trusts its own signatures. */
export interface InstallationKey extends Signer {
  /** Base64 of the raw public key. */
  readonly publicKey: string;
}

export interface InstallationKeyOptions {
  /** Where the key is created and kept by default. */
  readonly keyDir: string;
  /** A PEM, or the path of one, from the configuration. */
  readonly signingKey?: string | undefined;
  /** The base of a relative path in {@link signingKey}. */
  readonly directory: string;
}

export const KEY_FILE = "installation-key.pem";

/** Opens the key, or creates it, and returns its signer. Throws `CONFIG_INVALID`. */
export function openInstallationKey(options: InstallationKeyOptions): InstallationKey {
  const { pem, source } = readKey(options);
  return signerWith(parseKey(pem, source));
}

/** The file in `store.signingKey` of a configuration; undefined if it names none. It is not validated. */
export function signingKeyFile(config: {
  readonly directory: string;
  readonly value: Readonly<Record<string, unknown>>;
}): string | undefined {
  const { signingKey } = sectionOf(config, "store");
  if (typeof signingKey !== "string" || signingKey.includes("-----BEGIN")) return undefined;
  return resolve(config.directory, signingKey);
}

interface KeySource {
  /** For messages: never the key itself. */
  readonly name: string;
  readonly hint: string;
}

function readKey({ keyDir, signingKey, directory }: InstallationKeyOptions): {
  readonly pem: string;
  readonly source: KeySource;
} {
  if (signingKey === undefined) {
    const file = join(keyDir, KEY_FILE);
    const source = {
      name: `"${file}"`,
      hint: "Restore it from a backup. If there is none, move the file away: PML creates a new key, and `pml adopt` re-signs what the old key signed.",
    };
    return { pem: readOrMake(file, source), source };
  }
  if (signingKey.includes("-----BEGIN")) {
    const source = { name: "the value of store.signingKey", hint: HOW_TO_MAKE };
    // Variables often contain a PEM with its line breaks written as \n.
    return { pem: signingKey.replaceAll("\\n", "\n"), source };
  }
  const file = resolve(directory, signingKey);
  const source = { name: `"${file}", which store.signingKey names,`, hint: HOW_TO_MAKE };
  const pem = attempt(source, () => readPrivateFile(file));
  if (pem === undefined) throw unusable(source, "there is no such file");
  return { pem, source };
}

const HOW_TO_MAKE = "Make one with `openssl genpkey -algorithm ed25519`, and give it to every gateway.";

function readOrMake(file: string, source: KeySource): string {
  return attempt(source, () => {
    checkPrivateDirectory(dirname(file));
    const found = readPrivateFile(file);
    if (found !== undefined) return found;
    make(file);
    return readPrivateFile(file) ?? "";
  });
}

function attempt<T>(source: KeySource, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const hint = error instanceof NotPrivate ? privately(error) : source.hint;
    throw unusable({ ...source, hint }, messageOf(error), error);
  }
}

function privately({ hint }: NotPrivate): string {
  if (hint === undefined) return "Use a key of your own: create a new one, or ask its owner for a copy.";
  return `If no other user can have read it, run ${hint}. Otherwise create a new key and stop trusting the old one.`;
}

/**
 * The key file appears completely or not at all, and of two processes that create one at the same time the first one
 * wins.
 */
function make(file: string): void {
  if (mkdirSync(dirname(file), { recursive: true, mode: 0o700 }) !== undefined)
    chmodSync(dirname(file), 0o700);
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });
  writeFirst(file, pem.toString());
}

function parseKey(pem: string, source: KeySource): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw unusable(source, "expected an Ed25519 private key in PEM");
  }
  if (key.asymmetricKeyType === "ed25519") return key;
  throw unusable(source, `expected an Ed25519 private key, found ${key.asymmetricKeyType}`);
}

function unusable({ name, hint }: KeySource, why: string, cause?: unknown): PmlError {
  return new PmlError("CONFIG_INVALID", `Cannot sign capabilities with ${name}: ${why}`, { hint, cause });
}

function signerWith(privateKey: KeyObject): InstallationKey {
  const own = rawPublicKey(privateKey);
  return {
    publicKey: own,
    sign: (text) => ({
      signature: sign(null, Buffer.from(text), privateKey).toString("base64"),
      publicKey: own,
    }),
    verify: (text, signature, publicKey) => {
      try {
        return verify(null, Buffer.from(text), publicKeyFrom(publicKey), Buffer.from(signature, "base64"));
      } catch {
        return false;
      }
    },
    isTrusted: (publicKey) => publicKey === own,
  };
}

function rawPublicKey(privateKey: KeyObject): string {
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  return Buffer.from(x ?? "", "base64url").toString("base64");
}

function publicKeyFrom(base64: string): KeyObject {
  const x = Buffer.from(base64, "base64").toString("base64url");
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x }, format: "jwk" });
}
