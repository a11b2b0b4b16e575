/**
 * Suggestions for capabilities: the stored ones that are still valid, and new ones for all others.
 *
 * A suggestion stays until the code or the intent changes, or the name is taken: heuristics and paid models need not
 * run again, and a person sees the same suggestion as before. New capabilities are named together, so that
 * near-duplicates get different names. They are read one by one, since reading blocks the thread.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { nextTurn } from "../base/next-turn.js";
import type { WordVectors } from "../discovery/embedder.js";
import type { Capability } from "../registry/capability.js";
import type { CapabilityDirectory } from "../registry/capability-directory.js";
import { fqdnOfRef } from "../registry/capability-ref.js";
import { type DisplayName, foldDisplayName, namePartsOf } from "../registry/display-name.js";
import { type Fqdn, fqdnLabel, splitFqdn } from "../registry/fqdn.js";
import type { Scope } from "../registry/scope.js";
import { isOperationId, type ToolId } from "../registry/tool-id.js";
import { HiddenNames } from "../registry/visibility.js";
import type { NameModel } from "./name-model.js";
import type { NameSuggestion, TakenNames } from "./name-suggestion.js";
import type { NamedCallee, NamedTool, NamingSubject } from "./naming-subject.js";
import { type NamingSource, type ObjectModel, type SourceVectors, sourceVectors } from "./object-model.js";
import { refineNames } from "./refine-names.js";
import { nameThoughts, readSubject, type Thought, thoughtOf } from "./suggest-names.js";
import type { KeptSuggestion, SuggestionStore } from "./suggestion-store.js";

export interface NamingTools {
  /** Resolves when the offers of starting servers are known, or the time limit has passed. */
  settled(): Promise<void>;
  /** The known facts about a tool; only its id if no server offers it. */
  describe(id: ToolId): NamedTool;
}

/** Chooses the object words of names. */
export interface ObjectNaming {
  /** Loads the model when it is first needed; throws if it is damaged. */
  model(): ObjectModel;
  /** The bundled encoder, if configured; without its vectors the model uses features alone. */
  encode?(words: readonly string[], signal: AbortSignal): Promise<WordVectors | undefined>;
}

export interface SuggesterOptions {
  readonly directory: CapabilityDirectory;
  readonly store: Pick<SuggestionStore, "kept" | "keep" | "codes">;
  readonly tools: NamingTools;
  readonly objects: ObjectNaming;
  /** Throws if the name cannot be chosen: it is malformed, reserved, or the id of a tool. */
  readonly checkName: (name: string, scope: Scope) => DisplayName;
}

/** Capabilities that are named together: near-duplicates call the same tools, and so are rarely separated. */
const NAMED_AT_ONCE = 100;
/** Already named capabilities that are considered again together with new ones. */
const SIBLINGS = 50;
/** How many capabilities' code is read in one statement. */
const READ_AT_ONCE = 50;
/** Capabilities per call whose words the encoder reads: it takes up to 200 ms for each. */
const ENCODED_AT_ONCE = 100;

/** Incremented when the naming rules change: stored suggestions are then computed again. */
const NAMING_VERSION = 4;

/** The basis of a suggestion for a capability. Versions never change, so their number is enough. */
export function basisOf({ version, intent }: Pick<Capability, "version" | "intent">): string {
  return `${NAMING_VERSION} ${version} ${intent}`;
}

/** Replaces a capability in code that the user may not see. */
const HIDDEN = "somewhere";

export type Suggestions = ReadonlyMap<Fqdn, NameSuggestion>;

export interface Refining {
  readonly scope: Scope;
  readonly model: NameModel;
  readonly signal: AbortSignal;
}

export interface Refined {
  readonly suggestions: Suggestions;
  /** Problems for a person. */
  readonly problems: readonly string[];
  /** The model was asked, and none of its names is usable. */
  readonly hasFailed: boolean;
}

