/**
 * The lines of a file that a person was shown, by their hashes, so that exactly the accepted lines are imported.
 *
 * @module
 */

import { PmlError } from "../base/pml-error.js";
import { sha256 } from "../base/sha256.js";

export class SeenLines {
  readonly #hashes: string[] = [];
  #next: number | undefined;

  /** The person has agreed: from now on the file is read again, and must be the same. */
  confirm(): void {
    this.#next = 0;
  }

  /** Throws `IMPORT_INVALID` for a line that was not shown at this position. */
  see(line: number, text: string): void {
    const hash = sha256(`${line} ${text}`);
    if (this.#next === undefined) {
      this.#hashes.push(hash);
      return;
    }
    if (this.#hashes[this.#next] !== hash)
      throw new PmlError("IMPORT_INVALID", `The file has changed since it was shown, in line ${line}`, {
        hint: "Import it again, and review its new content. Lines before that one may have been imported.",
      });
    this.#next += 1;
  }
}
