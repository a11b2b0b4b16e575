/**
 * How sure it is that an intent with its arguments means a capability: the score that speculation decides by.
 *
 * It is made of words alone, and is the same with a model and without. Cosines were tried: they do not tell `delete a
 * tag` from `delete a branch`, and added nothing on the labelled pairs (`docs/internal/retrieval.md`).
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { Capability } from "../../registry/capability.js";
import type { Certainty } from "../../registry/matcher.js";
import { capabilityText } from "../matchable.js";
import { alikeness, NEARLY, type Phrase, phraseOf } from "../phrase.js";
import { type Agreement, agreement, isQuestion } from "./agreement.js";
import type { Contradiction } from "./contradictions.js";

/** The logit if both sides say exactly the same, and what each word that only one side has subtracts. */
const AGREED = 3.5;
const WORD = 3.5;
const CONTRADICTED = 4;
/** Of the intents that a capability was made or named with. */
const SAYINGS = 10;
/** Words that are named as the reason. */
const NAMED = 2;
const NAMED_CHARS = 40;

const REASONS: Readonly<Record<Contradiction, string>> = {
  action: "the intent seems to ask for another action",
  object: "the intent seems to name something else",
  scope: "the intent has a condition or a scope that the capability does not have",
  direction: "the intent may mean the other direction",
  "nothing shared": "the intent does not say what it is about",
};

/** The highest score of an intent in other words. */
export const MOST_IN_OTHER_WORDS = probability(AGREED);

export function certaintyOf(
  intent: string,
  args: Readonly<Record<string, Json>>,
  capability: Capability,
): Certainty {
  const asked = phraseOf(intent);
  const same = capabilityText(capability).phrases.reduce(
    (most, text) => Math.max(most, alikeness(asked, phraseOf(text))),
    0,
  );
  const { intent: first, otherIntents = [], description = "" } = capability;
  const sayings = [...new Set([first, description, ...otherIntents])].filter((text) => text !== "");
  // `is the image compressed?` has the words of an order, but is a question.
  const isOrder = !isQuestion(intent) || sayings.some(isQuestion);
  if (same >= NEARLY && isOrder) return { score: same };
  const judged = sayings.slice(0, SAYINGS).map((saying) => {
    const agreed = agreement(intent, args, saying, capability);
    const found = hasOtherSigns(asked, phraseOf(saying)) ? contradicted(agreed) : agreed;
    return { found, score: scoreOf(found) };
  });
  const [best] = judged.toSorted((a, b) => b.score - a.score);
  const isInOtherWords = true;
  if (best === undefined) return { score: 0, isInOtherWords };
  const doubt = doubtOf(best.found);
  return { score: best.score, isInOtherWords, ...(doubt === undefined ? {} : { doubt }) };
}

/** Where only one side has signs, they may be of a value: `50 %`. */
function hasOtherSigns({ beside: one }: Phrase, { beside: other }: Phrase): boolean {
  return one !== "" && other !== "" && one !== other;
}

function contradicted(agreed: Agreement): Agreement {
  return { ...agreed, contradictions: [...agreed.contradictions, "object"] };
}

function scoreOf({ extra, unsaid, contradictions }: Agreement): number {
  const words = [...extra, ...unsaid].reduce((sum, { worth }) => sum + worth, 0);
  return probability(AGREED - WORD * words - CONTRADICTED * contradictions.length);
}

function probability(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

function doubtOf({ extra, unsaid, contradictions: [first] }: Agreement): string | undefined {
  if (first !== undefined) return REASONS[first];
  const [words, other] = [quoted(extra), quoted(unsaid)];
  if (words !== "") return `the intent says ${words}, which the capability does not say`;
  return other === "" ? undefined : `the capability says ${other}, which the intent does not say`;
}

function quoted(words: Agreement["extra"]): string {
  return words
    .toSorted((a, b) => b.worth - a.worth)
    .slice(0, NAMED)
    .map(({ text }) => JSON.stringify(text.slice(0, NAMED_CHARS)))
    .join(", ");
}
