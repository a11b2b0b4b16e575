/**
 * How deep code is nested, found without a parser.
 *
 * The parser is native code that recurses: some ten thousand levels overflow its stack, and that ends the process. So
 * code is looked through first. The bound must not be too low, whatever the code; being too high by a little is fine.
 * Only where a slash could start a regular expression or be a division, a bound cannot be had from tokens alone: such
 * code is accepted when it is small.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";

/** Where code is nested too deeply, or `undefined`. */
export function findDeepNesting(code: string): { readonly offset: number } | undefined {
  // A level takes a character at least.
  if (code.length <= LIMITS.codeLevels) return undefined;
  const scan = scanLevels(code);
  if (scan.tooDeepAt !== undefined) return { offset: scan.tooDeepAt };
  if (scan.ambiguousAt === undefined) return undefined;
  const isSmall = code.length <= SMALL_CHARS && (code.match(/[([{]/g)?.length ?? 0) <= LIMITS.codeLevels;
  return isSmall ? undefined : { offset: scan.ambiguousAt };
}

/** Whatever stands in so much code, it does not overflow the parser's stack without brackets. */
const SMALL_CHARS = 16_384;

interface Level {
  /** Tokens since the last separator that can each be a level of their own, such as operators. */
  chain: number;
  /** Angle brackets and statements among them: a comma does not end these. */
  sticky: number;
  readonly opener: number;
  /** Whether a slash after the closing bracket starts a regular expression: `if (x) /re/`. */
  readonly heads: boolean;
}

interface Scan {
  readonly tooDeepAt: number | undefined;
  readonly ambiguousAt: number | undefined;
}

/** After these words an expression starts. */
const BEFORE_EXPRESSION: ReadonlySet<string> = new Set(
  (
    "return typeof instanceof in new delete void throw do else extends case await yield default " +
    "if while for with switch try finally catch import export const let var function class"
  ).split(" "),
);
const HEADS: ReadonlySet<string> = new Set(["if", "while", "for", "with"]);
/** Words that can each be one more level without a bracket. */
const NESTING_WORDS: ReadonlySet<string> = new Set(
  (
    "if else for while do with new await yield typeof void delete in instanceof as satisfies keyof unique infer " +
    "readonly extends is asserts abstract async function class case return throw"
  ).split(" "),
);

/** Words that go on with what stands before them. */
const CONTINUING_WORDS: ReadonlySet<string> = new Set(
  "in instanceof of as satisfies is asserts extends implements else while catch finally from".split(" "),
);
/** Those of them that nest statements. */
const STATEMENT_WORDS: ReadonlySet<string> = new Set(["if", "else", "for", "while", "do", "with"]);

/** What the last token was, as far as a slash after it is concerned. */
const LAST = { start: 0, operand: 1, operator: 2, unclear: 3 } as const;

function scanLevels(code: string): Scan {
  const length = code.length;
  const levels: Level[] = [{ chain: 0, sticky: 0, opener: 0, heads: false }];
  let level = levels[0] as Level;
  let depth = 0;
  let ambiguousAt: number | undefined;
  let last: number = LAST.start;
  let lastPunctuator = 0;
  let lastWord = "";
  let wordBefore = "";
  let afterDot = false;
  let newline = false;
  let pendingReset = false;
  let i = 0;

  const reset = (keepSticky: boolean): void => {
    depth -= level.chain - (keepSticky ? level.sticky : 0);
    level.chain = keepSticky ? level.sticky : 0;
    if (!keepSticky) level.sticky = 0;
  };
  const open = (opener: number): void => {
    // A call or an index is a level of the chain it stands in, too: `a()()()`.
    level.chain += 1;
    const heads = opener === 40 && (HEADS.has(lastWord) || (lastWord === "await" && wordBefore === "for"));
    level = { chain: 0, sticky: 0, opener, heads };
    levels.push(level);
    depth += 2;
  };
  const close = (): void => {
    if (levels.length === 1) return;
    depth -= level.chain + 1;
    levels.pop();
    level = levels[levels.length - 1] as Level;
  };
  const endsOperand = (): boolean =>
    (last === LAST.operand || lastPunctuator === 125) && !NESTING_WORDS.has(lastWord);
  /** Skips the characters of a template up to its end or its next `${`. */
  const template = (): void => {
    while (i < length) {
      const c = code.charCodeAt(i);
      if (c === 92) i += 2;
      else if (c === 96) {
        i += 1;
        last = LAST.operand;
        return;
      } else if (c === 36 && code.charCodeAt(i + 1) === 123) {
        i += 2;
        open(96);
        last = LAST.operator;
        return;
      } else i += 1;
    }
    ambiguousAt ??= length;
  };

  while (i < length) {
    if (levels.length > LIMITS.codeLevels || depth > LIMITS.codeChainTokens)
      return { tooDeepAt: i, ambiguousAt };
    const c = code.charCodeAt(i);
    if (c === 10 || c === 13 || c === 0x2028 || c === 0x2029) {
      newline = true;
      i += 1;
      continue;
    }
    if (isSpace(c)) {
      i += 1;
      continue;
    }
    const next = code.charCodeAt(i + 1);
    if (c === 47 && next === 47) {
      while (i < length && !isLineEnd(code.charCodeAt(i))) i += 1;
      continue;
    }
    if (c === 47 && next === 42) {
      const end = code.indexOf("*/", i + 2);
      const stop = end === -1 ? length : end + 2;
      for (let at = i; at < stop && !newline; at += 1) newline = isLineEnd(code.charCodeAt(at));
      i = stop;
      continue;
    }

    if (isWordCharacter(c)) {
      const start = i;
      while (i < length && isWordCharacter(code.charCodeAt(i))) {
        if (code.charCodeAt(i) === 92) ambiguousAt ??= i;
        i += 1;
      }
      const word = code.slice(start, i);
      // The dot of `1.` is no access to a property.
      if (code.charCodeAt(i) === 46 && /^[0-9_]+$/.test(word)) {
        i += 1;
        while (i < length && isWordCharacter(code.charCodeAt(i))) i += 1;
      }
      const isName = afterDot;
      if (pendingReset && word !== "else") reset(false);
      // Two operands on two lines are two statements, whether a semicolon is there or not.
      else if (newline && !isName && endsOperand() && !CONTINUING_WORDS.has(word)) reset(true);
      pendingReset = false;
      wordBefore = lastWord;
      lastPunctuator = 0;
      lastWord = isName ? "" : word;
      if (isName) last = LAST.operand;
      else if (BEFORE_EXPRESSION.has(word)) last = LAST.operator;
      else last = word === "of" ? LAST.unclear : LAST.operand;
      if (!isName && NESTING_WORDS.has(word)) {
        level.chain += 1;
        depth += 1;
        if (STATEMENT_WORDS.has(word)) level.sticky += 1;
      }
      afterDot = false;
      newline = false;
      continue;
    }
    if (pendingReset) reset(false);
    pendingReset = false;
    afterDot = false;

    switch (c) {
      case 34: // "
      case 39: {
        i += 1;
        while (i < length && code.charCodeAt(i) !== c) {
          const inside = code.charCodeAt(i);
          if (inside === 10 || inside === 13) {
            ambiguousAt ??= i;
            break;
          }
          i += inside === 92 ? 2 : 1;
        }
        i += 1;
        last = LAST.operand;
        break;
      }
      case 96: // `
        // A template after an operand is a call, and so a level.
        level.chain += 1;
        depth += 1;
        i += 1;
        template();
        break;
      case 40: // (
      case 91: // [
      case 123: // {
        open(c);
        last = LAST.operator;
        i += 1;
        break;
      case 41: // )
      case 93: {
        const heads = c === 41 && level.opener === 40 && level.heads;
        close();
        last = heads ? LAST.operator : LAST.operand;
        i += 1;
        break;
      }
      case 125: {
        const inTemplate = level.opener === 96;
        close();
        i += 1;
        last = LAST.unclear;
        if (inTemplate) template();
        break;
      }
      case 59: // ;
        pendingReset = true;
        last = LAST.operator;
        i += 1;
        break;
      case 44: // ,
        reset(true);
        last = LAST.operator;
        i += 1;
        break;
      case 46: // .
        if (next >= 48 && next <= 57) {
          i += 1;
          while (i < length && isWordCharacter(code.charCodeAt(i))) i += 1;
          last = LAST.operand;
          break;
        }
        level.chain += 1;
        depth += 1;
        afterDot = next !== 46;
        last = LAST.operator;
        i += next === 46 ? 3 : 1;
        break;
      case 47: {
        const isOperand = last === LAST.operand;
        if (last === LAST.unclear || (isOperand && newline)) ambiguousAt ??= i;
        if (isOperand || last === LAST.unclear) {
          level.chain += 1;
          depth += 1;
          last = LAST.operator;
          i += 1;
        } else {
          i = afterRegex(code, i);
          if (i > length) ambiguousAt ??= length;
          last = LAST.operand;
        }
        break;
      }
      default: {
        // `x!` and `x++` end an operand, `!x` and `++x` start one; `>` does either, but for that of an arrow.
        const before: number = last;
        if (c === 33 && next !== 61) last = before === LAST.operand ? LAST.unclear : LAST.operator;
        else if ((c === 43 || c === 45) && next === c) last = LAST.unclear;
        else last = c === 62 && code.charCodeAt(i - 1) !== 61 ? LAST.unclear : LAST.operator;
        if (c === 60) level.sticky += 1;
        level.chain += 1;
        depth += 1;
        i += (c === 43 || c === 45) && next === c ? 2 : 1;
      }
    }
    lastPunctuator = c;
    lastWord = "";
    newline = false;
  }
  return { tooDeepAt: undefined, ambiguousAt };
}

function isLineEnd(c: number): boolean {
  return c === 10 || c === 13 || c === 0x2028 || c === 0x2029;
}

/** All that the parser skips, and a little more. */
function isSpace(c: number): boolean {
  if (c <= 32) return true;
  if (c < 0x85) return false;
  return c === 0x85 || c === 0xa0 || c === 0xfeff || c === 0x1680 || c === 0x180e || isWideSpace(c);
}

function isWideSpace(c: number): boolean {
  return (c >= 0x2000 && c <= 0x200b) || c === 0x202f || c === 0x205f || c === 0x3000;
}

function isWordCharacter(c: number): boolean {
  return (
    (c >= 97 && c <= 122) ||
    (c >= 65 && c <= 90) ||
    (c >= 48 && c <= 57) ||
    c === 95 ||
    c === 36 ||
    c === 92 ||
    c === 35 ||
    (c > 127 && !isSpace(c) && !isLineEnd(c))
  );
}

/** The offset behind the regular expression that starts at `start`; past the end of the code if it has none. */
function afterRegex(code: string, start: number): number {
  let inClass = false;
  for (let i = start + 1; i < code.length; i += 1) {
    const c = code.charCodeAt(i);
    if (c === 10 || c === 13) return code.length + 1;
    if (c === 92) i += 1;
    else if (c === 91) inClass = true;
    else if (c === 93) inClass = false;
    else if (c === 47 && !inClass) return i + 1;
  }
  return code.length + 1;
}
