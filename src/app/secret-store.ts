/**
 * Secrets of servers: a file beside the installation key, in which each value is encrypted with AES-256-GCM. The name
 * is additional data, so that a value is valid for its own name only. `master-key.ts` finds the master key.
 *
 * Data that is sealed elsewhere, such as tokens in the store, has keys that are derived from the master key. Keys of a
 * replaced master key are kept here, so that each gateway can seal its data again.
 *
 * @module
 */
import { hkdfSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import {
  filePlace,
  KEY_BYTES,
  KEY_VARIABLE,
  type KeyPlace,
  keyringPlace,
  type MasterKey,
  masterKey,
  variableKey,
} from "./master-key.js";
import { keyDirectory } from "./places.js";
import { PrivateJson } from "./private-json.js";
import { sealed, unsealed } from "./sealed-text.js";

const STORE_FILE = "secrets.json";
/** Prefix for the names of derived keys, which no secret can have. */
const FORMER = ".former-";
const FORMER_KEPT = 5;
const SEALING = "pml sealing key";
const NAME = new RegExp(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,${LIMITS.secretNameChars - 1}}$`);

interface Kept {
  /** ISO time. */
  readonly setAt: string;
  /** The master key that it is encrypted with. */
  readonly key: string;
  readonly nonce: string;
  /** The encrypted value with its tag, in base64. */
  readonly data: string;
}

type KeptSecrets = Readonly<Record<string, Kept>>;

/** The source of the master key. */
export interface KeySource {
  readonly from: "keyring" | "variable" | "file";
  /** The variable, or the file, which is created with the first secret. */
  readonly name: string;
}

export class SecretStore {
  readonly #kept: PrivateJson<KeptSecrets>;
  readonly #file: KeyPlace;
  readonly #given: string | undefined;
  readonly #openKeyring: () => KeyPlace | undefined;
  #keyring: { readonly place: KeyPlace | undefined } | undefined;

  constructor(env: Readonly<NodeJS.ProcessEnv>, openKeyring = () => keyringPlace(keyDirectory(env), env)) {
    const keyDir = keyDirectory(env);
    this.#file = filePlace(keyDir);
    this.#given = env[KEY_VARIABLE] || undefined;
    this.#openKeyring = openKeyring;
    this.#kept = new PrivateJson(secretsFile(keyDir), {
      what: "the secrets",
      parse: parseKept,
      repair: "Restore it from a backup, or remove it and set the secrets again with `pml secret set NAME`.",
      repairRights: (command) => `If no other user can have changed it, run ${command}.`,
    });
  }

  get keySource(): KeySource {
    if (this.#isInKeyring()) return { from: "keyring", name: this.#ring?.name ?? "" };
    if (this.#given !== undefined) return { from: "variable", name: KEY_VARIABLE };
    // An existing key stays; a first key is created in the keyring.
    const isNew = this.#file.read().length === 0;
    const place = isNew ? (this.#ring ?? this.#file) : this.#file;
    return { from: place.from, name: place.name };
  }

  /** Throws `SECRET_UNKNOWN` or `SECRET_UNREADABLE`. */
  value(name: string): string {
    const found = this.#decrypted(name);
    // Another process may have changed the key between the two reads.
    return found instanceof PmlError ? orThrow(this.#decrypted(name)) : found;
  }

  list(): readonly { readonly name: string; readonly setAt: string }[] {
    return Object.entries(this.#kept.read() ?? {})
      .filter(([name]) => !name.startsWith(FORMER))
      .map(([name, { setAt }]) => ({ name, setAt }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#kept.read() ?? {}, name);
  }

  /** Returns whether the name existed before. Throws `ARGUMENTS_INVALID`. */
  set(name: string, value: string, now = new Date()): boolean {
    checkSecret(name, value);
    let isReplaced = false;
    this.#kept.change((all = {}) => {
      isReplaced = Object.hasOwn(all, name);
      if (!isReplaced && Object.keys(all).length >= LIMITS.secrets)
        throw new PmlError("LIMIT_EXCEEDED", `Cannot keep "${name}": there are ${LIMITS.secrets} secrets`, {
          hint: "Remove unused secrets: `pml secret list` shows which servers use each one.",
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
        throw new PmlError("SECRET_UNKNOWN", `Cannot remove the secret "${name}": no secret has this name`, {
          hint: "`pml secret list` shows the names.",
        });
      return { secrets: Object.fromEntries(Object.entries(all).filter(([one]) => one !== name)) };
    });
  }

  /** Encrypts all secrets with a new master key, or with that of the variable. Returns how many. */
  rotate(): number {
    const isGiven = this.#given !== undefined && !this.#isInKeyring();
    const place = isGiven ? undefined : (this.#ring ?? this.#file);
    const made = place === undefined ? undefined : masterKey(randomBytes(KEY_BYTES));
    let count = 0;
    this.#kept.change((all = {}) => {
      const old = this.#knownKeys();
      const next = made ?? this.#currentKey();
      if (made === undefined && Object.values(all).every(({ key }) => key === next.id)) throw sameKey();
      const values = Object.keys(all).map((name) => [name, orThrow(this.#decrypted(name))] as const);
      count = values.filter(([name]) => !name.startsWith(FORMER)).length;
      // From here on both keys are stored, until no secret needs the old one.
      if (made !== undefined) place?.write([made, ...place.read()]);
      const now = new Date().toISOString();
      const derived = old
        .filter(({ id }) => id !== next.id)
        .map((key) => [FORMER + sealingKey(key).id, sealingKey(key).bytes.toString("base64")] as const);
      const former = [...derived, ...values.filter(([name]) => name.startsWith(FORMER))].slice(
        0,
        FORMER_KEPT,
      );
      const secrets = values.filter(([name]) => !name.startsWith(FORMER));
      return {
        secrets: Object.fromEntries(
          [...secrets, ...former].map(([name, value]) => [
            name,
            encrypted(name, value, next, all[name]?.setAt ?? now),
          ]),
        ),
      };
    });
    if (made !== undefined) place?.write([made]);
    if (place?.from === "keyring") this.#file.remove();
    return count;
  }

  /**
   * Keys for data that is sealed outside of this file: the current one, then the previous ones. Empty if there is no
   * master key yet, unless `isMade` requests one.
   */
  sealingKeys({ isMade = false } = {}): readonly MasterKey[] {
    if (isMade) this.#currentKey();
    const former = Object.keys(this.#kept.read() ?? {})
      .filter((name) => name.startsWith(FORMER))
      .flatMap((name) => {
        const found = this.#decrypted(name);
        return found instanceof PmlError ? [] : [masterKey(Buffer.from(found, "base64"))];
      });
    return [...this.#knownKeys().map(sealingKey), ...former];
  }

  #decrypted(name: string): string | PmlError {
    const all = this.#kept.read() ?? {};
    const kept = Object.hasOwn(all, name) ? all[name] : undefined;
    if (kept === undefined) return unknown(name);
    const key = this.#knownKeys().find(({ id }) => id === kept.key);
    if (key === undefined) return unreadable(name, "it was encrypted with another master key");
    return decrypted(name, kept, key) ?? unreadable(name, "its content was changed");
  }

  /** The current one first. The keyring is used only if a key is needed: it may prompt its user. */
  #knownKeys(): readonly MasterKey[] {
    const given = this.#given === undefined ? [] : [variableKey(this.#given)];
    return [...(this.#ring?.read() ?? []), ...given, ...this.#file.read()];
  }

  get #ring(): KeyPlace | undefined {
    this.#keyring ??= { place: this.#openKeyring() };
    return this.#keyring.place;
  }

  #isInKeyring(): boolean {
    return (this.#ring?.read().length ?? 0) > 0;
  }

  /**
   * The key for new secrets: the first existing one in this order; a new one is created in the keyring, else in a file.
   */
  #currentKey(): MasterKey {
    const [present] = this.#knownKeys();
    if (present !== undefined) return present;
    const made = masterKey(randomBytes(KEY_BYTES));
    try {
      if (this.#ring !== undefined) return this.#ring.first(made);
    } catch {
      // It can be read, but not written.
    }
    return this.#file.first(made);
  }
}

function sealingKey({ bytes }: MasterKey): MasterKey {
  return masterKey(Buffer.from(hkdfSync("sha256", bytes, Buffer.alloc(0), SEALING, KEY_BYTES)));
}

export function secretsFile(keyDir: string): string {
  return join(keyDir, STORE_FILE);
}

/** Whether a secret may have this name. */
export function isSecretName(name: string): boolean {
  return NAME.test(name);
}

/** Throws `ARGUMENTS_INVALID`; the message never contains the value. */
function checkSecret(name: string, value: string): void {
  const refuse = (why: string) => new PmlError("ARGUMENTS_INVALID", `Cannot keep this secret: ${why}`);
  if (!isSecretName(name))
    throw refuse(`its name must be 1 to ${LIMITS.secretNameChars} letters, digits, "_", "-" or "."`);
  if (value === "") throw refuse("its value is empty");
  if (value.includes("\0")) throw refuse("its value has a NUL character, which no variable can have");
  if (Buffer.byteLength(value) > LIMITS.secretBytes)
    throw refuse(`its value has more than ${LIMITS.secretBytes} bytes`);
}

function encrypted(name: string, value: string, key: MasterKey, setAt: string): Kept {
  return { setAt, key: key.id, ...sealed(value, key.bytes, name) };
}

function decrypted(name: string, kept: Kept, { bytes }: MasterKey): string | undefined {
  return unsealed(kept, bytes, name);
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
    `Cannot make a new master key: the key comes from ${KEY_VARIABLE}, and all secrets already use that key`,
    { hint: `Set the secrets again with another key in ${KEY_VARIABLE}.` },
  );
}

/**
 * Parses by hand: a client that joins a gateway reads this file, and a schema library takes longer to load than that.
 */
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
