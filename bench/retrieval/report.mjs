import { readFileSync, writeFileSync } from "node:fs";
import { tableOf } from "../harness/table.mjs";

/** A report that is printed, and can be written into a document. */
export class Report {
  #by;
  #parts = [];

  /** @param {string} by the benchmark, as in the marks */
  constructor(by) {
    this.#by = by;
  }

  say(text) {
    this.#parts.push(text);
    console.log(`${text}\n`);
  }

  table(head, rows) {
    this.say(tableOf(head, rows));
  }

  /** Replaces the text between the two marks. */
  write(file) {
    const text = readFileSync(file, "utf8");
    const [first, last] = ["begin", "end"].map((mark) => `<!-- made by ${this.#by}: ${mark} -->`);
    const [begin, end] = [text.indexOf(first), text.indexOf(last)];
    if (begin < 0 || end < begin) throw new Error(`${file} has no lines ${first} and ${last}`);
    const made = this.#parts.join("\n\n");
    writeFileSync(file, `${text.slice(0, begin + first.length)}\n\n${made}\n\n${text.slice(end)}`);
  }
}
