import { z } from "zod";
import { parseReference } from "../../registry/reference.js";
import { creatorOf } from "../../registry/visibility.js";
import { operation, withWarnings } from "../operation.js";
import { refuseServer, warned } from "./capability-view.js";
import type { Parts } from "./parts.js";

/** `cap_promote`: a person makes a version the latest for all users. */
export const capPromote = operation({
  id: "cap:promote",
  who: "person",
  decides: () => true,
  title: "Make a version the latest for all",
  summary: "Make a version of a capability the latest for all users; versions after it are rolled back.",
  input: z.strictObject({
    name: z
      .string()
      .min(1)
      .describe("The capability, by any form of its name; with @v2, that version, else the newest"),
    reason: z.string().max(500).optional().describe("Why, for the history"),
  }),
  output: z.strictObject({
    name: z.string(),
    version: z.int(),
    /** False if it already was the latest. */
    promoted: z.boolean(),
    ...withWarnings,
  }),
  run:
    ({ registry }: Pick<Parts, "registry">) =>
    async ({ name, reason = "a person promoted it" }, scope) => {
      refuseServer(name);
      const { capability, version: found, warnings } = await registry.findToChange(name, scope);
      const [newest] = await registry.versionsOf(capability);
      const isNamed = parseReference(name)?.version !== undefined;
      const version = isNamed ? found : (newest?.version ?? found);
      const { fqdn, displayName } = capability;
      const promoted = await registry.promote({ fqdn, version, reason, by: creatorOf(scope) });
      return { name: displayName, version, promoted, ...warned(warnings) };
    },
});
