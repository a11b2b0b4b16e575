/**
 * Tools that their own description advises against.
 *
 * One that is to be replaced often has the plainer name, `read_file` beside `read_text_file`, and would stand first for
 * it. So saying what it does is not taken for asking for it; its name is.
 *
 * @module
 */

/** What it loses, in points of the fused rank: as with reliability, near-equals change places, and nothing else does. */
export const DEPRECATED_LOSS = 0.5;

/** Advice stands at the beginning or the end of a sentence or two; what comes later is about something else. */
const READ_CHARS = 2_000;

/**
 * Said of the tool itself: shouted, in brackets, at the beginning of a sentence, or with what to use instead. A tool
 * that lists deprecated functions is not deprecated.
 */
const SAID = [
  /\bDEPRECATED\b/u,
  /[[(*]deprecated[\])*:,]/iu,
  /(?:^|[.!?\n])\s*deprecated(?:\s*(?:[:.,;!–—-]|$)|\s+(?:in favou?r|since|use|as of)\b)/imu,
  /\bdeprecated\s*[:,;–—-]?\s*(?:please\s+)?(?:use\b|in favou?r of\b|prefer\b)/iu,
  /\b(?:this|it|tool|function|method|endpoint|operation|command)(?:\s+(?:is|was|has been|will be))(?:\s+now)?\s+deprecated\b/iu,
];

export function isDeprecated(description: string): boolean {
  const text = description.slice(0, READ_CHARS);
  // Hardly any has the word, and the rest need not be looked through five times.
  return /deprecated/i.test(text) && SAID.some((said) => said.test(text));
}
