/**
 * Finds the master key of the secrets: in the keyring of the operating system, else in `PML_SECRET_KEY`, else in a file
 * that only its owner may read. While the key is being replaced, keyring and file contain two: the new one and the
 * previous one.
 *
 * A machine without a keyring (a server, a container, WSL) is normal. On Linux only the Secret Service is used: the
 * kernel's keyring is lost at a restart of the machine.
 *
 * @module
 */
import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { messageOf, PmlError } from "../base/pml-error.js";
import { sha256 } from "../base/sha256.js";
import { realPath } from "./places.js";
import { checkPrivateDirectory, NotPrivate, readPrivateFile } from "./private-file.js";
import { writeFirst, writeWhole } from "./write-whole.js";

export const KEY_VARIABLE = "PML_SECRET_KEY";
/** `off` disables the keyring. */
const KEYRING_VARIABLE = "PML_KEYRING";
export const KEY_BYTES = 32;
const KEY_FILE = "secret-key";
const KEYRING_SERVICE = "pml";

export interface MasterKey {
  /** The beginning of its hash. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** A place that can store keys, the current one first. */
export interface KeyPlace {
  readonly from: "keyring" | "file";
  /** The name for people. */
  readonly name: string;
  read(): readonly MasterKey[];
  /** Stores `key` as the first one, or returns the key that another process has stored first. */
  first(key: MasterKey): MasterKey;
  write(keys: readonly MasterKey[]): void;
  remove(): void;
}

/** The functions that PML needs of a keyring, which stores one text. */
export interface Keyring {
  getPassword(): string | null;
  setPassword(text: string): void;
  deletePassword(): unknown;
}

export function masterKey(bytes: Buffer): MasterKey {
  return { bytes, id: sha256(bytes).slice(0, 16) };
}

export function variableKey(text: string): MasterKey {
  const bytes = Buffer.from(text.trim(), /^[0-9a-f]{64}$/i.test(text.trim()) ? "hex" : "base64");
  if (bytes.length === KEY_BYTES) return masterKey(bytes);
  throw new PmlError(
    "SECRET_UNREADABLE",
    `Cannot use ${KEY_VARIABLE}: expected ${KEY_BYTES} bytes in base64 or hexadecimal`,
    { hint: "Make a key with `openssl rand -base64 32`." },
  );
}

/** The keyring, if this machine has one that works. */
export function keyringPlace(
  keyDir: string,
  env: Readonly<NodeJS.ProcessEnv>,
  open: (account: string) => Keyring = openKeyring,
): KeyPlace | undefined {
  if (/^(off|0|false|no)$/i.test(env[KEYRING_VARIABLE] ?? "")) return undefined;
  if (process.platform === "linux" && !env.DBUS_SESSION_BUS_ADDRESS) return undefined;
  try {
    const ring = open(realPath(keyDir));
    // A keyring that cannot be read now, because it is locked or its service does not run, is not used.
    ring.getPassword();
    return {
      from: "keyring",
      name: "the keyring of the operating system",
      read: () => keysIn(ring.getPassword() ?? ""),
      first(key) {
        const [present] = keysIn(ring.getPassword() ?? "");
        if (present !== undefined) return present;
        ring.setPassword(keyText([key]));
        return keysIn(ring.getPassword() ?? "")[0] ?? key;
      },
      write: (keys) => ring.setPassword(keyText(keys)),
      remove: () => void ring.deletePassword(),
    };
  } catch {
    return undefined;
  }
}

function openKeyring(account: string): Keyring {
  // Optional, and a native module: it is loaded only when needed.
  const { Entry } = createRequire(import.meta.url)("@napi-rs/keyring") as typeof import("@napi-rs/keyring");
  return new Entry(KEYRING_SERVICE, account, { linux: { store: "secret-service" } });
}

export function filePlace(keyDir: string): KeyPlace {
  const name = join(keyDir, KEY_FILE);
  const problem = (why: string, command?: string) =>
    new PmlError("SECRET_UNREADABLE", `Cannot use the master key in "${name}": ${why}`, {
      hint:
        command === undefined
          ? "Restore it from a backup, or remove it and set the secrets again with `pml secret set NAME`."
          : `If no other user can have read it, run ${command}. Otherwise run \`pml secret rotate\` afterwards, and replace the secrets.`,
    });
  const read = () => {
    try {
      checkPrivateDirectory(keyDir);
      return keysIn(readPrivateFile(name) ?? "");
    } catch (error) {
      throw problem(messageOf(error), error instanceof NotPrivate ? error.hint : undefined);
    }
  };
  return {
    from: "file",
    name,
    read,
    first(key) {
      if (mkdirSync(dirname(name), { recursive: true, mode: 0o700 }) !== undefined)
        chmodSync(dirname(name), 0o700);
      writeFirst(name, keyText([key]));
      const [made] = read();
      if (made === undefined) throw problem("it cannot be made");
      return made;
    },
    write: (keys) => writeWhole(name, keyText(keys)),
    remove: () => rmSync(name, { force: true }),
  };
}

function keysIn(text: string): readonly MasterKey[] {
  if (text.trim() === "") return [];
  const keys = text
    .trim()
    .split("\n")
    .map((line) => Buffer.from(line, "base64"));
  if (keys.some(({ length }) => length !== KEY_BYTES)) throw new Error("it is not a master key");
  return keys.map(masterKey);
}

function keyText(keys: readonly MasterKey[]): string {
  return keys.map(({ bytes }) => `${bytes.toString("base64")}\n`).join("");
}
