/**
 * The nesting depth of code, found without a parser.
 *
 * The parser is native code that recurses: about ten thousand levels overflow its stack, which ends the process. So
 * code is scanned first. The scanned depth must never be too low; a little too high is acceptable. If a slash could
 * start a regular expression or be a division, tokens alone do not determine the depth: such code is accepted only if
 * it is small.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";

/** The position where code is nested too deeply, or `undefined`. */
export function findDeepNesting(code: string): { readonly offset: number } | undefined {
  // Each level takes at least one character.
  if (code.length <= LIMITS.codeLevels) return undefined;
  const scan = new LevelScan(code);
  if (scan.tooDeepAt !== undefined) return { offset: scan.tooDeepAt };
  if (scan.ambiguousAt === undefined) return undefined;
  const isSmall = code.length <= SMALL_CHARS && (code.match(/[([{]/g)?.length ?? 0) <= LIMITS.codeLevels;
  return isSmall ? undefined : { offset: scan.ambiguousAt };
}

/** Code of this size cannot overflow the parser's stack without brackets. */
const SMALL_CHARS = 16_384;

interface Level {
  /** Tokens since the last separator that may each be one level, such as operators. */
  chain: number;
  /** Angle brackets and statements among them, which a comma does not end. */
  sticky: number;
  /** The opening bracket; "`" for the placeholder of a template. */
  readonly opener: string;
  /** Whether a slash after the closing bracket starts a regular expression: `if (x) /re/`. */
  readonly isHead: boolean;
}

/** An expression starts after these words. */
const BEFORE_EXPRESSION: ReadonlySet<string> = new Set(
  (
    "return typeof instanceof in new delete void throw do else extends case await yield default " +
    "if while for with switch try finally catch import export const let var function class"
  ).split(" "),
);
const HEADS: ReadonlySet<string> = new Set(["if", "while", "for", "with"]);
/** Words that may each add one level without a bracket. */
const NESTING_WORDS: ReadonlySet<string> = new Set(
  (
    "if else for while do with new await yield typeof void delete in instanceof as satisfies keyof unique infer " +
    "readonly extends is asserts abstract async function class case return throw"
  ).split(" "),
);

/** Words that continue the expression before them. */
const CONTINUING_WORDS: ReadonlySet<string> = new Set(
  "in instanceof of as satisfies is asserts extends implements else while catch finally from".split(" "),
);
/** Those of them that nest statements. */
const STATEMENT_WORDS: ReadonlySet<string> = new Set(["if", "else", "for", "while", "do", "with"]);

/** Everything that the parser skips, and a little more. */
const SPACE = /(?:[\s\0-\x20\x85\u180e\u200b]+|\/\/[^\n\r\u2028\u2029]*|\/\*.*?(?:\*\/|$))+/sy;
const LINE_END = /[\n\r\u2028\u2029]/;
const WORD = /(?:[\w$\\#]|[^\0-\x7f\s\x85\u180e\u200b])+/y;
const DOUBLE_QUOTED = /"(?:[^"\\\n\r]+|\\.)*/sy;
const SINGLE_QUOTED = /'(?:[^'\\\n\r]+|\\.)*/sy;
const TEMPLATE = /(?:[^\\`$]+|\\.|\$(?!\{))*/sy;
const REGEX = /\/(?:[^\\/[\n\r]|\\.|\[(?:[^\\\]\n\r]|\\.)*\])*\//sy;

/** The kind of the last token, for deciding what a slash after it means. */
type Last = "start" | "operand" | "operator" | "unclear";

class LevelScan {
  tooDeepAt: number | undefined;
  ambiguousAt: number | undefined;
  readonly #code: string;
  readonly #levels: Level[] = [{ chain: 0, sticky: 0, opener: "", isHead: false }];
  #level = this.#levels[0] as Level;
  /** The depth of all levels together, with their chains. */
  #depth = 0;
  #at = 0;
  #last: Last = "start";
  #lastPunctuator = "";
  #lastWord = "";
  #wordBefore = "";
  #isAfterDot = false;
  #isNewLine = false;
  /** After a semicolon the chain ends, unless `else` continues it. */
  #isEnding = false;

  constructor(code: string) {
    this.#code = code;
    while (this.#at < code.length && this.tooDeepAt === undefined) {
      if (this.#levels.length > LIMITS.codeLevels || this.#depth > LIMITS.codeChainTokens)
        this.tooDeepAt = this.#at;
      else this.#token();
    }
  }

  #token(): void {
    const space = this.#take(SPACE);
    if (space !== "") {
      this.#isNewLine ||= LINE_END.test(space);
      return;
    }
    const word = this.#take(WORD);
    if (word !== "") this.#word(word);
    else this.#punctuator(this.#code[this.#at] as string);
    this.#isNewLine = false;
  }

  /** Consumes and returns the match of the pattern at the current position. */
  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [text = ""] = pattern.exec(this.#code) ?? [];
    this.#at += text.length;
    return text;
  }

  #word(word: string): void {
    const escaped = word.indexOf("\\");
    if (escaped >= 0) this.ambiguousAt ??= this.#at - word.length + escaped;
    // The dot of `1.` is not a property access.
    if (this.#code[this.#at] === "." && /^[0-9_]+$/.test(word)) {
      this.#at += 1;
      this.#take(WORD);
    }
    const isName = this.#isAfterDot;
    if (this.#isEnding && word !== "else") this.#reset(false);
    // Two operands on two lines are two statements, even without a semicolon.
    else if (this.#isNewLine && !isName && this.#endsOperand() && !CONTINUING_WORDS.has(word))
      this.#reset(true);
    this.#isEnding = false;
    this.#isAfterDot = false;
    this.#wordBefore = this.#lastWord;
    this.#lastPunctuator = "";
    this.#lastWord = isName ? "" : word;
    this.#last = "operand";
    if (isName) return;
    if (BEFORE_EXPRESSION.has(word)) this.#last = "operator";
    else if (word === "of") this.#last = "unclear";
    if (NESTING_WORDS.has(word)) this.#lengthen(STATEMENT_WORDS.has(word));
  }

  #punctuator(c: string): void {
    if (this.#isEnding) this.#reset(false);
    this.#isEnding = false;
    this.#isAfterDot = false;
    if (c === '"' || c === "'") this.#string(c);
    else if (c === "/") this.#slash();
    else {
      this.#at += 1;
      this.#sign(c);
    }
    this.#lastPunctuator = c;
    this.#lastWord = "";
  }

  #sign(c: string): void {
    switch (c) {
      case "`":
        // A template after an operand is a call, and so a level.
        this.#lengthen();
        this.#template();
        break;
      case "(":
      case "[":
      case "{":
        this.#open(c);
        break;
      case ")":
      case "]":
        this.#last = c === ")" && this.#level.isHead ? "operator" : "operand";
        this.#close();
        break;
      case "}": {
        const isHole = this.#level.opener === "`";
        this.#close();
        this.#last = "unclear";
        if (isHole) this.#template();
        break;
      }
      case ";":
        this.#isEnding = true;
        this.#last = "operator";
        break;
      case ",":
        this.#reset(true);
        this.#last = "operator";
        break;
      case ".":
        this.#dot();
        break;
      default:
        this.#operator(c);
    }
  }

  #string(quote: string): void {
    this.#take(quote === '"' ? DOUBLE_QUOTED : SINGLE_QUOTED);
    const end = this.#code[this.#at];
    if (end === "\n" || end === "\r") this.ambiguousAt ??= this.#at;
    this.#at += 1;
    this.#last = "operand";
  }

  /** Consumes the text of a template up to its end or its next `${`. */
  #template(): void {
    this.#take(TEMPLATE);
    const end = this.#code[this.#at];
    if (end === "`") {
      this.#at += 1;
      this.#last = "operand";
    } else if (end === "$") {
      this.#at += 2;
      this.#open("`");
    } else {
      this.#at = this.#code.length;
      this.ambiguousAt ??= this.#at;
    }
  }

  #slash(): void {
    const isOperand = this.#last === "operand";
    if (this.#last === "unclear" || (isOperand && this.#isNewLine)) this.ambiguousAt ??= this.#at;
    if (isOperand || this.#last === "unclear") {
      this.#at += 1;
      this.#lengthen();
      this.#last = "operator";
      return;
    }
    if (this.#take(REGEX) === "") {
      this.#at = this.#code.length;
      this.ambiguousAt ??= this.#at;
    }
    this.#last = "operand";
  }

  #dot(): void {
    const next = this.#code[this.#at] ?? "";
    if (/[0-9]/.test(next)) {
      this.#take(WORD);
      this.#last = "operand";
      return;
    }
    this.#lengthen();
    this.#isAfterDot = next !== ".";
    this.#last = "operator";
    if (next === ".") this.#at += 2;
  }

  /** `x!` and `x++` end an operand, `!x` and `++x` start one; `>` may do either, except in an arrow. */
  #operator(c: string): void {
    const next = this.#code[this.#at];
    const isDouble = (c === "+" || c === "-") && next === c;
    const isArrow = c === ">" && this.#code[this.#at - 2] === "=";
    const isAfterOperand = c === "!" && next !== "=" && this.#last === "operand";
    this.#last = isDouble || isAfterOperand || (c === ">" && !isArrow) ? "unclear" : "operator";
    this.#lengthen(c === "<");
    if (isDouble) this.#at += 1;
  }

  #lengthen(isSticky = false): void {
    this.#level.chain += 1;
    this.#depth += 1;
    if (isSticky) this.#level.sticky += 1;
  }

  #reset(keepsSticky: boolean): void {
    if (!keepsSticky) this.#level.sticky = 0;
    this.#depth -= this.#level.chain - this.#level.sticky;
    this.#level.chain = this.#level.sticky;
  }

  #open(opener: string): void {
    // A call or an index is also a level of its chain: `a()()()`.
    this.#lengthen();
    const isHead = HEADS.has(this.#lastWord) || (this.#lastWord === "await" && this.#wordBefore === "for");
    this.#level = { chain: 0, sticky: 0, opener, isHead: opener === "(" && isHead };
    this.#levels.push(this.#level);
    this.#depth += 1;
    this.#last = "operator";
  }

  #close(): void {
    if (this.#levels.length === 1) return;
    this.#depth -= this.#level.chain + 1;
    this.#levels.pop();
    this.#level = this.#levels.at(-1) as Level;
  }

  #endsOperand(): boolean {
    return (this.#last === "operand" || this.#lastPunctuator === "}") && !NESTING_WORDS.has(this.#lastWord);
  }
}
