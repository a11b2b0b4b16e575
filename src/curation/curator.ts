/**
 * Good names for unnamed capabilities: suggested, applied if certain enough, or applied as given.
 *
 * Everything is done for a session, and with what that session may see and rename: nothing else is read, shown or sent
 * to a model. A name is applied only if the capability still has the name that it had when the suggestion was made, so
 * a name that a person or client gives meanwhile wins.
 *
 * @module
 */

import { defined } from "../base/defined.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { Capability } from "../registry/capability.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import type { RenameRequest } from "../registry/capability-store.js";
import { type DisplayName, foldDisplayName, isUnnamed } from "../registry/display-name.js";
import type { Fqdn } from "../registry/fqdn.js";
import { namedSince } from "../registry/missing-capability.js";
import type { Scope } from "../registry/scope.js";
import { type CurationFilter, curatable } from "./curation-filter.js";
import type { NameModel } from "./name-model.js";
import { isSure, type NameSuggestion, SURE } from "./name-suggestion.js";
import { type NamingTools, type ObjectNaming, Suggester, type Suggestions } from "./suggester.js";
import type { SuggestionStore } from "./suggestion-store.js";

export interface CuratorOptions {
  readonly registry: CapabilityRegistry;
  readonly store: Pick<SuggestionStore, "kept" | "keep" | "forget" | "codes">;
  readonly tools: NamingTools;
  readonly objects: ObjectNaming;
  /** Throws if the name cannot be chosen: it is malformed, reserved, or the id of a tool. */
  readonly checkName: (name: string, scope: Scope) => DisplayName;
  readonly log: Log;
}

/** The session to curate for, and the model that helps. */
export interface Curating {
  readonly scope: Scope;
  /** Without it, or if it fails, heuristics are used. */
  readonly model?: NameModel | undefined;
  readonly signal: AbortSignal;
  /** How many batches in a row the model may fail at, before heuristics replace it. */
  readonly patience?: number | undefined;
  /** Called after each batch; an error ends the work. */
  readonly onBatch?: ((done: number, total: number) => Promise<void> | void) | undefined;
}

interface Told {
  /** Problems with the model, for a person. */
  readonly problems: readonly string[];
}

export interface Suggested {
  readonly capability: Capability;
  readonly suggestion: NameSuggestion;
}

export interface SuggestedPage extends Told {
  readonly items: readonly Suggested[];
  /** The count over all pages. */
  readonly total: number;
}

export interface GivenName {
  /** The capability, by any form of its name. */
  readonly reference: string;
  readonly name: string;
  /** The name that the caller expects: if it has another name now, it is not changed. */
  readonly currentName?: string | undefined;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

export type NameOutcome =
  | { readonly kind: "named"; readonly capability: Capability; readonly from: string }
  | { readonly kind: "failed"; readonly error: PmlError };

export interface AutoOutcome extends Told {
  readonly applied: readonly (Suggested & { readonly from: string })[];
  /** Each with the reason why it keeps its name. */
  readonly left: readonly (Suggested & { readonly why: string })[];
  /** How many match the filter and were not processed. */
  readonly others: number;
}

export class Curator {
  readonly #options: CuratorOptions;
  readonly #suggester: Suggester;

  constructor(options: CuratorOptions) {
    this.#options = options;
    this.#suggester = new Suggester({ ...options, directory: options.registry.directory });
  }

  /** The capabilities that a session can curate, most used first. */
  async candidates(filter: CurationFilter, scope: Scope): Promise<readonly Capability[]> {
    const { registry } = this.#options;
    await registry.loaded();
    return curatable(registry.directory.all(), filter, scope);
  }

  /** The stored suggestions of these capabilities that are still valid. */
  kept(capabilities: readonly Capability[], scope: Scope): Promise<Suggestions> {
    return this.#suggester.kept(capabilities, scope);
  }

  /** One page of suggestions, with near-duplicates together. A model is asked only about capabilities on the page. */
  async suggest(
    filter: CurationFilter,
    { offset, limit }: { readonly offset: number; readonly limit: number },
    curating: Curating,
  ): Promise<SuggestedPage> {
    const candidates = await this.candidates(filter, curating.scope);
    const looked = candidates.slice(0, Math.max(LIMITS.curationAtOnce, offset + limit));
    const suggestions = await this.#suggester.suggest(looked, curating.scope, curating.signal);
    const all = together(changes(looked, suggestions));
    const page = all.slice(offset, offset + limit).map(({ capability }) => capability);
    const { suggestions: refined, problems } = await this.#refined(page, suggestions, curating);
    return {
      items: changes(page, refined),
      problems,
      total: all.length + candidates.length - looked.length,
    };
  }