export class Suggester {
  readonly #options: SuggesterOptions;

  constructor(options: SuggesterOptions) {
    this.#options = options;
  }

  /** The stored suggestions of these that are still valid. */
  async kept(capabilities: readonly Capability[], scope: Scope): Promise<Suggestions> {
    return (await this.#known(capabilities, scope)).suggestions;
  }

  /** A suggestion for each, stored from then on. */
  async suggest(
    capabilities: readonly Capability[],
    scope: Scope,
    signal: AbortSignal,
  ): Promise<Suggestions> {
    const { store, tools } = this.#options;
    await tools.settled();
    const { suggestions, reserved } = await this.#known(capabilities, scope);
    let encoded = 0;
    const encodes = () => {
      encoded += 1;
      return encoded <= ENCODED_AT_ONCE;
    };
    const missing = capabilities.filter(({ fqdn }) => !suggestions.has(fqdn));
    for (const group of groupsOf(missing)) {
      const siblings = siblingsOf(group, capabilities, suggestions);
      const thoughts = await this.#thoughts([...group, ...siblings], signal, encodes);
      const [one] = group;
      const own = one?.isNamed === true ? one : undefined;
      const made = nameThoughts(thoughts, this.#taken(scope, reserved, own));
      const taken = this.#taking(made, group, suggestions, reserved);
      await store.keep(taken);
    }
    return suggestions;
  }

  /** Better suggestions by a model, for at most {@link LIMITS.curationBatch}; the existing ones if it has none. */
  async refine(
    capabilities: readonly Capability[],
    suggestions: Suggestions,
    { scope, model, signal }: Refining,
  ): Promise<Refined> {
    const batch = capabilities.filter(({ fqdn }) => {
      const by = suggestions.get(fqdn)?.by;
      return by !== undefined && by !== model.name;
    });
    if (batch.length === 0) return { suggestions, problems: [], hasFailed: false };
    const { reserved } = await this.#known(batch, scope);
    const drafts = batch.flatMap(({ fqdn }) => suggestions.get(fqdn) ?? []);
    // Each may keep its own suggested name.
    for (const { name } of drafts) reserved.delete(foldDisplayName(name));
    const taken = this.#taken(scope, reserved);
    const { suggestions: refined, problems } = await refineNames(
      await this.#subjects(batch),
      drafts,
      model,
      taken,
      { signal },
    );
    const better = refined.filter(({ by }) => by === model.name);
    const changed = new Map(suggestions);
    for (const suggestion of better) changed.set(suggestion.id as Fqdn, suggestion);
    await this.#options.store.keep(
      batch.flatMap((capability) => {
        const suggestion = changed.get(capability.fqdn);
        if (suggestion?.by !== model.name) return [];
        return [{ fqdn: capability.fqdn, basis: this.#basisOf(capability), suggestion }];
      }),
    );
    return { suggestions: changed, problems, hasFailed: better.length === 0 && problems.length > 0 };
  }

  /**
   * The stored suggestions that are still valid, and all names that are suggested for unnamed capabilities of the
   * project.
   */
  async #known(capabilities: readonly Capability[], scope: Scope) {
    const { directory, store } = this.#options;
    const asked = new Map(capabilities.map((capability) => [capability.fqdn, capability]));
    const all = new Map(asked);
    for (const capability of directory.all())
      if (!capability.isNamed && capability.org === scope.org && capability.project === scope.project)
        all.set(capability.fqdn, capability);
    const suggestions = new Map<Fqdn, NameSuggestion>();
    const reserved = new Set<string>();
    for (const kept of [...(await store.kept([...all.keys()]))].sort(byFqdn)) {
      const capability = all.get(kept.fqdn);
      const fold = foldDisplayName(kept.suggestion.name);
      if (capability === undefined || reserved.has(fold) || !this.#holds(kept, capability, scope)) continue;
      reserved.add(fold);
      if (asked.has(kept.fqdn)) suggestions.set(kept.fqdn, kept.suggestion);
    }
    return { suggestions, reserved };
  }

  #holds({ basis, suggestion }: KeptSuggestion, capability: Capability, scope: Scope): boolean {
    return (
      basis === this.#basisOf(capability) &&
      !this.#taken(scope, new Set(), capability).isTaken(suggestion.name)
    );
  }

  /** A suggestion that was made before a callee became private is no longer valid. */
  #basisOf(capability: Capability): string {
    const hidden = privateCallees(capability, this.#options.directory).length;
    return hidden === 0 ? basisOf(capability) : `${basisOf(capability)} private:${hidden}`;
  }

  /** For a named capability, its own name is free. */
  #taken(scope: Scope, reserved: ReadonlySet<string>, own?: Capability): TakenNames {
    const { directory, checkName } = this.#options;
    return {
      isTaken(name) {
        if (reserved.has(foldDisplayName(name))) return true;
        const holder = directory.holderOf(name, scope)?.capability;
        if (holder !== undefined && holder.fqdn !== own?.fqdn) return true;
        try {
          checkName(name, scope);
          return false;
        } catch {
          return true;
        }
      },
    };
  }

  /** Yields after each. */
  async #thoughts(
    capabilities: readonly Capability[],
    signal: AbortSignal,
    encodes: () => boolean,
  ): Promise<readonly Thought[]> {
    const model = this.#options.objects.model();
    const thoughts: Thought[] = [];
    for (let at = 0; at < capabilities.length; at += READ_AT_ONCE) {
      for (const subject of await this.#subjects(capabilities.slice(at, at + READ_AT_ONCE))) {
        signal.throwIfAborted();
        const read = readSubject(subject, model);
        const vectors = encodes() ? await this.#vectors(read.source, signal) : undefined;
        thoughts.push(thoughtOf(read, model, vectors));
        await nextTurn();
      }
    }
    return thoughts;
  }

