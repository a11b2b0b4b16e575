/**
 * User text in the form for a model: short, in one line, and without possible secrets.
 *
 * @module
 */
import { looksSecret } from "../../analysis/parameters/secret-literal.js";

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]+/gu;
/** How much of a text is read; a word that would be split is dropped, since half of a secret does not look like one. */
const READ_CHARS = 1_200;
const WORD = /\S+/g;
const EDGES = /^[("'`[{<«“‘]+|[)"'`\]}>»”’.,;:!?]+$/g;
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/\S+|\bwww\.\S+/gi;
const MAIL = /[^\s@<>()"']+@[^\s@<>()"']+\.[^\s@<>()"']+/g;
/** `password: hunter2`, `api_key=…`, `Bearer x1…`; but "after the password change". */
const NAMED_SECRET =
  /\b((?:pass(?:word|phrase|wd)?|pwd|secret|token|api[ _-]?key|key|credentials?|authorization|bearer|mot de passe)(?:\s*[=:]\s*|\s+(?:is|est)\s+|\s+(?=\S*\d)))\S{4,}/gi;
const PATH = /(?:~|[A-Za-z]:)?(?:[/\\][^\s/\\"'`]+){2,}[/\\]?/g;
/** Numbers of accounts, cards and telephones, with the usual separators. */
const LONG_NUMBER = /\+?\d(?:[ .()/-]?\d){5,}/g;
/** Words from this length on may be random. */
const SECRET_CHARS = 16;
/** A value in the code with one or two plain words is ordinary language: `users`, `open issues`. */
const PLAIN_VALUE = /^\p{L}{1,24}(?:[ _-]\p{L}{1,24})?$/u;
const VALUE_CHARS = 2;

/** @param values texts written in the code, which belong to its arguments and not to its purpose */
export function maskText(text: string, most: number, values: readonly string[] = []): string {
  const read = text.length <= READ_CHARS ? text : text.slice(0, READ_CHARS).replace(/\S*$/, "");
  let masked = read.replace(INVISIBLE, " ");
  for (const value of [...new Set(values)].sort((a, b) => b.length - a.length)) {
    const spoken = value.trim().replace(INVISIBLE, " ");
    if (spoken.length > VALUE_CHARS && !PLAIN_VALUE.test(spoken))
      masked = masked.replaceAll(spoken, "[value]");
  }
  masked = masked
    .replace(ADDRESS, "[url]")
    .replace(MAIL, "[mail]")
    .replace(NAMED_SECRET, "$1[secret]")
    .replace(PATH, "[path]")
    .replace(WORD, maskWord)
    .replace(LONG_NUMBER, "[number]")
    .replace(/\s+/g, " ")
    .trim();
  return masked.length <= most ? masked : `${masked.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function maskWord(word: string): string {
  const bare = word.replace(EDGES, "");
  return looksSecret("", bare) || isRandom(bare) ? "[secret]" : word;
}

/** Long, with letters and digits: not an ordinary word. */
function isRandom(word: string): boolean {
  return (
    word.length >= SECRET_CHARS && /\d/.test(word) && /[A-Za-z]/.test(word) && /^[\w.+/=~-]+$/.test(word)
  );
}
