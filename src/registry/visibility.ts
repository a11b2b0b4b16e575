/**
 * The rules for who may see a capability and who may change its record.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import type { Capability } from "./capability.js";
import type { Scope } from "./scope.js";

/** How creators are written: `user@org`. */
export function creatorOf({ user, org }: Scope): string {
  return `${user}@${org}`;
}

/** What a session may not see, it gets the same "not found" for as for what does not exist. */
export function canSee(
  { visibility, org, project, creators }: Pick<Capability, "visibility" | "org" | "project" | "creators">,
  scope: Scope,
): boolean {
  switch (visibility) {
    case "public":
      return true;
    case "org":
      return org === scope.org;
    case "project":
      return org === scope.org && project === scope.project;
    case "private":
      return creators.includes(creatorOf(scope));
  }
}

/** Replaces the name of a capability that the caller may not see. */
export const hiddenName = "(a capability of another user)";

/** What a capability is called to the asker: code may call what they may not see, and they see that it does. */
export function shownName(
  capability: Pick<Capability, "visibility" | "org" | "project" | "creators" | "displayName">,
  scope: Scope,
): string {
  return canSee(capability, scope) ? capability.displayName : hiddenName;
}

/** A session of the same project, or a creator; in both cases only of what the session can see. */
export function mayChange(
  capability: Pick<Capability, "visibility" | "org" | "project" | "creators">,
  scope: Scope,
): boolean {
  if (!canSee(capability, scope)) return false;
  const isInProject = capability.org === scope.org && capability.project === scope.project;
  return isInProject || capability.creators.includes(creatorOf(scope));
}

/** Throws `NOT_ALLOWED` where the session may see a capability and not change it. */
export function refuseChange(capability: Capability, scope: Scope): void {
  if (mayChange(capability, scope)) return;
  const { displayName, org, project } = capability;
  throw new PmlError(
    "NOT_ALLOWED",
    `${displayName} belongs to ${org}.${project}: only its creator or a session of that project may change it`,
    { hint: "cap_fork copies it into your own project, where you can change it." },
  );
}
