import { z } from "zod";
import { operation } from "../operation.js";
import { lookupAnswer } from "./answers.js";
import { doubtsOf, olderVersion, recordOf, relationsOf, warned, withoutUsual } from "./capability-view.js";
import type { Parts } from "./parts.js";
import { serverAnswer, serverAnswerOf } from "./server-view.js";

const schema = z.strictObject({
  name: z
    .string()
    .min(1)
    .describe("Name, alias, id or FQDN, also fs:read_json@v1; mcp:filesystem is a server"),
});

/** `cap_lookup`: finds what a name refers to. */
export const capLookup = operation({
  id: "cap:lookup",
  who: "reader",
  title: "Look up a capability",
  summary: "Show what a capability does: parameters, version, success rate, what it calls and what calls it.",
  input: schema,
  output: z.union([lookupAnswer, serverAnswer]),
  run:
    ({
      registry,
      serverRecords,
      plainCalls,
    }: Pick<Parts, "registry" | "serverRecords"> & Partial<Pick<Parts, "plainCalls">>) =>
    async ({ name }, scope) => {
      const server = await serverRecords?.lookUp(name, scope);
      if (server !== undefined) return serverAnswerOf(server.record, server.version);
      const { capability, version, warnings } = await registry.find(name, scope);
      const older = await olderVersion(registry, capability, version);
      const { dependencies } = older ?? capability;
      const record = recordOf(capability, older, scope);
      return {
        ...record,
        parameters: withoutUsual(record.parameters, plainCalls?.usual(capability.fqdn, scope)),
        ...(older === undefined ? doubtsOf(capability) : {}),
        ...(await relationsOf(registry, { fqdn: capability.fqdn, dependencies }, scope)),
        ...warned(warnings),
      };
    },
});
