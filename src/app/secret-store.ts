/**
 * Secrets of servers: a file beside the installation key, in which each value is encrypted with AES-256-GCM. The name is
 * additional data, so that a value counts for its own name only.
 *
 * The master key is that of `PML_SECRET_KEY`, else the first line of a file that only its owner may read. While the key
 * is changed, the file has a second line: the key before it.
 *
 * @module
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { chmodSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { keyDirectory } from "./places.js";
import { checkPrivateDirectory, NotPrivate, readPrivateFile } from "./private-file.js";
import { PrivateJson } from "./private-json.js";
import { writeFirst, writeWhole } from "./write-whole.js";

const STORE_FILE = "secrets.json";
const KEY_FILE = "secret-key";
const KEY_VARIABLE = "PML_SECRET_KEY";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const NAME = new RegExp(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,${LIMITS.secretNameChars - 1}}$`);

interface Kept {
  /** ISO time. */
  readonly setAt: string;
  /** Which master key it is encrypted with. */
  readonly key: string;
  readonly nonce: string;
  /** The encrypted value with its tag, in base64. */
  readonly data: string;
}

type KeptSecrets = Readonly<Record<string, Kept>>;

interface MasterKey {
  /** The beginning of its hash. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Where the master key comes from. */
export interface KeySource {
  readonly from: "variable" | "file";
  /** The variable, or the file, which is made with the first secret. */
  readonly name: string;
}

export class SecretStore {
  readonly #kept: PrivateJson<KeptSecrets>;
  readonly #keyFile: string;
  readonly #given: string | undefined;

