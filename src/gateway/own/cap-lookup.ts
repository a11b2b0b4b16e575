import { z } from "zod";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { ServerRegistry } from "../../registry/server-registry.js";
import type { OwnTool } from "../own-tool.js";
import type { LookupAnswer } from "./answers.js";
import { doubtsOf, olderVersion, recordOf, relationsOf, warned } from "./capability-view.js";
import { ownAnswer } from "./own-answer.js";
import { inputSchemaOf, readInput } from "./own-input.js";
import { serverAnswerOf } from "./server-view.js";

const schema = z.strictObject({
  name: z
    .string()
    .min(1)
    .describe(
      "Name, former name, id or FQDN of a capability, also with a version: fs:read_json@v1; mcp:filesystem is a server",
    ),
});

/** `cap_lookup`: what a name means. */
export function capLookupTool(registry: CapabilityRegistry, servers?: ServerRegistry): OwnTool {
  return {
    id: "cap:lookup",
    tool: {
      name: "cap_lookup",
      title: "Look up a capability",
      description:
        "What a capability does, its parameters, version and success rate, what it calls and what calls it, from any form of its name. Run it with pml_execute { capability, args }.",
      inputSchema: inputSchemaOf(schema),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async run(input, scope) {
      const { name } = readInput("cap_lookup", schema, input);
      const server = await servers?.lookUp(name, scope);
      if (server !== undefined) return ownAnswer(serverAnswerOf(server.record, server.version));
      const { capability, version, warnings } = await registry.find(name, scope);
      const older = await olderVersion(registry, capability, version);
      const { dependencies } = older ?? capability;
      const answer: LookupAnswer = {
        ...recordOf(capability, older, scope),
        ...(older === undefined ? doubtsOf(capability) : {}),
        ...(await relationsOf(registry, { fqdn: capability.fqdn, dependencies }, scope)),
        ...warned(warnings),
      };
      return ownAnswer(answer);
    },
  };
}
