/**
 * One JSON file in the key directory that only its owner may read or write: the PIN, the trusted keys, the accepted
 * configurations. A file that others can access, or that PML did not write, is an error and never "no file".
 *
 * @module
 */
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { ZodType } from "zod";
import { messageOf, PmlError } from "../base/pml-error.js";
import { lockFile } from "./file-lock.js";
import { checkPrivateDirectory, NotPrivate, readPrivateFile } from "./private-file.js";
import { writeWhole } from "./write-whole.js";

/** The content of the file, and the texts of its errors. */
export interface PrivateJsonOptions<T> {
  /** Continues a sentence that begins with "Cannot use". */
  readonly what: string;
  /** Throws an `Error` with the reason if the content is invalid. */
  readonly parse: (value: unknown) => T;
  /** The remedy for invalid content. */
  readonly repair: string;
  /** The remedy for wrong permissions; `command` repairs them. */
  readonly repairRights: (command: string) => string;
}

export class PrivateJson<T> {
  readonly file: string;
  readonly #options: PrivateJsonOptions<T>;

  constructor(file: string, options: PrivateJsonOptions<T>) {
    this.file = file;
    this.#options = options;
  }

  /** The content of the file; undefined if it does not exist. Throws `CONFIG_INVALID`. */
  read(): T | undefined {
    const text = this.#text();
    if (text === undefined) return undefined;
    const { parse, repair } = this.#options;
    try {
      return parse(JSON.parse(text));
    } catch (error) {
      throw this.problem(error instanceof SyntaxError ? "it is not JSON" : messageOf(error), repair, error);
    }
  }

  /** Writes the result of `work` on the current content. Safe with concurrent processes. */
  change(work: (present: T | undefined) => unknown): void {
    try {
      mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 });
      const unlock = lockFile(this.file);
      try {
        writeWhole(this.file, `${JSON.stringify(work(this.read()), undefined, 2)}\n`);
      } finally {
        unlock();
      }
    } catch (error) {
      if (error instanceof PmlError) throw error;
      throw this.problem(messageOf(error), "Check that its directory is writable.", error);
    }
  }

  problem(why: string, hint: string, cause?: unknown): PmlError {
    return new PmlError("CONFIG_INVALID", `Cannot use ${this.#options.what} in "${this.file}": ${why}`, {
      hint,
      cause,
    });
  }

  #text(): string | undefined {
    try {
      // A user who can write to the directory can replace or remove the file.
      checkPrivateDirectory(dirname(this.file));
      return readPrivateFile(this.file);
    } catch (error) {
      const { repair, repairRights } = this.#options;
      const command = error instanceof NotPrivate ? error.hint : undefined;
      const hint = command === undefined ? repair : repairRights(command);
      throw this.problem(messageOf(error), hint, error);
    }
  }
}

/** Parses with a schema; the error names the first invalid place. */
export function parsedBy<T>(schema: ZodType<T>): (value: unknown) => T {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join(".")}: ${issue?.message}`);
  };
}
