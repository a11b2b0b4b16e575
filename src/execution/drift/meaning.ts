/**
 * Whether two descriptions have the same meaning. One word can reverse a meaning, so two descriptions count as the same
 * only if they have the same words, apart from renamed names.
 *
 * @module
 */
import { wordsOf } from "./schema-leaves.js";

/** Words that do not affect the meaning of a sentence. */
const EMPTY = new Set(
  "a an the of for to in on at by is are be this that it its and or as with which will can may you your e g i eg ie".split(
    " ",
  ),
);

/** `renamed` are names of fields that may occur in the texts. */
export function isSameMeaning(before: string, after: string, renamed: readonly string[] = []): boolean {
  return meaningChange(before, after, renamed) === undefined;
}

export interface MeaningChange {
  readonly gone: readonly string[];
  readonly added: readonly string[];
  /** The first word differs, which is usually the verb. */
  readonly isOtherStart: boolean;
  readonly text: string;
}

/** The words that only the old or only the new text has; undefined if both have the same words. */
export function meaningChange(
  before: string,
  after: string,
  renamed: readonly string[] = [],
): MeaningChange | undefined {
  const names = new Set(renamed.flatMap(wordsOf));
  const [old, now] = [contentOf(before, names), contentOf(after, names)];
  if (old.join(" ") === now.join(" ")) return undefined;
  const gone = old.filter((word) => !now.includes(word));
  const added = now.filter((word) => !old.includes(word));
  const parts = [
    ...(gone.length > 0 ? [`it said "${gone.slice(0, 5).join(" ")}"`] : []),
    ...(added.length > 0 ? [`it says "${added.slice(0, 5).join(" ")}"`] : []),
  ];
  return {
    gone,
    added,
    isOtherStart: old.length > 0 && old[0] !== now[0],
    text: parts.length > 0 ? parts.join(", now ") : "the words are in another order",
  };
}

/** Whether a text says more than a general kind of thing, which would also describe similar fields. */
export function saysMuch(text: string): boolean {
  return contentOf(text, new Set()).length > 1;
}

function contentOf(text: string, names: ReadonlySet<string>): readonly string[] {
  return wordsOf(text).filter((word) => !EMPTY.has(word) && !names.has(word));
}