  /** Undefined if there is no encoder, or it fails. */
  async #vectors({ intent, rest }: NamingSource, signal: AbortSignal): Promise<SourceVectors | undefined> {
    const { objects } = this.#options;
    const encode = async (words: readonly string[]) =>
      words.length === 0 ? undefined : await objects.encode?.(words, signal).catch(() => undefined);
    return sourceVectors(await encode(intent), await encode(rest));
  }

  async #subjects(capabilities: readonly Capability[]): Promise<readonly NamingSubject[]> {
    const { store } = this.#options;
    const codes = await store.codes(capabilities.map(({ fqdn }) => fqdn));
    return capabilities.map((capability) => this.#subject(capability, codes.get(capability.fqdn) ?? ""));
  }

  /** More people see a name than a private capability that the code calls: the name must not contain a word of it. */
  #subject(capability: Capability, code: string): NamingSubject {
    const { directory, tools } = this.#options;
    const { fqdn, intent, toolsUsed, parameters, dependencies } = capability;
    return {
      id: fqdn,
      intent,
      code: new HiddenNames(privateCallees(capability, directory)).in(code, HIDDEN),
      tools: toolsUsed.filter((id) => !isOperationId(id)).map((id) => tools.describe(id)),
      callees: dependencies.flatMap((ref) => this.#callee(directory.get(fqdnOfRef(ref)))),
      parameters: Object.keys(parameters.properties),
    };
  }

  /** By its own name if it has one, else by the tools that it reaches. */
  #callee(capability: Capability | undefined): readonly NamedCallee[] {
    if (capability === undefined) return [];
    if (capability.visibility === "private") return [{ names: [HIDDEN], does: [] }];
    const { fqdn, id, displayName, aliases, isNamed } = capability;
    const { namespace, action } = namePartsOf(displayName, splitFqdn(fqdn).namespace);
    const does = isNamed
      ? [{ id: `${namespace}:${action}` }]
      : reachedTools(capability, this.#options.directory).map((tool) => this.#options.tools.describe(tool));
    return [{ names: [displayName, ...aliases, fqdn, fqdnLabel(fqdn), id], does }];
  }

  /** Takes over the group's results; for its siblings, only their near-duplicates. */
  #taking(
    made: readonly NameSuggestion[],
    group: readonly Capability[],
    suggestions: Map<Fqdn, NameSuggestion>,
    reserved: Set<string>,
  ): readonly KeptSuggestion[] {
    const inGroup = new Set<string>(group.map(({ fqdn }) => fqdn));
    const { directory } = this.#options;
    return made.flatMap((suggestion) => {
      const fqdn = suggestion.id as Fqdn;
      const capability = directory.get(fqdn);
      const known = suggestions.get(fqdn);
      const taken = inGroup.has(fqdn) ? suggestion : known && withNear(known, suggestion.near);
      if (capability === undefined || taken === undefined || taken === known) return [];
      suggestions.set(fqdn, taken);
      reserved.add(foldDisplayName(taken.name));
      return [{ fqdn, basis: this.#basisOf(capability), suggestion: taken }];
    });
  }
}

function privateCallees(
  { dependencies }: Capability,
  directory: Pick<CapabilityDirectory, "get">,
): readonly Capability[] {
  const callees = dependencies.flatMap((ref) => directory.get(fqdnOfRef(ref)) ?? []);
  return callees.filter(({ visibility }) => visibility === "private");
}

/** The tools that it calls itself and through others that are not private. */
function reachedTools(
  capability: Capability,
  directory: Pick<CapabilityDirectory, "get">,
): readonly ToolId[] {
  const reached = new Set([capability]);
  for (const { dependencies } of reached)
    for (const ref of dependencies) {
      const callee = directory.get(fqdnOfRef(ref));
      if (callee !== undefined && callee.visibility !== "private") reached.add(callee);
    }
  return [...new Set([...reached].flatMap(({ toolsUsed }) => toolsUsed))];
}

/** The same object if it already had them all. */
function withNear(known: NameSuggestion, near: readonly string[]): NameSuggestion {
  const more = near.filter((id) => !known.near.includes(id));
  return more.length === 0 ? known : { ...known, near: [...known.near, ...more] };
}

/**
 * Named capabilities form their own groups, since each may keep its name; the others are grouped with those of the same
 * tools.
 */
function groupsOf(capabilities: readonly Capability[]): readonly (readonly Capability[])[] {
  const unnamed = capabilities
    .filter(({ isNamed }) => !isNamed)
    .map((capability) => ({ capability, key: toolsOf(capability) }))
    .sort((one, other) => (one.key === other.key ? 0 : one.key < other.key ? -1 : 1));
  const groups: Capability[][] = capabilities.filter(({ isNamed }) => isNamed).map((one) => [one]);
  for (let at = 0; at < unnamed.length; at += NAMED_AT_ONCE)
    groups.push(unnamed.slice(at, at + NAMED_AT_ONCE).map(({ capability }) => capability));
  return groups;
}

/**
 * Some capabilities that have a suggestion and call the same tools, because new ones may be near-duplicates of them.
 */
function siblingsOf(
  group: readonly Capability[],
  capabilities: readonly Capability[],
  suggestions: Suggestions,
): readonly Capability[] {
  const keys = new Set(group.filter(({ isNamed }) => !isNamed).map(toolsOf));
  return capabilities
    .filter((one) => !one.isNamed && suggestions.has(one.fqdn) && keys.has(toolsOf(one)))
    .slice(0, SIBLINGS);
}

function toolsOf({ toolsUsed, dependencies }: Capability): string {
  return [...toolsUsed, ...dependencies].join("\n");
}

function byFqdn(one: KeptSuggestion, other: KeptSuggestion): number {
  return one.fqdn < other.fqdn ? -1 : 1;
}
