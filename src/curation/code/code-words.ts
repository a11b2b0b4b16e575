/**
 * All words of code, to see whether an intent speaks of the same.
 *
 * @module
 */
import { wordKey } from "../../discovery/vocabulary.js";
import { nameWord } from "../lexicon/words.js";
import type { CodeFacts } from "./code-facts.js";
import type { Deed } from "./deeds.js";
import { nameWords } from "./name-words.js";

/** Keys of them, as `wordKey` makes them. */
export function codeWords(
  facts: CodeFacts,
  deeds: readonly Deed[],
  parameters: readonly string[],
): ReadonlySet<string> {
  const keys = new Set<string>();
  const add = (text: string) => {
    for (const word of nameWords(text)) if (word.length > 1) keys.add(wordKey(nameWord(word)));
  };
  for (const { verb, tool } of deeds) add(`${verb} ${tool}`);
  for (const name of facts.names) add(name);
  for (const name of parameters) add(name);
  for (const call of facts.calls) for (const [, text] of call.texts) add(text);
  for (const text of facts.texts.slice(0, 50)) if (text.length < 200) add(text);
  for (const text of facts.patterns.slice(0, 50)) add(text);
  return keys;
}
