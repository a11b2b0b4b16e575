import { z } from "zod";
import { LIMITS } from "../../base/limits.js";
import { operation } from "../operation.js";
import { mergeAnswer } from "./answers.js";
import { knownOf, savedAnswer } from "./capability-view.js";
import type { Parts } from "./parts.js";

const SOURCES_MOST = 50;

const schema = z.strictObject({
  sources: z
    .array(z.string().min(1))
    .min(1)
    .max(SOURCES_MOST)
    .describe("The capabilities to merge, in order, each by any form of its name, also with a version"),
  name: z.string().describe("namespace:action of the result"),
  code: z
    .string()
    .optional()
    .describe("The code that joins them; by default each gets the output of the one before"),
  intent: z.string().min(1).max(LIMITS.intentChars).optional().describe("What this is for, in a sentence"),
});

/** `cap_merge`: one capability of several. */
export const capMerge = operation({
  id: "cap:merge",
  who: "agent",
  title: "Merge capabilities",
  summary:
    "Build one capability from several: a pipeline in which the output of each is the input of the next, or given code. Nothing is run.",
  input: schema,
  output: mergeAnswer,
  run:
    ({ registry, saver }: Pick<Parts, "registry" | "saver">) =>
    async (input, scope) => {
      const saved = await saver.merge(input, scope);
      return {
        ...(await savedAnswer(registry, saved)),
        // Code that was known already may have been made of others.
        merged_from: saved.capability.mergedFrom.filter((ref) => knownOf(registry, ref, scope).length > 0),
        code: saved.code,
      };
    },
});
