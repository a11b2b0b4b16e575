/**
 * Whether a name may be given to code, as far as it can be told before the code runs.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import { chooseDisplayName, type DisplayName } from "../registry/display-name.js";
import { reservedHint } from "../registry/missing-capability.js";
import type { Scope } from "../registry/scope.js";
import type { NameHolder } from "../registry/scope-names.js";
import { canSee } from "../registry/visibility.js";
import type { ToolIndex } from "./tool-index.js";

/** Throws `NAME_INVALID`, or `NAME_TAKEN` where a real tool has that id, however it is spelled. */
export function checkName(text: string, scope: Scope, tools: ToolIndex): DisplayName {
  const name = chooseDisplayName(text);
  const tool = tools.holderOf(name);
  if (tool === undefined) return name;
  throw new PmlError("NAME_TAKEN", `${taken(name, scope)}: it is the id of the tool ${tool.id}`, {
    hint: "Choose another name; the tool can be called as it is.",
  });
}

/** Of a holder that the session may not see it is said only that the name is not free. */
export function heldByOther(
  name: DisplayName,
  scope: Scope,
  { capability, viaAlias }: NameHolder,
  howToUpdate = "set options.update to true to store this code as its next version",
): PmlError {
  if (!canSee(capability, scope))
    return new PmlError("NAME_TAKEN", taken(name, scope), { hint: "Choose another name." });
  if (capability.deletedAt !== undefined)
    return new PmlError("NAME_TAKEN", taken(name, scope), {
      hint: reservedHint(capability.displayName, capability.deletedAt, capability.reservedUntil),
    });
  if (viaAlias !== undefined) {
    return new PmlError(
      "NAME_TAKEN",
      `${taken(name, scope)}: it is a former name of ${capability.displayName}, which still answers to it`,
      { hint: "Choose another name." },
    );
  }
  return new PmlError("NAME_TAKEN", taken(name, scope), {
    hint: `Choose another name, call the capability that has it, or ${howToUpdate}.`,
  });
}

function taken(name: DisplayName, { org, project }: Scope): string {
  return `Capability name '${name}' already exists in scope ${org}.${project}`;
}
