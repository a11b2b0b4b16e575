import { z } from "zod";
import { operation } from "../operation.js";
import { verifyAnswer } from "./answers.js";
import { olderVersion, recordOf, refuseServer, warned } from "./capability-view.js";
import type { Parts } from "./parts.js";

const schema = z.strictObject({
  name: z.string().min(1).describe("The capability, by any form of its name, also with a version"),
});

/** `cap_verify`: a person vouches for a version. Not for agents, since an agent could vouch for its own code. */
export const capVerify = operation({
  id: "cap:verify",
  who: "person",
  decides: () => true,
  title: "Verify a capability",
  summary: "Mark a version of a capability as verified: it does what it should.",
  input: schema,
  output: verifyAnswer,
  run:
    ({ registry }: Pick<Parts, "registry">) =>
    async ({ name }, scope) => {
      refuseServer(name);
      const { capability, version, warnings } = await registry.findToChange(name, scope);
      const verified = await registry.verify(capability.fqdn, version, scope);
      const older = await olderVersion(registry, verified, version);
      return {
        ...recordOf(verified, older),
        // A quarantined tool reduces the trust of the newest version despite the person's vote.
        trust: older === undefined ? verified.trust : "verified",
        ...warned(warnings),
      };
    },
});
