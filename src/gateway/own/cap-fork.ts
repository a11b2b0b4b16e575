import { z } from "zod";
import type { SavesCapabilities } from "../../execution/capability-saver.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { OwnTool } from "../own-tool.js";
import type { ForkAnswer } from "./answers.js";
import { ownAnswer } from "./own-answer.js";
import { inputSchemaOf, readInput } from "./own-input.js";
import { savedAnswer } from "./saved-answer.js";

const schema = z.strictObject({
  source: z
    .string()
    .min(1)
    .describe(
      "What is copied, by any form of its name, also of another project: acme.shared:fs:read_json@v1",
    ),
  name: z.string().describe("namespace:action of the copy"),
});

/** `cap_fork`: a copy of one's own. */
export function capForkTool(registry: CapabilityRegistry, saver: SavesCapabilities): OwnTool {
  return {
    id: "cap:fork",
    tool: {
      name: "cap_fork",
      title: "Fork a capability",
      description:
        "Copy a capability into this project under a new name, to change it without changing the original.",
      inputSchema: inputSchemaOf(schema),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async run(input, scope) {
      const saved = await saver.fork(readInput("cap_fork", schema, input), scope);
      const { forkedFrom } = saved.capability;
      const answer: ForkAnswer = {
        ...(await savedAnswer(registry, saved)),
        ...(forkedFrom === undefined ? {} : { forked_from: forkedFrom }),
      };
      return ownAnswer(answer);
    },
  };
}
