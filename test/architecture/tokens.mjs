/**
 * Cuts TypeScript into tokens: enough to tell code from comments and from text that only looks like code.
 *
 * Plain JavaScript, because `npm run requirements` runs it on Node 20 without a build.
 * The types are in `tokens.d.mts`.
 *
 * @module
 */

/** After one of these words a slash starts a regular expression; after any other it divides. */
const BEFORE_EXPRESSION = new Set(
  "return typeof case in of delete void throw new else do await yield instanceof default".split(" "),
);

/** Stands in a template's text for each of its `${…}`. */
export const HOLE = "\u{FFFC}";

const WORD = /[\p{ID_Start}$_#\d][\p{ID_Continue}$]*/uy;

/** @param {string} text */
export function tokenize(text) {
  return new Scanner(text).tokensUntilEnd();
}

class Scanner {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.line = 1;
  }

  tokensUntilEnd() {
    return this.tokensUntil(undefined);
  }

  /** Reads until the closing brace that ends a `${…}`, or to the end of the text. */
  tokensUntil(closing) {
    const tokens = [];
    let depth = 0;
    while (this.at < this.text.length) {
      const char = this.text[this.at];
      if (closing !== undefined && depth === 0 && char === closing) break;
      if (char === "{") depth += 1;
      if (char === "}") depth -= 1;
      const token = this.next(char, tokens.at(-1));
      if (token !== undefined) tokens.push(token);
    }
    return tokens;
  }

  next(char, previous) {
    if (/\s/.test(char)) return this.skip(this.at + 1);
    if (this.text.startsWith("//", this.at)) return this.skip(this.indexOf("\n"));
    if (this.text.startsWith("/*", this.at)) return this.skip(this.indexOf("*/", 2) + 2);
    if (this.at === 0 && this.text.startsWith("#!")) return this.skip(this.indexOf("\n"));
    if (char === '"' || char === "'") return this.string(char);
    if (char === "`") return this.template();
    if (char === "/" && startsExpression(previous)) return this.regex();
    WORD.lastIndex = this.at;
    const word = WORD.exec(this.text)?.[0];
    if (word !== undefined) return this.take("word", word, this.at + word.length);
    return this.take("punctuation", char, this.at + 1);
  }

  string(quote) {
    let end = this.at + 1;
    while (end < this.text.length && this.text[end] !== quote && this.text[end] !== "\n") {
      end += this.text[end] === "\\" ? 2 : 1;
    }
    return this.take("string", this.text.slice(this.at + 1, end), end + 1);
  }

  template() {
    const line = this.line;
    let text = "";
    this.skip(this.at + 1);
    while (this.at < this.text.length && this.text[this.at] !== "`") {
      if (this.text.startsWith("${", this.at)) {
        this.skip(this.at + 2);
        this.tokensUntil("}");
        this.skip(this.at + 1);
        text += HOLE;
      } else {
        const end = this.at + (this.text[this.at] === "\\" ? 2 : 1);
        text += this.text.slice(this.at, end);
        this.skip(end);
      }
    }
    this.skip(this.at + 1);
    return { kind: "template", text, line };
  }

  regex() {
    let end = this.at + 1;
    let inClass = false;
    while (end < this.text.length && this.text[end] !== "\n" && (inClass || this.text[end] !== "/")) {
      if (this.text[end] === "[") inClass = true;
      if (this.text[end] === "]") inClass = false;
      end += this.text[end] === "\\" ? 2 : 1;
    }
    return this.take("regex", this.text.slice(this.at, end + 1), end + 1);
  }

  take(kind, text, end) {
    const token = { kind, text, line: this.line };
    this.skip(end);
    return token;
  }

  skip(end) {
    for (let index = this.at; index < end; index += 1) if (this.text[index] === "\n") this.line += 1;
    this.at = Math.min(end, this.text.length);
    return undefined;
  }

  indexOf(needle, from = 0) {
    const found = this.text.indexOf(needle, this.at + from);
    return found === -1 ? this.text.length : found;
  }
}

function startsExpression(previous) {
  if (previous === undefined) return true;
  if (previous.kind === "word") return BEFORE_EXPRESSION.has(previous.text);
  return previous.kind === "punctuation" && !")]}".includes(previous.text);
}

/** The index of the bracket that closes the one at `open`, or the last index when none does. */
export function closingIndex(tokens, open) {
  let depth = 0;
  for (let index = open; index < tokens.length; index += 1) {
    const { kind, text } = tokens[index];
    if (kind !== "punctuation") continue;
    if ("([{".includes(text)) depth += 1;
    if (")]}".includes(text)) depth -= 1;
    if (depth === 0) return index;
  }
  return tokens.length - 1;
}
