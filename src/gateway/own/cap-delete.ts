import { z } from "zod";
import { dayOf } from "../../base/day.js";
import { defined } from "../../base/defined.js";
import { PmlError } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import { undeleteCall } from "../../registry/missing-capability.js";
import { parseReference } from "../../registry/reference.js";
import type { Scope } from "../../registry/scope.js";
import { canSee } from "../../registry/visibility.js";
import { operation } from "../operation.js";
import { deleteAnswer } from "./answers.js";
import { recordOf, refuseServer, relationsOf, warned } from "./capability-view.js";
import type { Parts } from "./parts.js";

const NAMES_SHOWN = 10;

const schema = z.strictObject({
  name: z.string().min(1).describe("Any form of its name"),
  undelete: z.boolean().optional().describe("Restore it instead"),
});

/** `cap_delete`: deletes or restores a capability. */
export const capDelete = operation({
  id: "cap:delete",
  who: "agent",
  audits: () => true,
  title: "Delete a capability",
  summary:
    "Delete a capability with all versions, or restore it while its name is reserved. Lists saved code that depends on it.",
  input: schema,
  output: deleteAnswer,
  hints: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  run:
    ({ registry, reserveDays }: Pick<Parts, "registry" | "reserveDays">) =>
    async ({ name, undelete = false }, scope) => {
      refuseServer(name);
      refuseVersion(name);
      if (undelete) {
        const { fqdn, displayName } = await registry.findDeleted(name, scope);
        const back = await registry.undelete({ fqdn, scope });
        return { ...recordOf(back), ...warned(otherNameWarning(displayName, back)) };
      }
      const { capability, warnings } = await registry.findToChange(name, scope);
      const { dependents } = await relationsOf(registry, { ...capability, dependencies: [] }, scope);
      const others = hiddenDependents(registry, capability, scope);
      const deleted = await registry.delete({ fqdn: capability.fqdn, scope, reserveDays });
      const names = [...new Set(dependents.map((caller) => caller.name))];
      const { deletedAt, reservedUntil } = deleted;
      return {
        ...recordOf(deleted),
        ...defined({ deleted_at: deletedAt?.toISOString(), reserved_until: reservedUntil?.toISOString() }),
        dependents,
        ...(others === 0 ? {} : { other_dependents: others }),
        ...warned([...warnings, ...dependentsWarning(deleted, names, others)]),
      };
    },
});

function otherNameWarning(before: string, { displayName }: Capability): readonly string[] {
  if (before === displayName) return [];
  return [`It is called ${displayName} now: ${before} is now the name of a tool of a server.`];
}

function refuseVersion(name: string): void {
  const version = parseReference(name)?.version;
  if (version === undefined || version.kind === "latest") return;
  throw new PmlError(
    "ARGUMENTS_INVALID",
    `Cannot call cap_delete: ${name.slice(0, 200)} is one version, and single versions cannot be deleted`,
    { hint: "Give the name without a version to delete the whole capability." },
  );
}

/** How many dependents the session may not see. */
function hiddenDependents(registry: CapabilityRegistry, { fqdn }: Capability, scope: Scope): number {
  return registry.directory.dependents(fqdn).filter((caller) => !canSee(caller, scope)).length;
}

function dependentsWarning(
  { displayName, reservedUntil }: Capability,
  names: readonly string[],
  others: number,
): readonly string[] {
  if (names.length + others === 0) return [];
  const more = Math.max(names.length - NAMES_SHOWN, 0) + others;
  const all = [...names.slice(0, NAMES_SHOWN), ...(more === 0 ? [] : [`${more} more`])];
  const fails = names.length + others === 1 ? "calls it and fails" : "call it and fail";
  return [
    `${all.join(", ")} ${fails} from now on. Until ${dayOf(reservedUntil)} it can be restored: ${undeleteCall(displayName)}.`,
  ];
}
