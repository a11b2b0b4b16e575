import { z } from "zod";
import type { SavesCapabilities } from "../../execution/learn/capability-saver.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import { operation } from "../operation.js";
import type { ForkAnswer } from "./answers.js";
import { savedAnswer } from "./capability-view.js";

const schema = z.strictObject({
  source: z
    .string()
    .min(1)
    .describe("Any form of its name, also of another project: acme.shared:fs:read_json@v1"),
  name: z.string().describe("namespace:action"),
});

/** `cap_fork`: a copy of one's own. */
export function capForkTool(registry: CapabilityRegistry, saver: SavesCapabilities) {
  return operation({
    id: "cap:fork",
    who: "agent",
    title: "Fork a capability",
    summary: "Copy a capability into this project under a new name, to change the copy.",
    input: schema,
    async run(input, scope): Promise<ForkAnswer> {
      const saved = await saver.fork(input, scope);
      const { forkedFrom } = saved.capability;
      return {
        ...(await savedAnswer(registry, saved)),
        ...(forkedFrom === undefined ? {} : { forked_from: forkedFrom }),
      };
    },
  });
}
