import { z } from "zod";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { OwnTool } from "../own-tool.js";
import type { VerifyAnswer } from "./answers.js";
import { olderVersion, recordOf, warned } from "./capability-view.js";
import { ownAnswer } from "./own-answer.js";
import { inputSchemaOf, readInput } from "./own-input.js";
import { refuseServer } from "./refuse-server.js";

const schema = z.strictObject({
  name: z.string().min(1).describe("The capability, by any form of its name, also with a version"),
});

/** `cap_verify`: a person vouches for a version. An agent that could would vouch for itself. */
export function capVerifyTool(registry: CapabilityRegistry): OwnTool {
  return {
    id: "cap:verify",
    personOnly: true,
    decides: () => true,
    tool: {
      name: "cap_verify",
      title: "Vouch for a capability",
      description: "Say that a version of a capability does what it should: it is verified from then on.",
      inputSchema: inputSchemaOf(schema),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    },
    async run(input, scope) {
      const { name } = readInput("cap_verify", schema, input);
      refuseServer(name);
      const { capability, version, warnings } = await registry.findToChange(name, scope);
      const verified = await registry.verify(capability.fqdn, version, scope);
      const older = await olderVersion(registry, verified, version);
      const answer: VerifyAnswer = {
        ...recordOf(verified, older),
        // A tool that is quarantined takes what a person gives.
        trust: older === undefined ? verified.trust : "verified",
        ...warned(warnings),
      };
      return ownAnswer(answer);
    },
  };
}
