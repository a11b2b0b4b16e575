import { z } from "zod";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { ServerRegistry } from "../../registry/server-registry.js";
import { operation } from "../operation.js";
import type { LookupAnswer } from "./answers.js";
import { doubtsOf, olderVersion, recordOf, relationsOf, warned } from "./capability-view.js";
import { type ServerAnswer, serverAnswerOf } from "./server-view.js";

const schema = z.strictObject({
  name: z
    .string()
    .min(1)
    .describe("Name, alias, id or FQDN, also fs:read_json@v1; mcp:filesystem is a server"),
});

/** `cap_lookup`: what a name means. */
export function capLookupTool(registry: CapabilityRegistry, servers?: ServerRegistry) {
  return operation({
    id: "cap:lookup",
    who: "reader",
    title: "Look up a capability",
    summary:
      "Show what a capability does: parameters, version, success rate, what it calls and what calls it.",
    input: schema,
    async run({ name }, scope): Promise<LookupAnswer | ServerAnswer> {
      const server = await servers?.lookUp(name, scope);
      if (server !== undefined) return serverAnswerOf(server.record, server.version);
      const { capability, version, warnings } = await registry.find(name, scope);
      const older = await olderVersion(registry, capability, version);
      const { dependencies } = older ?? capability;
      return {
        ...recordOf(capability, older, scope),
        ...(older === undefined ? doubtsOf(capability) : {}),
        ...(await relationsOf(registry, { fqdn: capability.fqdn, dependencies }, scope)),
        ...warned(warnings),
      };
    },
  });
}
