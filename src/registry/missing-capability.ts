/**
 * Errors for names without a capability: unknown, deleted, reserved or renamed.
 *
 * @module
 */
import { dayOf } from "../base/day.js";
import { PmlError } from "../base/pml-error.js";
import type { Capability } from "./capability.js";
import type { Scope } from "./scope.js";
import { mayChange } from "./visibility.js";

const NAME_SHOWN_CHARS = 200;

/** Names come from callers, and may be as long as a message. */
export function shownText(text: string): string {
  return text.slice(0, NAME_SHOWN_CHARS);
}

/** `like` are similar names that the asker may see; `where` is the hint without such names. */
export function notFoundError(text: string, like: readonly string[], where: string): PmlError {
  return new PmlError("CAPABILITY_NOT_FOUND", `Capability not found: ${shownText(text)}`, {
    hint: like.length === 0 ? where : `Did you mean ${like.join(" or ")}?`,
    data: { nearest: like },
  });
}

/** Whether a deleted capability still owns its names, so that it can be restored. */
export function isReserved(reservedUntil: Date | null | undefined): boolean {
  return reservedUntil !== undefined && reservedUntil !== null && reservedUntil.getTime() > Date.now();
}

/** The call that restores a deleted capability. */
export function undeleteCall(name: string): string {
  return `cap_delete { "name": "${name}", "undelete": true }`;
}

/** For a caller that wants a name reserved for a deleted capability that it may see. */
export function reservedHint(
  name: string,
  deletedAt: Date | null | undefined,
  reservedUntil: Date | null | undefined,
): string {
  return `It was deleted on ${dayOf(deletedAt)}, and its name is reserved until ${dayOf(reservedUntil)}. Choose another name, or restore it: ${undeleteCall(name)}.`;
}

/** For a caller that asks for a deleted capability that it could see. */
export function deletedError(deleted: Capability, scope: Scope): PmlError {
  const { displayName, deletedAt, reservedUntil } = deleted;
  return new PmlError("CAPABILITY_DELETED", `Capability ${displayName} was deleted on ${dayOf(deletedAt)}`, {
    ...(isReserved(reservedUntil) && mayChange(deleted, scope)
      ? { hint: `Until ${dayOf(reservedUntil)} it can be restored: ${undeleteCall(displayName)}.` }
      : {}),
    data: { name: displayName, deleted_at: deletedAt?.toISOString() },
  });
}

/** For a caller that renames a capability whose name has changed from `from` to `now` since it looked. */
export function namedSince(from: string, now: string): PmlError {
  return new PmlError("CAPABILITY_CHANGED", `${shownText(from)} is called ${now} now: it was renamed`, {
    hint: `Leave it, or rename ${now}.`,
    data: { name: now },
  });
}