  constructor(env: Readonly<NodeJS.ProcessEnv>) {
    const keyDir = keyDirectory(env);
    this.#keyFile = join(keyDir, KEY_FILE);
    this.#given = env[KEY_VARIABLE] || undefined;
    this.#kept = new PrivateJson(secretsFile(keyDir), {
      what: "the secrets",
      parse: parseKept,
      repair: "Restore it from a backup, or remove it and set the secrets again with `pml secret set NAME`.",
      repairRights: (command) => `If no other user can have changed it, run ${command}.`,
    });
  }

  get keySource(): KeySource {
    return this.#given === undefined
      ? { from: "file", name: this.#keyFile }
      : { from: "variable", name: KEY_VARIABLE };
  }

  /** Throws `SECRET_UNKNOWN` or `SECRET_UNREADABLE`. */
  value(name: string): string {
    const found = this.#decrypted(name);
    // Another process may have changed the key between the two files that were read.
    return found instanceof PmlError ? orThrow(this.#decrypted(name)) : found;
  }

  list(): readonly { readonly name: string; readonly setAt: string }[] {
    return Object.entries(this.#kept.read() ?? {})
      .map(([name, { setAt }]) => ({ name, setAt }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#kept.read() ?? {}, name);
  }

  /** Answers whether there was one of this name before. Throws `ARGUMENTS_INVALID`. */
  set(name: string, value: string, now = new Date()): boolean {
    checkSecret(name, value);
    let isReplaced = false;
    this.#kept.change((all = {}) => {
      isReplaced = Object.hasOwn(all, name);
      if (!isReplaced && Object.keys(all).length >= LIMITS.secrets)
        throw new PmlError("LIMIT_EXCEEDED", `Cannot keep "${name}": there are ${LIMITS.secrets} secrets`, {
          hint: "Remove those that are not used: `pml secret list` shows them.",
        });
      const kept = encrypted(name, value, this.#currentKey(), now.toISOString());
      return { secrets: { ...all, [name]: kept } };
    });
    return isReplaced;
  }

  /** Throws `SECRET_UNKNOWN`. */
  remove(name: string): void {
    this.#kept.change((all = {}) => {
      if (!Object.hasOwn(all, name))
        throw new PmlError(
          "SECRET_UNKNOWN",
          `Cannot remove the secret "${name}": there is none of this name`,
          {
            hint: "`pml secret list` shows the names.",
          },
        );
      return { secrets: Object.fromEntries(Object.entries(all).filter(([one]) => one !== name)) };
    });
  }

  /** Encrypts all secrets with a new master key, or with that of the variable. Answers how many. */
  rotate(): number {
    const made = this.#given === undefined ? randomBytes(KEY_BYTES) : undefined;
    let count = 0;
    this.#kept.change((all = {}) => {
      const old = this.#fileKeys();
      const next = made === undefined ? this.#currentKey() : masterKey(made);
      if (made === undefined && Object.values(all).every(({ key }) => key === next.id)) throw sameKey();
      const values = Object.keys(all).map((name) => [name, orThrow(this.#decrypted(name))] as const);
      count = values.length;
      // From here on each of the two keys is in the file, until no secret needs the old one.
      if (made !== undefined) this.#writeKeys([next, ...old]);
      return {
        secrets: Object.fromEntries(
          values.map(([name, value]) => [name, encrypted(name, value, next, all[name]?.setAt ?? "")]),
        ),
      };
    });
    if (made !== undefined) this.#writeKeys([masterKey(made)]);
    return count;
  }

  #decrypted(name: string): string | PmlError {
    const all = this.#kept.read() ?? {};
    const kept = Object.hasOwn(all, name) ? all[name] : undefined;
    if (kept === undefined) return unknown(name);
    const key = this.#knownKeys().find(({ id }) => id === kept.key);
    if (key === undefined) return unreadable(name, "it was encrypted with another master key");
    return decrypted(name, kept, key) ?? unreadable(name, "its content was changed");
  }

  #knownKeys(): readonly MasterKey[] {
    return this.#given === undefined ? this.#fileKeys() : [givenKey(this.#given), ...this.#fileKeys()];
  }

  /** The key of new secrets. The key ring of the operating system would be asked here first. */
  #currentKey(): MasterKey {
    if (this.#given !== undefined) return givenKey(this.#given);
    const [present] = this.#fileKeys();
    if (present !== undefined) return present;
    if (mkdirSync(dirname(this.#keyFile), { recursive: true, mode: 0o700 }) !== undefined)
      chmodSync(dirname(this.#keyFile), 0o700);
    writeFirst(this.#keyFile, keyText([masterKey(randomBytes(KEY_BYTES))]));
    const [made] = this.#fileKeys();
    if (made === undefined) throw this.#keyProblem("it cannot be made");
    return made;
  }

  #fileKeys(): readonly MasterKey[] {
    try {
      checkPrivateDirectory(dirname(this.#keyFile));
      const lines = readPrivateFile(this.#keyFile)?.trim().split("\n") ?? [];
      const keys = lines.map((line) => Buffer.from(line, "base64"));
      if (keys.some(({ length }) => length !== KEY_BYTES)) throw new Error("it is not a master key");
      return keys.map(masterKey);
    } catch (error) {
      const repair = error instanceof NotPrivate ? error.hint : undefined;
      throw this.#keyProblem(messageOf(error), repair);
    }
  }

  #writeKeys(keys: readonly MasterKey[]): void {
    writeWhole(this.#keyFile, keyText(keys));
  }

  #keyProblem(why: string, command?: string): PmlError {
    return new PmlError("SECRET_UNREADABLE", `Cannot use the master key in "${this.#keyFile}": ${why}`, {
      hint:
        command === undefined
          ? "Restore it from a backup, or remove it and set the secrets again with `pml secret set NAME`."
          : `If no other user can have read it, run ${command}. Otherwise run \`pml secret rotate\` afterwards, and replace the secrets.`,
    });
  }
}

export function secretsFile(keyDir: string): string {
  return join(keyDir, STORE_FILE);
}

/** Whether a secret may have this name. */
export function isSecretName(name: string): boolean {
  return NAME.test(name);
}

/** Throws `ARGUMENTS_INVALID`; the message never has the value. */
function checkSecret(name: string, value: string): void {
  const refuse = (why: string) => new PmlError("ARGUMENTS_INVALID", `Cannot keep this secret: ${why}`);
  if (!isSecretName(name))
    throw refuse(`its name must be 1 to ${LIMITS.secretNameChars} letters, digits, "_", "-" or "."`);
  if (value === "") throw refuse("its value is empty");
  if (value.includes("\0")) throw refuse("its value has a NUL character, which no variable can have");
  if (Buffer.byteLength(value) > LIMITS.secretBytes)
    throw refuse(`its value has more than ${LIMITS.secretBytes} bytes`);
}

function encrypted(name: string, value: string, { id, bytes }: MasterKey, setAt: string): Kept {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", bytes, nonce).setAAD(Buffer.from(name));
  const data = Buffer.concat([cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { setAt, key: id, nonce: nonce.toString("base64"), data: data.toString("base64") };
}

function decrypted(name: string, { nonce, data }: Kept, { bytes }: MasterKey): string | undefined {
  const whole = Buffer.from(data, "base64");
  const tag = whole.subarray(Math.max(0, whole.length - TAG_BYTES));
  try {
    const decipher = createDecipheriv("aes-256-gcm", bytes, Buffer.from(nonce, "base64"), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(name)).setAuthTag(tag);
    const value = decipher.update(whole.subarray(0, whole.length - TAG_BYTES));
    return Buffer.concat([value, decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}

function masterKey(bytes: Buffer): MasterKey {
  return { bytes, id: createHash("sha256").update(bytes).digest("hex").slice(0, 16) };
}

function givenKey(text: string): MasterKey {
  const bytes = Buffer.from(text.trim(), /^[0-9a-f]{64}$/i.test(text.trim()) ? "hex" : "base64");
  if (bytes.length === KEY_BYTES) return masterKey(bytes);
  throw new PmlError(
    "SECRET_UNREADABLE",
    `Cannot use ${KEY_VARIABLE}: expected ${KEY_BYTES} bytes in base64 or hexadecimal`,
    { hint: "Make a key with `openssl rand -base64 32`." },
  );
}

function keyText(keys: readonly MasterKey[]): string {
  return keys.map(({ bytes }) => `${bytes.toString("base64")}\n`).join("");
}

function orThrow(found: string | PmlError): string {
  if (found instanceof PmlError) throw found;
  return found;
}

function unknown(name: string): PmlError {
  return new PmlError("SECRET_UNKNOWN", `the secret ${name} is not set`, {
    hint: `Run \`pml secret set ${name}\`.`,
  });
}

function unreadable(name: string, why: string): PmlError {
  return new PmlError("SECRET_UNREADABLE", `the secret ${name} cannot be decrypted: ${why}`, {
    hint: `Use the master key that it was set with (\`pml doctor\` shows which is used), or run \`pml secret set ${name}\` again.`,
  });
}

function sameKey(): PmlError {
  return new PmlError(
    "CONFIG_INVALID",
    `Cannot make a new master key: the key comes from ${KEY_VARIABLE}, and every secret uses it already`,
    { hint: `Set the secrets again with another key in ${KEY_VARIABLE}.` },
  );
}

/** By hand: a client that joins a gateway reads this file, and a schema library takes longer to load than that. */
function parseKept(value: unknown): KeptSecrets {
  const all = isJsonObject(value) ? value.secrets : undefined;
  if (!isJsonObject(all) || !Object.values(all).every(isKept))
    throw new Error("PML did not write this content");
  return all as KeptSecrets;
}

function isKept(value: unknown): boolean {
  return (
    isJsonObject(value) && ["setAt", "key", "nonce", "data"].every((key) => typeof value[key] === "string")
  );
}
