import { z } from "zod";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { OwnTool } from "../own-tool.js";
import { recordOf, relatedOf } from "./capability-view.js";
import { ownAnswer } from "./own-answer.js";
import { inputSchemaOf, readInput } from "./own-input.js";

const schema = z.strictObject({
  name: z
    .string()
    .min(1)
    .describe("Name, former name, id or FQDN of a capability, also with a version: fs:read_json@v1"),
});

/** `cap_lookup`: what a name means. */
export function capLookupTool(registry: CapabilityRegistry): OwnTool {
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
      const { capability, version, warnings } = await registry.find(name, scope);
      const stored =
        version === capability.version ? undefined : await registry.store.version(capability.fqdn, version);
      const relations = await registry.relations(
        { fqdn: capability.fqdn, dependencies: (stored ?? capability).dependencies },
        scope,
      );
      return ownAnswer({
        ...recordOf(capability, stored),
        dependencies: relations.dependencies.map(relatedOf),
        dependents: relations.dependents.map(relatedOf),
        ...(warnings.length === 0 ? {} : { warnings }),
      });
    },
  };
}