  /** The best suggestion for a capability, even if it is not certain. */
  async nameFor(
    capability: Capability,
    scope: Scope,
    signal: AbortSignal,
  ): Promise<NameSuggestion | undefined> {
    return (await this.#suggester.suggest([capability], scope, signal)).get(capability.fqdn);
  }

  /** The newest code of each, as written. */
  codes(capabilities: readonly Capability[]): Promise<ReadonlyMap<Fqdn, string>> {
    return this.#options.store.codes(capabilities.map(({ fqdn }) => fqdn));
  }

  /** Names capabilities whose suggestion is certain enough. */
  async auto(filter: CurationFilter, limit: number, curating: Curating): Promise<AutoOutcome> {
    const candidates = await this.candidates(filter, curating.scope);
    const looked = candidates.slice(0, limit);
    return { ...(await this.autoFor(looked, curating)), others: candidates.length - looked.length };
  }

  async autoFor(
    capabilities: readonly Capability[],
    curating: Curating,
  ): Promise<Omit<AutoOutcome, "others">> {
    const { scope, signal, onBatch } = curating;
    const refinement = this.#refinement(await this.#suggester.suggest(capabilities, scope, signal), curating);
    const applied: AutoOutcome["applied"][number][] = [];
    const left: AutoOutcome["left"][number][] = [];
    for (const batch of batchesOf(capabilities)) {
      signal.throwIfAborted();
      for (const item of changes(batch, await refinement.of(batch))) {
        const why = isSure(item.suggestion)
          ? await this.#give(item, scope, applied)
          : unsure(item.suggestion);
        if (why !== undefined) left.push({ ...item, why });
      }
      await onBatch?.(Math.min(applied.length + left.length, capabilities.length), capabilities.length);
    }
    return { applied, left, problems: refinement.problems };
  }

  /** Makes and stores suggestions for these, without applying any. */
  async prepare(capabilities: readonly Capability[], curating: Curating): Promise<Told> {
    const { scope, signal } = curating;
    return await this.#refined(
      capabilities,
      await this.#suggester.suggest(capabilities, scope, signal),
      curating,
    );
  }

  /** One result for each, in order: a name that cannot be given does not stop the others. */
  async apply(
    names: readonly GivenName[],
    actor: RenameRequest["actor"],
    { scope, signal, onBatch }: Curating,
  ): Promise<readonly NameOutcome[]> {
    await this.#options.tools.settled();
    const outcomes: NameOutcome[] = [];
    const seen = new Set<Fqdn>();
    for (const batch of batchesOf(names)) {
      signal.throwIfAborted();
      for (const given of batch) outcomes.push(await this.#apply(given, actor, scope, seen));
      await onBatch?.(outcomes.length, names.length);
    }
    return outcomes;
  }

  async #apply(
    given: GivenName,
    actor: RenameRequest["actor"],
    scope: Scope,
    seen: Set<Fqdn>,
  ): Promise<NameOutcome> {
    try {
      const { capability, from } = await this.#find(given, scope);
      if (seen.has(capability.fqdn))
        throw new PmlError("ARGUMENTS_INVALID", `${capability.displayName} has two names in one call`);
      const name = this.#options.checkName(given.name, scope);
      const thought = (await this.#suggester.kept([capability], scope)).get(capability.fqdn);
      const isSuggested = thought !== undefined && foldDisplayName(thought.name) === foldDisplayName(name);
      const renamed = await this.#rename(capability, name, from, scope, {
        actor,
        ...given,
        ...(isSuggested ? { suggestion: thought } : {}),
      });
      seen.add(capability.fqdn);
      return { kind: "named", capability: renamed, from };
    } catch (error) {
      if (error instanceof PmlError && error.code !== "STORE_FAILED") return { kind: "failed", error };
      throw error;
    }
  }

