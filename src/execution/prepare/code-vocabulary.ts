/**
 * The meaning of names in code: for an agent that writes code now, and in saved code.
 *
 * @module
 */
import { spelling } from "../../analysis/names/unknown-names.js";
import type {
  CapabilityMeaning,
  CodeReference,
  Meaning,
  NameTrouble,
  Vocabulary,
} from "../../analysis/vocabulary.js";
import { nearest } from "../../base/nearest.js";
import type { Callee, FindCallee } from "../../registry/callees.js";
import type { Capability, CapabilityVersion } from "../../registry/capability.js";
import { aliasWarning, type CapabilityDirectory } from "../../registry/capability-directory.js";
import { type CapabilityRef, fqdnOfRef, splitCapabilityRef } from "../../registry/capability-ref.js";
import { type DisplayName, foldDisplayName } from "../../registry/display-name.js";
import { fqdnLabel } from "../../registry/fqdn.js";
import { parseReference, type Reference, type ReferenceTarget } from "../../registry/reference.js";
import type { Scope } from "../../registry/scope.js";
import { foldSpelling, splitToolId, type ToolId, toolIdParts } from "../../registry/tool-id.js";
import { hiddenName } from "../../registry/visibility.js";
import { type KnownTool, outputSchemaOf } from "../ports/tool-box.js";
import { namesIn, spellingOf, spellingOfPath, type ToolIndex } from "./tool-index.js";

/** Answers of the store for names that are not in memory, by their spelling in the code. */
export interface NameAnswers {
  readonly meanings: ReadonlyMap<string, CapabilityMeaning>;
  readonly troubles: ReadonlyMap<string, NameTrouble>;
}

const NO_ANSWERS: NameAnswers = { meanings: new Map(), troubles: new Map() };

/** A name means a tool if a server has it, else a capability. Only `answers` contain versions. */
export function currentVocabulary(
  tools: ToolIndex,
  directory: CapabilityDirectory,
  scope: Scope,
  { meanings, troubles }: NameAnswers = NO_ANSWERS,
): Vocabulary {
  const capabilityOf = (text: string): Meaning | undefined => {
    const answer = meanings.get(text);
    if (answer !== undefined) return answer;
    const found = directory.resolve(text, scope);
    if (found === undefined || (found.version !== undefined && found.version.kind !== "latest"))
      return undefined;
    const { capability, viaAlias } = found;
    return {
      ...meaningOf(capability),
      ...(viaAlias === undefined ? {} : { warning: aliasWarning(viaAlias, capability) }),
    };
  };
  return {
    resolve({ object, path }) {
      const tool = object === "mcp" ? tools.find(path) : undefined;
      return tool === undefined ? capabilityOf(path.join(":")) : toolMeaning(tool);
    },
    nearest(reference) {
      const [name = ""] = textOf(reference).split("@");
      const capabilities = directory.nearest(name, scope);
      if (reference.object === "capabilities")
        return capabilities.map((like) => spelling({ object: "capabilities", path: [like] }));
      const ids = nearestTools(reference, tools);
      return [...new Set([...ids, ...capabilities])].slice(0, 3).map(spelledId);
    },
    readings(path) {
      const names = namesIn(path).flatMap((words) => {
        const meaning = capabilityOf(words.join(":"));
        return meaning?.kind === "capability" ? [meaning.displayName as string] : [];
      });
      return [...new Set([...tools.readings(path).map(({ id }) => id), ...names])].map(spelledId);
    },
    trouble: (reference) => troubles.get(textOf(reference)),
  };
}

/** A name in the form for the registry. */
export function textOf({ path }: CodeReference): string {
  return path.join(":");
}

/** Whether a name has a version that only the store can resolve; it comes after the whole name. */
export function isPinned({ path }: CodeReference): boolean {
  if (path.slice(0, -1).some((key) => key.includes("@"))) return false;
  return isPin(parseReference(path.join(":")));
}

function isPin(reference: Reference | undefined): boolean {
  return reference?.version !== undefined && reference.version.kind !== "latest";
}

/** The tools and capabilities that a version's code names. */
export type VersionNames = Pick<CapabilityVersion, "toolsUsed" | "dependencies">;

/**
 * Names in saved code mean what they meant when it was saved, even after renames. To run it again, the schemas of tools
 * are not needed; a caller that needs them passes `toolOf`.
 */
export function savedVocabulary(
  version: VersionNames,
  find: FindCallee,
  toolOf: (id: ToolId) => KnownTool | undefined = () => undefined,
): Vocabulary {
  const tools = new Map<string, ToolId>();
  for (const id of version.toolsUsed) {
    const { server, tool } = splitToolId(id);
    const { exact, folded } = spellingOf(server, tool);
    // Tools that the code itself names come first.
    if (!tools.has(folded)) tools.set(folded, id);
    tools.set(exact, id);
  }
  const dependencies = new Set<string>(version.dependencies);
  return {
    resolve({ object, path }) {
      const [first = "", second] = path;
      if (object === "mcp" && second === undefined && dependencies.has(first)) {
        const callee = find(first as CapabilityRef);
        return callee === undefined ? undefined : calleeMeaning(callee);
      }
      const spelling = spellingOfPath(path);
      const id = spelling && (tools.get(spelling.exact) ?? tools.get(spelling.folded));
      if (id === undefined) return undefined;
      const tool = toolOf(id);
      return tool === undefined ? { kind: "tool", id, inputSchema: {} } : toolMeaning(tool);
    },
    nearest: () => [],
  };
}

