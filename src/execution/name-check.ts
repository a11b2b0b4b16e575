/**
 * Whether a name may be given to code, as far as it can be told before the code runs.
 *
 * @module
 */
import type { PmlError } from "../base/pml-error.js";
import { chooseDisplayName, type DisplayName, nameTaken } from "../registry/display-name.js";
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
  throw nameTaken(
    name,
    scope,
    "Choose another name; the tool can be called as it is.",
    `the tool ${tool.id}`,
  );
}

/** Of a holder that the session may not see it is said only that the name is not free. */
export function heldByOther(
  name: DisplayName,
  scope: Scope,
  { capability, viaAlias }: NameHolder,
  howToUpdate = "set options.update to true to store this code as its next version",
): PmlError {
  if (!canSee(capability, scope)) return nameTaken(name, scope, "Choose another name.");
  const { displayName, deletedAt, reservedUntil } = capability;
  if (deletedAt !== undefined)
    return nameTaken(name, scope, reservedHint(displayName, deletedAt, reservedUntil), displayName);
  // A former name is no way to update the capability that had it.
  const orUpdate = viaAlias === undefined ? `, call the capability that has it, or ${howToUpdate}` : "";
  return nameTaken(name, scope, `Choose another name${orUpdate}.`, displayName);
}
