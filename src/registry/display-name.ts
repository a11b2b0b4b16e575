/**
 * Display names, `namespace:action` or an action alone: the one module that owns their grammar and their fold.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { Capability } from "./capability.js";

declare const displayNameBrand: unique symbol;

/** The name that people and agents use: `namespace:action`, or an action alone; mutable. */
export type DisplayName = string & { readonly [displayNameBrand]: true };

const DISPLAY_NAME = /^[A-Za-z0-9_-]+(?::[A-Za-z0-9_-]+)*$/;
const UNNAMED = /^unnamed_[0-9a-f]{8}(?:[0-9a-f]{4})*$/;
/** The generated name of an unnamed capability, by its fold; such names are reserved. */
const UNNAMED_FOLD = /^unnamed[0-9a-f]{8}(?:[0-9a-f]{4})*$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** First parts that belong to PML, folded: management tools, entry points, servers. */
const RESERVED: ReadonlySet<string> = new Set(["cap", "pml", "mcp"]);
/** Names of tools in lists; such a name always refers to the tool. */
const LISTED = /^(?:(?:cap|pml)_|mcp__)/i;
const UNNAMED_DIGITS = 8;
const UNNAMED_STEP = 4;

export function isDisplayName(text: string): text is DisplayName {
  return text.length <= LIMITS.displayNameChars && DISPLAY_NAME.test(text);
}

/** Any display name, including reserved ones. */
export function parseDisplayName(text: string): DisplayName {
  if (isDisplayName(text)) return text;
  if (text.length > LIMITS.displayNameChars) {
    throw new PmlError(
      "NAME_INVALID",
      `Invalid capability name: "${text.slice(0, LIMITS.displayNameChars)}…" has ${text.length} characters, more than the ${LIMITS.displayNameChars} that a name may have`,
      { hint: "Choose a shorter name, such as fs:read_json." },
    );
  }
  throw new PmlError(
    "NAME_INVALID",
    `Invalid capability name: "${text}". Must be alphanumeric with underscores, hyphens, and colons only.`,
    { hint: "Choose a name such as fs:read_json or read_config." },
  );
}

/** A name that a person or an agent chooses: rejects names that belong to PML or look like an id. */
export function chooseDisplayName(text: string): DisplayName {
  const name = parseDisplayName(text);
  const fold = foldDisplayName(name);
  const first = fold.split(":", 1)[0] ?? "";
  if (RESERVED.has(first)) {
    throw new PmlError(
      "NAME_TAKEN",
      `Capability name '${name}' is reserved: names that begin with cap:, pml: and mcp: belong to PML`,
      { hint: `Choose another namespace, such as ${first}s.` },
    );
  }
  if (LISTED.test(name)) {
    throw new PmlError(
      "NAME_TAKEN",
      `Capability name '${name}' is reserved: names that begin with cap_, pml_ and mcp__ are names of tools`,
      { hint: "Choose a name that says what the capability does, such as fs:read_json." },
    );
  }
  if (UNNAMED_FOLD.test(fold) || isCapabilityId(name)) {
    throw new PmlError(
      "NAME_TAKEN",
      `Capability name '${name}' is reserved: it looks like a name that PML generates`,
      { hint: "Choose a name that says what the capability does, such as fs:read_json." },
    );
  }
  return name;
}

interface TakenBy {
  readonly hint: string;
  /** The name of the capability, or the id of the tool; absent if the caller may not see it. */
  readonly holder?: string;
  /** How the holder has the name, if not as its display name. */
  readonly why?: string;
}

/** The error `NAME_TAKEN`, with the holder of the name. */
export function nameTaken(
  name: DisplayName,
  { org, project }: { readonly org: string; readonly project: string },
  { hint, holder, why = holder === undefined || holder === name ? undefined : `${holder} has it` }: TakenBy,
): PmlError {
  const message = `Capability name '${name}' already exists in scope ${org}.${project}`;
  return new PmlError("NAME_TAKEN", why === undefined ? message : `${message}: ${why}`, {
    hint,
    ...(holder === undefined ? {} : { data: { holder } }),
  });
}

/** Equal for all spellings of one name: case, `-`, `_` and camelCase are ignored, parts are not. */
export function foldDisplayName(name: string): string {
  return name.toLowerCase().replaceAll("_", "").replaceAll("-", "");
}

/** The names for unnamed code, the shortest first: each is used if those before it are taken. */
export function* unnamedNames(codeHash: string): Generator<DisplayName> {
  for (let digits = UNNAMED_DIGITS; digits <= codeHash.length; digits += UNNAMED_STEP)
    yield `unnamed_${codeHash.slice(0, digits)}` as DisplayName;
}

export function isUnnamed(name: DisplayName): boolean {
  return UNNAMED.test(name);
}

/** Whether `text` has the form of a pattern's UUID, which is how capabilities are identified to agents. */
export function isCapabilityId(text: string): boolean {
  return UUID.test(text);
}

export interface NameParts {
  readonly namespace: string;
  readonly action: string;
}

/** Namespace and action of a name: `a:b:c` gives `a` and `b_c`; without a colon, `namespace` is used. */
export function namePartsOf(name: DisplayName, namespace: string): NameParts {
  const [first = "", ...rest] = name.split(":");
  return rest.length === 0 ? { namespace, action: first } : { namespace: first, action: rest.join("_") };
}

/** Namespace and action of a capability's current name; those in its FQDN may be older. */
export function currentParts({
  displayName,
  namespace,
}: Pick<Capability, "displayName" | "namespace">): NameParts {
  return namePartsOf(displayName, namespace);
}

/** Namespace and action for the FQDN of a capability called `name`, or unnamed. */
export function recordPartsOf(name: DisplayName | undefined, namespace: string, codeHash: string): NameParts {
  if (name === undefined) return { namespace, action: `exec_${codeHash.slice(0, UNNAMED_DIGITS)}` };
  const parts = namePartsOf(name, namespace);
  return { namespace: parts.namespace.toLowerCase(), action: parts.action.toLowerCase() };
}