/**
 * For code as written, before its references became FQDNs: a name means the dependency that has or had that name. Only
 * correct if the analysis gives the same saved code.
 */
export function writtenVocabulary(
  version: VersionNames,
  find: FindCallee,
  toolOf: (id: ToolId) => KnownTool | undefined,
): Vocabulary {
  const saved = savedVocabulary(version, find, toolOf);
  const callees = version.dependencies.flatMap((ref) => find(ref) ?? []);
  return {
    resolve(written) {
      const reference = parseReference(textOf(written));
      const callee = reference && writtenCallee(reference, callees);
      return callee === undefined ? saved.resolve(written) : calleeMeaning(callee);
    },
    nearest: () => [],
  };
}

function toolMeaning(tool: KnownTool): Extract<Meaning, { kind: "tool" }> {
  const outputSchema = outputSchemaOf(tool);
  const { id, inputSchema } = tool;
  return { kind: "tool", id, inputSchema, ...(outputSchema === undefined ? {} : { outputSchema }) };
}

/**
 * The dependency that a reference in the written code can mean. Tags and days are not resolved again: several pinned
 * versions are distinguished only by their numbers.
 */
function writtenCallee(reference: Reference, callees: readonly Callee[]): Callee | undefined {
  const called = callees.filter(({ capability }) => isCalled(capability, reference.target));
  if (!isPin(reference)) return called.find(({ ref }) => fqdnOfRef(ref) === ref);
  const pinned = called.filter(({ ref }) => fqdnOfRef(ref) !== ref);
  if (pinned.length < 2) return pinned[0];
  const { version } = reference;
  const number =
    version?.kind === "number" ? version.version : version?.kind === "tag" ? version.numbers[0] : undefined;
  return pinned.find((callee) => callee.version === number);
}

/** Whether a capability has, or had, that name. */
function isCalled(capability: Capability, target: ReferenceTarget): boolean {
  const { fqdn, id, org, project } = capability;
  switch (target.kind) {
    case "fqdn":
      return target.fqdn === fqdn;
    case "label":
      return target.label === fqdnLabel(fqdn);
    case "id":
      return target.id === id;
    case "scoped":
      return target.org === org && target.project === project && isNamed(capability, target.name);
    case "name":
      return isNamed(capability, target.name);
  }
}

function isNamed({ displayName, aliases }: Capability, name: string): boolean {
  const fold = foldDisplayName(name);
  return [displayName, ...aliases].some((own) => foldDisplayName(own) === fold);
}

function meaningOf({ fqdn, id, displayName, parameters }: Capability): CapabilityMeaning {
  return { kind: "capability", fqdn, id, displayName, parameters };
}

/** The meaning of a reference in saved code, or of a pinned one. */
export function calleeMeaning({ ref, capability, parameters, isHidden }: Callee): CapabilityMeaning {
  const { id, ...meaning } = meaningOf(capability);
  const called = { ...meaning, ...splitCapabilityRef(ref), parameters };
  if (isHidden === true) return { ...called, displayName: hiddenName as string as DisplayName };
  return id === undefined ? called : { ...called, id };
}

/** The penalty of a deprecated tool against other tools with nearly as similar names. */
const DEPRECATED_LOSS = 0.2;

/** Searches the named server if it exists; otherwise all servers. */
function nearestTools({ path }: CodeReference, index: ToolIndex): readonly string[] {
  const server = foldSpelling(path.length > 1 ? (path[0] ?? "") : ((path[0] ?? "").split(":", 1)[0] ?? ""));
  const callable = index.operations.filter(({ operation }) => typeof operation === "string");
  const own = [...callable, ...index.tools].filter((tool) => foldSpelling(tool.server) === server);
  const name = path.join(":");
  const lossOf = (id: string): number => (index.find([id])?.isDeprecated === true ? DEPRECATED_LOSS : 0);
  const near = (tools: readonly KnownTool[], least?: number): readonly string[] =>
    nearest(
      name,
      tools.map(({ id }) => id),
      3,
      least,
      lossOf,
    );
  if (own.length === 0) return near(index.tools);
  const like = near(own);
  // The server exists, so any of its tools is a better suggestion than none.
  return like.length > 0 ? like : near(own, 0);
}

function spelledId(id: string): string {
  const path = toolIdParts(id);
  return spelling(path === undefined ? { object: "capabilities", path: [id] } : { object: "mcp", path });
}
