import { z } from "zod";
import { LIMITS } from "../../base/limits.js";
import { operation } from "../operation.js";
import { mergeAnswer } from "./answers.js";
import { knownOf, savedAnswer } from "./capability-view.js";
import type { Parts } from "./parts.js";

const SOURCES_MOST = 50;

const schema = z.strictObject({
  sources: z.array(z.string().min(1)).min(1).max(SOURCES_MOST).describe("Names, in order"),
  name: z.string().describe("namespace:action"),
  code: z.string().optional().describe("default: each gets the output of the one before"),
  intent: z.string().min(1).max(LIMITS.intentChars).optional(),
});

/** `cap_merge`: makes one capability from several. */
export const capMerge = operation({
  id: "cap:merge",
  who: "agent",
  title: "Merge capabilities",
  summary: "Build one capability from several, as a pipeline or by your code. Runs nothing.",
  input: schema,
  output: mergeAnswer,
  run:
    ({ registry, saver }: Pick<Parts, "registry" | "saver">) =>
    async (input, scope) => {
      const saved = await saver.merge(input, scope);
      return {
        ...(await savedAnswer(registry, saved)),
        // Code that existed before may have been merged from others.
        merged_from: saved.capability.mergedFrom.filter((ref) => knownOf(registry, ref, scope).length > 0),
        code: saved.code,
      };
    },
});
