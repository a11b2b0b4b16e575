/**
 * Texts of servers and other people about tools, as one line that a model does not take for instructions.
 *
 * @module
 */
import { cleanText } from "../../mcp/clean-text.js";

/** The rest of a longer text is not read. */
const READ_CHARS = 2_000;

/**
 * One line without hidden characters and markup: instructions in descriptions are usually wrapped in tags and in tokens
 * that models treat as the end of a turn. The words stay, since they may be the whole text.
 */
export function plainLine(text: string): string {
  return cleanText(text.slice(0, READ_CHARS))
    .replace(/<\|[^<>|]{0,40}\|>|`{2,}|\*{2,}|~{3,}/g, " ")
    .replace(/[<[]([/!]?[A-Z][A-Z_ -]{1,40})[\]>]/g, "($1)")
    .replace(/<([/!?]?[A-Za-z][^<>]{0,80})>/g, "($1)")
    .replace(/(^|\s)#{1,6}(?=\s)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

/** A longer id is too long to type: the name is shown instead, which calls accept as well. */
const ID_CHARS = 160;

/** Whether an id can be shown unchanged and typed. */
export function isPlainId(id: string): boolean {
  return id.length <= ID_CHARS && plainLine(id) === id && !/\s/.test(id);
}

/**
 * As many whole words as `fits` accepts, with `…` if words are cut off. If even the first word is too long, half of it.
 */
export function cutAtWord(line: string, chars: number, fits: (text: string) => boolean): string {
  if (line.length <= chars && fits(line)) return line;
  let end = Math.min(line.length, chars - 1);
  for (;;) {
    // Does not split a surrogate pair.
    const part = line.slice(0, end).replace(/[\uD800-\uDBFF]$/, "");
    const isWord = /^[\s\p{P}]|^$/u.test(line.slice(part.length));
    const space = isWord ? part.length : part.lastIndexOf(" ");
    // A text without spaces is cut anywhere, because some scripts have none.
    const words = part.slice(0, space > part.length / 2 ? space : part.length).replace(/[\s\p{P}]+$/u, "");
    if (words === "") return "";
    const cut = `${words}…`;
    if (fits(cut)) return cut;
    end = Math.min(words.length - 1, Math.floor(words.length * 0.9));
  }
}