  /** A reference by the generated name is valid as long as the capability has no other name. */
  async #find(
    { reference, currentName }: GivenName,
    scope: Scope,
  ): Promise<{ readonly capability: Capability; readonly from: DisplayName }> {
    const { registry } = this.#options;
    const { capability } = await registry.findToChange(reference, scope);
    const { viaAlias } = (await registry.lookUp(reference, scope)) ?? {};
    const since = viaAlias !== undefined && isUnnamed(viaAlias) ? viaAlias : currentName;
    if (since !== undefined && since !== capability.displayName)
      throw namedSince(since, capability.displayName);
    return { capability, from: capability.displayName };
  }

  /** Returns why it was not given. */
  async #give(
    { capability, suggestion }: Suggested,
    scope: Scope,
    applied: AutoOutcome["applied"][number][],
  ): Promise<string | undefined> {
    const from = capability.displayName;
    try {
      const name = this.#options.checkName(suggestion.name, scope);
      const renamed = await this.#rename(capability, name, from, scope, { actor: "auto", suggestion });
      applied.push({ capability: renamed, suggestion, from });
      return undefined;
    } catch (error) {
      if (!(error instanceof PmlError) || error.code === "STORE_FAILED") throw error;
      return `${messageOf(error)} [${error.code}]`;
    }
  }

  /** The suggested description and tags are used if none are set. */
  async #rename(
    capability: Capability,
    newName: DisplayName,
    from: DisplayName,
    scope: Scope,
    given: Pick<GivenName, "description" | "tags"> & {
      readonly actor: RenameRequest["actor"];
      readonly suggestion?: NameSuggestion;
    },
  ): Promise<Capability> {
    const { registry, store, log } = this.#options;
    const { fqdn } = capability;
    const { actor, suggestion } = given;
    const description =
      given.description ?? (capability.description === undefined ? suggestion?.description : undefined);
    const tags = given.tags ?? (capability.tags.length === 0 ? suggestion?.tags : undefined);
    const renamed = await registry.rename({
      fqdn,
      scope,
      actor,
      newName,
      from,
      ...defined({ curatedBy: suggestion?.by, description, tags }),
    });
    // A given name needs no suggestion; a remaining one is not shown, since it equals the name.
    await store.forget([fqdn]).catch((error: unknown) => {
      log.warn("curation.not_forgotten", { fqdn, message: messageOf(error) });
    });
    return renamed;
  }

  async #refined(
    capabilities: readonly Capability[],
    suggestions: Suggestions,
    curating: Curating,
  ): Promise<Told & { readonly suggestions: Suggestions }> {
    const refinement = this.#refinement(suggestions, curating);
    let refined = suggestions;
    let done = 0;
    for (const batch of batchesOf(capabilities)) {
      curating.signal.throwIfAborted();
      refined = await refinement.of(batch);
      done += batch.length;
      await curating.onBatch?.(done, capabilities.length);
    }
    return { suggestions: refined, problems: refinement.problems };
  }

  #refinement(suggestions: Suggestions, curating: Curating): Refinement {
    return new Refinement(this.#suggester, suggestions, curating);
  }
}

/** Refines one batch after the other, as long as a model answers. */
class Refinement {
  readonly problems: string[] = [];
  readonly #suggester: Suggester;
  readonly #curating: Curating;
  #suggestions: Suggestions;
  #failures = 0;

  constructor(suggester: Suggester, suggestions: Suggestions, curating: Curating) {
    this.#suggester = suggester;
    this.#suggestions = suggestions;
    this.#curating = curating;
  }

  /** Resolves when the suggestions of this batch are final. */
  async of(batch: readonly Capability[]): Promise<Suggestions> {
    const { scope, model, signal, patience = LIMITS.curationModelFailures } = this.#curating;
    if (model === undefined || this.#failures >= patience) return this.#suggestions;
    const refined = await this.#suggester.refine(batch, this.#suggestions, { scope, model, signal });
    // After an abort the model's answer is missing, so the result must not count.
    signal.throwIfAborted();
    this.#suggestions = refined.suggestions;
    this.#failures = refined.hasFailed ? this.#failures + 1 : 0;
    this.problems.push(...refined.problems.filter((problem) => !this.problems.includes(problem)));
    return this.#suggestions;
  }
}

function unsure({ confidence }: NameSuggestion): string {
  return `confidence ${confidence.toFixed(2)} is not over ${SURE}`;
}

/** Suggestions whose name differs from the current name. */
function changes(capabilities: readonly Capability[], suggestions: Suggestions): readonly Suggested[] {
  return capabilities.flatMap((capability) => {
    const suggestion = suggestions.get(capability.fqdn);
    return suggestion === undefined || suggestion.name === capability.displayName
      ? []
      : [{ capability, suggestion }];
  });
}

/** Each followed by its near-duplicates. */
function together(items: readonly Suggested[]): readonly Suggested[] {
  const byId = new Map<string, Suggested>(items.map((item) => [item.capability.fqdn, item]));
  const ordered = new Set<Suggested>();
  for (const item of items) {
    ordered.add(item);
    for (const id of item.suggestion.near) {
      const near = byId.get(id);
      if (near !== undefined) ordered.add(near);
    }
  }
  return [...ordered];
}

function batchesOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / LIMITS.curationBatch) }, (_, at) =>
    items.slice(at * LIMITS.curationBatch, (at + 1) * LIMITS.curationBatch),
  );
}
