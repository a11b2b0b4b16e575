import { z } from "zod";
import { operation } from "../operation.js";
import { forkAnswer } from "./answers.js";
import { savedAnswer } from "./capability-view.js";
import type { Parts } from "./parts.js";

const schema = z.strictObject({
  source: z
    .string()
    .min(1)
    .describe("Any form of its name, also of another project: acme.shared:fs:read_json@v1"),
  name: z.string().describe("namespace:action"),
});

/** `cap_fork`: makes an independent copy. */
export const capFork = operation({
  id: "cap:fork",
  who: "agent",
  title: "Fork a capability",
  summary: "Copy a capability into this project under a new name, to change the copy.",
  input: schema,
  output: forkAnswer,
  run:
    ({ registry, saver }: Pick<Parts, "registry" | "saver">) =>
    async (input, scope) => {
      const saved = await saver.fork(input, scope);
      const { forkedFrom } = saved.capability;
      return {
        ...(await savedAnswer(registry, saved)),
        ...(forkedFrom === undefined ? {} : { forked_from: forkedFrom }),
      };
    },
});
