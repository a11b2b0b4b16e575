/**
 * The person's PIN: a hash in a file beside the installation key, outside of the data. Once it is set, it counts for
 * every gateway and command that uses this key directory.
 *
 * A file that cannot be used (another owner, another mode, other content) is an error and never "no PIN".
 *
 * @module
 */
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { PinAttempts } from "./pin-attempts.js";
import { PrivateJson, parsedBy } from "./private-json.js";

const PIN_FILE = "pin.json";
const ATTEMPTS = "pin-attempts";

/** 32 MiB and about a tenth of a second per attempt. */
const COST = { N: 32_768, r: 8, p: 1, maxmem: 67_108_864 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

const fileSchema = z.strictObject({
  algorithm: z.literal("scrypt-32768-8-1"),
  salt: bytes(SALT_BYTES),
  hash: bytes(HASH_BYTES),
});

type Kept = z.output<typeof fileSchema>;

/** The files of a PIN and its wrong attempts in a key directory. */
export function pinFiles(directory: string): { readonly file: string; readonly attempts: string } {
  return { file: join(directory, PIN_FILE), attempts: join(directory, ATTEMPTS) };
}

export class Pin {
  readonly #kept: PrivateJson<Kept>;
  readonly #attempts: PinAttempts;

  /** `directory` is the key directory. It is created when a PIN is set. */
  constructor(directory: string, now: () => number = Date.now) {
    const { file, attempts } = pinFiles(directory);
    this.#kept = new PrivateJson(file, {
      what: "the PIN",
      parse: parsedBy(fileSchema),
      repair: "Find out who changed it. Restore the file, or remove it and run `pml pin set`.",
      repairRights: (command) => `Find out who changed it, then run ${command}.`,
    });
    this.#attempts = new PinAttempts(attempts, now);
  }

  get file(): string {
    return this.#kept.file;
  }

  /** Throws `CONFIG_INVALID` if that cannot be determined. */
  isSet(): boolean {
    return this.#kept.read() !== undefined;
  }

  /** Throws `PIN_WRONG`, or `PIN_LOCKED` after too many wrong ones. Must only be called if a PIN is set. */
  async check(pin: string): Promise<void> {
    const kept = this.#kept.read();
    if (kept === undefined) throw this.#kept.problem("no PIN is set", "Set one with `pml pin set`.");
    const count = this.#count();
    const hash = await hashOf(pin, kept.salt);
    if (timingSafeEqual(hash, kept.hash)) return this.#attempts.clear();
    const left = LIMITS.pinWrongMost - count;
    throw new PmlError("PIN_WRONG", "The PIN is wrong, and nothing was decided", {
      hint:
        left > 0
          ? `Run the command again. After ${left} more wrong ${left === 1 ? "PIN" : "PINs"} you have to wait.`
          : "The next PIN can be tried after a pause, which gets longer with each wrong one.",
    });
  }

  /** Sets or replaces the PIN; the caller has checked the old one. */
  async set(pin: string): Promise<void> {
    checkForm(pin);
    const salt = randomBytes(SALT_BYTES);
    const hash = await hashOf(pin, salt);
    const content: z.input<typeof fileSchema> = {
      algorithm: "scrypt-32768-8-1",
      salt: salt.toString("base64"),
      hash: hash.toString("base64"),
    };
    this.#kept.change(() => content);
    this.#attempts.clear();
  }

  /** Removes the PIN; the caller has checked it. */
  remove(): void {
    rmSync(this.file, { force: true });
    this.#attempts.clear();
  }

  /** Counts before it compares, so that concurrent attempts count too. */
  #count(): number {
    try {
      return this.#attempts.begin();
    } catch (error) {
      if (error instanceof PmlError) throw error;
      throw this.#kept.problem(messageOf(error), "Check that its directory is writable.", error);
    }
  }
}

/** Throws `ARGUMENTS_INVALID`; the message does not contain the PIN. */
export function checkForm(pin: string): void {
  const { pinCharsLeast: least, pinCharsMost: most } = LIMITS;
  const count = [...pin].length;
  if (count < least || count > most)
    throw new PmlError("ARGUMENTS_INVALID", `Cannot use this PIN: expected ${least} to ${most} characters`);
}

function hashOf(pin: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Another keyboard may produce the same characters as other code points.
    scrypt(pin.normalize("NFC"), salt, HASH_BYTES, COST, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

function bytes(count: number) {
  return z
    .string()
    .transform((text) => Buffer.from(text, "base64"))
    .refine((buffer) => buffer.length === count, { error: `expected ${count} bytes in base64` });
}
