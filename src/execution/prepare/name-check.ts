/**
 * Whether a name may be given to code, as far as it can be told before the code runs.
 *
 * @module
 */
import type { PmlError } from "../../base/pml-error.js";
import type { NameHolder } from "../../registry/capability-index.js";
import { chooseDisplayName, type DisplayName, nameTaken } from "../../registry/display-name.js";
import { reservedHint } from "../../registry/missing-capability.js";
import type { Scope } from "../../registry/scope.js";
import { canSee } from "../../registry/visibility.js";
import type { ToolIndex } from "./tool-index.js";

/** Throws `NAME_INVALID`, or `NAME_TAKEN` where a real tool has that id, however it is spelled. */
export function checkName(text: string, scope: Scope, tools: ToolIndex): DisplayName {
  const name = chooseDisplayName(text);
  const tool = tools.holderOf(name);
  if (tool === undefined) return name;
  throw nameTaken(name, scope, {
    hint: "Choose another name; the tool can be called as it is.",
    holder: tool.id,
    why: `it is the id of the tool ${tool.id}`,
  });
}

/** Of a holder that the session may not see it is said only that the name is not free. */
export function heldByOther(
  name: DisplayName,
  scope: Scope,
  { capability, viaAlias }: NameHolder,
  howToUpdate = "set options.update to true to store this code as its next version",
): PmlError {
  const another = "Choose another name.";
  if (!canSee(capability, scope)) return nameTaken(name, scope, { hint: another });
  const { displayName: holder, deletedAt, reservedUntil } = capability;
  if (deletedAt !== undefined)
    return nameTaken(name, scope, { hint: reservedHint(holder, deletedAt, reservedUntil), holder });
  if (viaAlias !== undefined)
    return nameTaken(name, scope, {
      hint: another,
      holder,
      why: `it is a former name of ${holder}, which still answers to it`,
    });
  const hint = `Choose another name, call the capability that has it, or ${howToUpdate}.`;
  return nameTaken(name, scope, { hint, holder });
}
