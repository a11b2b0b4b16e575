/**
 * The tools that the oracle's programs call: what they answer, and after how many turns, comes of their arguments and a
 * seed, so that a program runs twice alike.
 *
 * @module
 */
import { testVocabulary } from "../support/vocabulary.js";
import { hash } from "./random.js";

const ANY = { inputSchema: { type: "object" } };
const CAPABILITY = "local.default.c.one.a000";

export const vocabulary = testVocabulary({ t: { num: ANY, fail: ANY, maybe: ANY, box: ANY, list: ANY } }, [
  { name: "c:one", fqdn: CAPABILITY, parameters: { type: "object", properties: {}, required: [] } },
]);

/** However it was spelt. */
export function toolName(called: string): string {
  return called === CAPABILITY ? "c:one" : called;
}

export function answers(seed: number): (tool: string, args: unknown) => Promise<unknown> {
  return (called, args) => {
    const tool = toolName(called);
    const number = hash(`${tool} ${JSON.stringify(args)}`, seed);
    const answer = settle(tool, number);
    // Some are never waited for.
    answer.catch(() => undefined);
    return answer;
  };
}

async function settle(tool: string, number: number): Promise<unknown> {
  for (let turns = (number >>> 8) % 4; turns > 0; turns -= 1) await undefined;
  const small = number % 4;
  switch (tool) {
    case "t:fail":
      if (number % 3 === 0) throw new Error(`fail ${small}`);
      return small;
    case "t:maybe":
      return number % 2 === 0 ? null : small;
    case "t:box":
      return number % 2 === 0 ? { v: small } : { v: small, w: 1 };
    case "t:list":
      return Array.from({ length: small }, (_, index) => index);
    default:
      return small;
  }
}
