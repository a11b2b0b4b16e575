/**
 * Whether code may have a name and a version tag, as far as this is known before it runs.
 *
 * @module
 */
import { PmlError } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import type { NameHolder } from "../../registry/capability-index.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import { chooseDisplayName, type DisplayName, nameTaken } from "../../registry/display-name.js";
import type { Fqdn } from "../../registry/fqdn.js";
import { reservedHint } from "../../registry/missing-capability.js";
import type { Scope } from "../../registry/scope.js";
import { isSameTag, isVersionTag, tagTaken } from "../../registry/version-spec.js";
import { canSee, creatorOf, mayChange } from "../../registry/visibility.js";
import type { ExecuteOptions, ExecuteRequest } from "../ports/execute-answer.js";
import type { ToolIndex } from "./tool-index.js";

/** Throws `NAME_INVALID`, or `NAME_TAKEN` if a real tool has that id in any spelling. */
export function checkName(text: string, scope: Scope, tools: ToolIndex): DisplayName {
  const name = chooseDisplayName(text);
  const tool = tools.holderOf(name);
  if (tool === undefined) return name;
  throw nameTaken(name, scope, {
    hint: "Choose another name, or call the tool directly.",
    holder: tool.id,
    why: `it is the id of the tool ${tool.id}`,
  });
}

/** For a holder that the session may not see, the error only says that the name is taken. */
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
      why: `it is a former name of ${holder}, which keeps it as an alias`,
    });
  const hint = `Choose another name, call the capability that has it, or ${howToUpdate}.`;
  return nameTaken(name, scope, { hint, holder });
}

export function checkTag(tag: string | undefined): void {
  if (tag === undefined || isVersionTag(tag)) return;
  throw new PmlError(
    "ARGUMENTS_INVALID",
    `options.version_tag: expected a version such as v1.2.0, found "${tag.slice(0, 100)}"`,
  );
}

/** The capability that the code is, or becomes the next version of; throws if this code may not have the name. */
export async function holderOf(
  name: DisplayName,
  codeHash: string,
  options: Pick<ExecuteOptions, "update" | "version_tag">,
  scope: Scope,
  registry: CapabilityRegistry,
): Promise<Fqdn | undefined> {
  await registry.lookUp(name, scope);
  const holder = registry.directory.holderOf(name, scope);
  if (holder === undefined) return undefined;
  const { capability, viaAlias } = holder;
  const known = await registry.store.findByCode(scope.org, scope.project, codeHash);
  const isLive = capability.deletedAt === undefined;
  const isUpdate = options.update === true && mayChange(capability, scope);
  if (!isLive || viaAlias !== undefined || !(isUpdate || known?.fqdn === capability.fqdn))
    throw heldByOther(name, scope, holder);
  const tag = options.version_tag;
  const tagged =
    tag === undefined
      ? undefined
      : (await registry.versionsOf(capability)).find(({ versionTag }) => isSameTag(versionTag, tag));
  // A tag may be given again only to the same code, as long as that stays the same version.
  const isUnchanged = tagged?.codeHash === codeHash && (!isUpdate || tagged.version === capability.version);
  if (tag !== undefined && tagged !== undefined && !isUnchanged)
    throw tagTaken(capability.displayName, tag, tagged.version);
  return capability.fqdn;
}

/** The capability that already has this code, if only its use must be written. */
export function knownAs(
  codeHash: string,
  { name, options }: ExecuteRequest,
  scope: Scope,
  { directory }: Pick<CapabilityRegistry, "directory">,
): Capability | undefined {
  const known = directory.withCode(codeHash, scope);
  if (known === undefined || !known.creators.includes(creatorOf(scope))) return undefined;
  // Several versions may have this code: only the store knows which.
  if (known.version !== 1 || options?.update === true || options?.version_tag !== undefined) return undefined;
  return name === undefined || name === known.displayName ? known : undefined;
}
