/**
 * Pages of a JSON text, counted in Unicode characters, unchanged or indented for people.
 *
 * The indented text is never built as a whole: a few megabytes of deeply nested JSON would become gigabytes of spaces.
 * Its characters are only counted, and only the requested page is written.
 *
 * @module
 */

export interface CharacterPage {
  readonly content: string;
  /** The length of the whole text in characters. */
  readonly total: number;
}

const INDENT_COLUMNS = 2;

/** Some characters of a text, without splitting any; empty past its end. */
export function pageOf(text: string, offset: number, limit: number): CharacterPage {
  const page = new Page(offset, limit);
  page.text(text);
  return page.done();
}

/** A page of the text as `JSON.stringify(value, null, 2)` would write it; `json` is without white space. */
export function prettyPageOf(json: string, offset: number, limit: number): CharacterPage {
  const page = new Page(offset, limit);
  writePretty(json, page);
  return page.done();
}

function writePretty(json: string, to: Page): void {
  let levels = 0;
  let written = 0;
  // A string or a number is written when the token after it is found.
  const upTo = (end: number) => {
    if (end > written) to.text(json.slice(written, end));
    written = end;
  };
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case '"':
        at = endOfString(json, at);
        break;
      case "{":
      case "[": {
        const next = json[at + 1];
        if (next === "}" || next === "]") {
          at += 1;
          break;
        }
        upTo(at + 1);
        levels += 1;
        to.line(levels);
        break;
      }
      case "}":
      case "]":
        upTo(at);
        levels -= 1;
        to.line(levels);
        break;
      case ",":
        upTo(at + 1);
        to.line(levels);
        break;
      case ":":
        upTo(at + 1);
        to.text(" ");
        break;
    }
  }
  upTo(json.length);
}

/** The closing quote of the string that starts at `start`. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end;
}

function isEscaped(json: string, at: number): boolean {
  let first = at;
  while (json[first - 1] === "\\") first -= 1;
  return (at - first) % 2 === 1;
}

class Page {
  readonly #start: number;
  readonly #end: number;
  readonly #parts: string[] = [];
  #total = 0;

  constructor(offset: number, limit: number) {
    this.#start = offset;
    this.#end = offset + limit;
  }

  text(text: string): void {
    const before = this.#total;
    const from = unitsOf(text, 0, this.#start - before);
    const to = unitsOf(text, from, Math.min(this.#end - before, this.#end - this.#start));
    if (to > from) this.#parts.push(text.slice(from, to));
    this.#total += charactersOf(text);
  }

  /** A new line, and `levels` of indentation. */
  line(levels: number): void {
    const before = this.#total;
    this.#total += 1 + levels * INDENT_COLUMNS;
    const from = Math.max(before, this.#start);
    const to = Math.min(this.#total, this.#end);
    if (to <= from) return;
    const hasBreak = from === before;
    this.#parts.push((hasBreak ? "\n" : "") + " ".repeat(to - from - (hasBreak ? 1 : 0)));
  }

  done(): CharacterPage {
    return { content: this.#parts.join(""), total: this.#total };
  }
}

/** The index after `count` characters from the code unit `from`; the end of the text if it has fewer. */
function unitsOf(text: string, from: number, count: number): number {
  let at = from;
  for (let left = count; left > 0 && at < text.length; left -= 1) at += isPair(text, at) ? 2 : 1;
  return Math.min(at, text.length);
}

export function charactersOf(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1)
    if (isPair(text, at)) {
      pairs += 1;
      at += 1;
    }
  return text.length - pairs;
}

/** A lone surrogate counts as a character too. */
function isPair(text: string, at: number): boolean {
  const high = text.charCodeAt(at);
  if (high < 0xd800 || high > 0xdbff) return false;
  const low = text.charCodeAt(at + 1);
  return low >= 0xdc00 && low <= 0xdfff;
}
