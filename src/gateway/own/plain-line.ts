/**
 * Texts of servers and other people about tools, as one line that models read and do not obey.
 *
 * @module
 */
import { cleanText } from "../../mcp/clean-text.js";

/** More of a text is not looked at. */
const READ_CHARS = 2_000;

/**
 * One line without anything hidden or set in markup: tags and the signs that models are trained to take for the end of a
 * turn are what instructions in descriptions are wrapped in. The words stay, since they may be all there is.
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

/** Whether an id can be shown as it is, and typed. */
export function isPlainId(id: string): boolean {
  return id.length <= ID_CHARS && plainLine(id) === id && !/\s/.test(id);
}

/** As many whole words as `fits` says; `…` where that is not all. Half of the first one where even that is too long. */
export function cutAtWord(line: string, chars: number, fits: (text: string) => boolean): string {
  if (line.length <= chars && fits(line)) return line;
  let end = Math.min(line.length, chars - 1);
  for (;;) {
    // A surrogate pair is not cut in two.
    const part = line.slice(0, end).replace(/[\uD800-\uDBFF]$/, "");
    const isWord = /^[\s\p{P}]|^$/u.test(line.slice(part.length));
    const space = isWord ? part.length : part.lastIndexOf(" ");
    // A text without spaces is cut anywhere: not every script has them.
    const words = part.slice(0, space > part.length / 2 ? space : part.length).replace(/[\s\p{P}]+$/u, "");
    if (words === "") return "";
    const cut = `${words}…`;
    if (fits(cut)) return cut;
    end = Math.min(words.length - 1, Math.floor(words.length * 0.9));
  }
}
