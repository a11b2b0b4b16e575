/**
 * Estimates how many tokens a text costs a model, without any model's vocabulary. The estimate is rather too high, so
 * that a text that fits a budget by this estimate really fits.
 *
 * A word costs one or two tokens if its letters form usual pairs; keys, hashes and base64 cost nearly one per
 * character. Letters of other scripts count as random, since only a dictionary could tell whether they form words: one
 * to three tokens each.
 *
 * @module
 */

const PIECES =
  /[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d{1,3}|\s(?=[^\s!-/:-~])|\s{2,}|(?<=\w)[_.:/-](?=[A-Za-z])|[!-/:-@[-`{-~]+|([^\s!-~])\1*/gu;
const WORD_CHARS = 9;
/** The extra cost of each letter that seldom follows the one before it. */
const ODD_PAIR = 0.9;
/** Few words in capitals are in vocabularies. */
const CAPITALS = 1.3;

/** For each letter, the letters that follow it in ordinary words. */
const FOLLOWING: ReadonlyMap<string, string> = new Map(
  "abcdfgiklmnprstuvwy baeilorsu cacehiklorstuy dadeilorsuy eabcdefgilmnpqrstvwxy faefilortuy gaehilnorsu haeiortu iabcdefglmnoprstvxz jes keis ladeilopstuy mabeimopsu nacdefgiknopstuvy oabcdfgiklmnoprstuvw paehiloprstu qu racdefgiklmnorstuvy sacehiklmopstuy tacdehiloprstuwy uabcdefgilmnprst vaei waehinors xceipt yinops ze"
    .split(" ")
    .map((letters) => [letters.charAt(0), letters.slice(1)]),
);

/** Punctuation that is usual in data or types. */
const USUAL_SIGNS =
  /^(?:(.)\1*|["'][:,)\]};]|["']?[:,]["'[{]|[[({]["'[{]?|["'\])}]{1,2}[,;:.)]?|["']:["'[{]|["'],["']|\?[:.]|[=-]>|_+|\\"|\.\.\.|\/\/|\/\*|\*\/)$/;

/** Tokens for each character of a range, at most in a row of random ones; all others cost one per byte. */
const RANGES: readonly (readonly [first: number, last: number, each: number])[] = [
  [0xc0, 0xff, 1.05], // Latin with accents
  [0x386, 0x3ce, 1.1], // Greek
  [0x410, 0x45f, 1.05], // Cyrillic
  [0x531, 0x587, 1.3], // Armenian
  [0x5d0, 0x5ea, 1], // Hebrew
  [0x620, 0x64a, 1], // Arabic
  [0x900, 0xdff, 1.8], // scripts of India
  [0xe01, 0xe5b, 1.3], // Thai
  [0x2010, 0x2026, 1.5], // dashes, quotation marks
  [0x3001, 0x3002, 1.5],
  [0x3041, 0x30ff, 1.25], // Hiragana and Katakana
  [0x4e00, 0x9fff, 2.3], // Han
  [0xac00, 0xd7a3, 2.4], // Hangul
  [0xff01, 0xff1f, 1.5],
];

export function tokenCost(text: string): number {
  let cost = 0;
  for (const [piece] of text.matchAll(PIECES)) cost += pieceCost(piece);
  return Math.ceil(cost);
}

function pieceCost(piece: string): number {
  if (/^[A-Z]{2}/.test(piece)) return Math.min(piece.length, CAPITALS * wordCost(piece.toLowerCase()));
  if (/^[A-Za-z]/.test(piece)) return wordCost(piece.toLowerCase());
  if (/^\d/.test(piece)) return 1;
  if (/^\s/.test(piece)) return /^[ \t\n\r]*$/.test(piece) ? Math.min(2, piece.length) : 3 * piece.length;
  if (/^[!-~]/.test(piece)) return signsCost(piece);
  const [first = "", ...others] = piece;
  // A rare character costs one token per byte, which matters in a text of such characters.
  return characterCost(first) + bytesOf(first) * others.length;
}

function wordCost(word: string): number {
  let odd = 0;
  for (let at = 1; at < word.length; at += 1) {
    const [earlier, before, letter] = [word.charAt(at - 2), word.charAt(at - 1), word.charAt(at)];
    const isThird = letter === before && letter === earlier;
    if (isThird || FOLLOWING.get(before)?.includes(letter) !== true) odd += 1;
  }
  return Math.min(word.length, Math.ceil(word.length / WORD_CHARS) + ODD_PAIR * odd);
}

function signsCost(signs: string): number {
  // Between two words it usually forms one token with the second.
  if (/^[_.:/-]$/.test(signs)) return 0.6;
  if (USUAL_SIGNS.test(signs)) return Math.max(1, signs.length / 2 - 1);
  return Math.max(1, 0.85 * signs.length);
}

function characterCost(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  const range = RANGES.find(([first, last]) => code >= first && code <= last);
  return range === undefined ? bytesOf(character) : range[2];
}

function bytesOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x800 ? 2 : code < 0x1_0000 ? 3 : 4;
}

/** In English, at least one of ten words is one of these. */
const SMALL_WORDS = /\b(?:the|an?|of|to|and|or|from|in|for|is|with|by|on|this|that|it|as|if|be|are|at)\b/gi;

/**
 * The extra cost of each word of a text beyond {@link tokenCost}: words of languages other than English are split into
 * pieces.
 */
export function wordSurcharge(text: string): (part: string) => number {
  const isEnglish = 10 * (text.match(SMALL_WORDS) ?? []).length >= (text.match(/[A-Za-z]+/g) ?? []).length;
  if (isEnglish) return () => 0;
  return (part) => {
    let cost = 0;
    for (const [word] of part.matchAll(/[A-Za-z]+/g))
      cost += Math.max(0, word.length / 2 - Math.ceil(word.length / WORD_CHARS));
    return Math.ceil(cost);
  };
}
