/**
 * Makes capabilities without a run: saves code, forks a capability, or merges several into one.
 *
 * @module
 */
import type { Analysis } from "../../analysis/analysis.js";
import type { Json } from "../../base/canonical-json.js";
import { defined } from "../../base/defined.js";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import type { Capability, CapabilityVersion, ParametersSchema, Routing } from "../../registry/capability.js";
import {
  type CapabilityRef,
  formatCapabilityRef,
  fqdnOfRef,
  splitCapabilityRef,
} from "../../registry/capability-ref.js";
import type { CapabilityRegistry, FoundCapability } from "../../registry/capability-registry.js";
import type { Learned, NewCapability } from "../../registry/capability-store.js";
import { type Definition, isDag } from "../../registry/definition.js";
import type { DisplayName } from "../../registry/display-name.js";
import { inferNamespace } from "../../registry/namespace.js";
import { callName, parseReference } from "../../registry/reference.js";
import type { Scope } from "../../registry/scope.js";
import { type Signer, signWith } from "../../registry/signature.js";
import type { ToolId } from "../../registry/tool-id.js";
import { codeName } from "../../registry/type-signature.js";
import { canSee } from "../../registry/visibility.js";
import { analyseSent, problemsError } from "../prepare/analyse-code.js";
import type { CapabilityLoader } from "../prepare/capability-loader.js";
import { checkDag } from "../prepare/check-dag.js";
import { dagCode, dagProblems } from "../prepare/dag-code.js";
import { checkName, checkTag, heldByOther, holderOf } from "../prepare/name-check.js";
import { routingOf } from "../prepare/plan-run.js";
import { contentOf } from "../prepare/stored-structure.js";
import type { LiveTools } from "../prepare/tool-index.js";
import { callsOnlyOperations, type Learning, learnWarnings } from "./learning.js";
import { type MergeSource, mergeCode } from "./merge-code.js";
import type { ResultShapes } from "./result-shapes.js";
import { delegateCode } from "./tool-delegate.js";

export interface SaveRequest {
  readonly intent: string;
  /** Exactly one of `code` and `definition`; the code is generated from the definition. */
  readonly code?: string | undefined;
  readonly definition?: Definition | undefined;
  /** Default: unnamed. */
  readonly name?: string | undefined;
  readonly version_tag?: string | undefined;
  readonly change_summary?: string | undefined;
  /** Overrides the routing that follows from the tools. */
  readonly routing?: Routing | undefined;
}

export interface ForkRequest {
  /** Any form of a name, with or without a version. */
  readonly source: string;
  readonly name: string;
}

export interface MergeRequest {
  /** In order; each in any form of a name, with or without a version. */
  readonly sources: readonly string[];
  readonly name: string;
  /** Default: generated. */
  readonly code?: string | undefined;
  readonly intent?: string | undefined;
}

export interface Saved {
  readonly capability: Capability;
  /** The version that has exactly this code. */
  readonly version: number;
  readonly kind: Learned["kind"];
  /** The code as written or generated. */
  readonly code: string;
  readonly warnings: readonly string[];
}

/** The parts that the `cap_*` tools need. */
export type SavesCapabilities = Pick<CapabilitySaver, "save" | "observe" | "fork" | "merge">;

export interface CapabilitySaverOptions {
  readonly learning: Learning;
  readonly shapes: ResultShapes;
  readonly registry: CapabilityRegistry;
  readonly signer: Signer;
  readonly loader: CapabilityLoader;
  readonly tools: LiveTools;
}

interface HowSaved {
  readonly update: boolean;
  /** Set if PML wrote the code from calls that a client made one by one. */
  readonly isObserved?: true;
  readonly mergedFrom?: readonly CapabilityRef[];
  /** Replaces the parameters that analysis finds. */
  readonly parameters?: ParametersSchema;
}

interface MergedSource {
  readonly found: FoundCapability;
  readonly stored: CapabilityVersion;
  /** The JSON Schema of its result, as far as that is known. */
  readonly result: Json | undefined;
  /** Set if the source was named with a version. */
  readonly pinned: number | undefined;
}

export class CapabilitySaver {
  readonly #options: CapabilitySaverOptions;

  constructor(options: CapabilitySaverOptions) {
    this.#options = options;
  }

  /** Analyses and signs the code, and runs nothing. If the name exists, the code becomes its newest version. */
  async save(request: SaveRequest, scope: Scope): Promise<Saved> {
    checkTag(request.version_tag);
    const update = request.name !== undefined;
    const { definition } = request;
    if (definition === undefined) return this.#save(request, scope, { update });
    if (!isDag(definition)) {
      // The tool's server may still be starting.
      await this.#options.tools.settled();
      const { code, parameters } = delegateCode(definition, this.#options.tools.tools());
      return this.#save({ ...request, code }, scope, { update, parameters });
    }
    const made = dagCode(checkDag(definition));
    return this.#save({ ...request, code: made.code }, scope, { update }).catch((error: unknown) => {
      throw error instanceof PmlError ? dagProblems(error, made) : error;
    });
  }

  /** Saves the next version of the capability with this name, with the same parameters as before. */
  async repair(request: SaveRequest, parameters: ParametersSchema, scope: Scope): Promise<Saved> {
    return await this.#save(request, scope, { update: true, parameters });
  }

  /**
   * Saves code that PML wrote from single calls. No user asked for it, and only the user who made the calls sees it.
   */
  observe({ intent, code }: Required<Pick<SaveRequest, "intent" | "code">>, scope: Scope): Promise<Saved> {
    return this.#save({ intent, code }, scope, { update: false, isObserved: true });
  }

  /** Copies the code of a capability that the session can see into its own scope, under a new name. */
  async fork({ source, name }: ForkRequest, scope: Scope): Promise<Saved> {
    const { registry } = this.#options;
    const newName = await this.#freeName(name, scope);
    const { capability, version, warnings } = await registry.find(source, scope);
    const { stored, analysis } = await this.#options.loader.load(capability, version, scope);
    // Uses the code as written if it means the same here; names of another project mean nothing here, or something
    // else.
    const written = await this.#analyse(stored.code, scope);
    const code = written.savedCode === stored.savedCode ? stored.code : stored.savedCode;
    const { intent, description, tags, routing, routingSource, fqdn } = capability;
    const { codeHash, parameters, toolsUsed, definition } = stored;
    const learned = await this.#learn(
      {
        ...contentOf(analysis, { code, codeHash, toolsUsed }, definition),
        parameters,
        scope,
        name: newName,
        inferredNamespace: capability.namespace,
        intent,
        description,
        tags,
        routing,
        routingSource,
        versionTag: undefined,
        changeSummary: `Forked from ${formatCapabilityRef({ fqdn, version })}`,
        update: false,
        forkedFrom: fqdn,
      },
      scope,
    );
    return saved(learned, code, [...warnings, ...(await this.#hiddenCallees(stored.dependencies, scope))]);
  }

  /** Makes one capability of several: a generated pipeline, or the given code. */
  async merge({ sources, name, code: given, intent }: MergeRequest, scope: Scope): Promise<Saved> {
    await this.#freeName(name, scope);
    const merged: MergedSource[] = [];
    for (const source of sources) merged.push(await this.#mergedSource(source, scope));
    const generated =
      given === undefined ? mergeCode(merged.map((one) => mergeSource(one, scope))) : undefined;
    const { code, warnings } = generated ?? { code: given ?? "", warnings: [] };
    if (given !== undefined) await this.#checkCalls(given, merged, scope);
    const stored = await this.#save({ code, name, intent: intent ?? mergedIntent(merged) }, scope, {
      update: false,
      mergedFrom: merged.map(refOf),
    });
    const former = merged.flatMap(({ found }) => found.warnings);
    return { ...stored, warnings: [...former, ...warnings, ...stored.warnings] };
  }

  async #save(
    { intent, code: given = "", name: text, version_tag, change_summary, routing, definition }: SaveRequest,
    scope: Scope,
    { update, mergedFrom = [], parameters, isObserved }: HowSaved,
  ): Promise<Saved> {
    const { registry } = this.#options;
    await registry.loaded();
    // A server that is still starting may offer a tool that the code calls, or a tool with the chosen name.
    await this.#options.tools.settled();
    const name = text === undefined ? undefined : checkName(text, scope, this.#options.tools.tools());
    const analysis = await this.#analyse(given, scope);
    const problems = problemsError(analysis.problems);
    if (problems !== undefined) throw problems;
    if (callsOnlyOperations(analysis.toolsUsed, analysis.dependencies)) throw onlyOperations();
    const { source: code } = analysis;
    const codeHash = await sha256Hex(analysis.canonicalCode);
    if (name !== undefined) await holderOf(name, codeHash, { update, version_tag }, scope, registry);
    const toolsUsed = await this.#toolsReached(analysis);
    const learned = await this.#learn(
      {
        ...contentOf(analysis, { code, codeHash, toolsUsed }, definition),
        ...(parameters && { parameters }),
        ...(isObserved && { source: "observed", visibility: "private" }),
        scope,
        name,
        inferredNamespace: inferNamespace({ tools: toolsUsed, code, intent }),
        intent,
        description: undefined,
        routing: routing ?? routingOf(toolsUsed, this.#options.tools.planTools()),
        routingSource: routing === undefined ? "tools" : "explicit",
        versionTag: version_tag,
        changeSummary: change_summary,
        update,
        ...(mergedFrom.length > 0 && { mergedFrom }),
      },
      scope,
    );
    return saved(learned, code, [
      ...analysis.warnings,
      ...learnWarnings(learned, name),
      ...(await this.#options.learning.keptWarnings(learned, version_tag)),
      ...(learned.kind === "updated"
        ? await this.#options.shapes.saved(learned.capability, learned.version, scope)
        : []),
    ]);
  }

  #analyse(code: string, scope: Scope): Promise<Analysis> {
    const { registry, tools } = this.#options;
    return analyseSent(code, scope, registry, tools);
  }

  async #learn(content: NewCapability, scope: Scope): Promise<Learned> {
    const { registry, signer } = this.#options;
    const learned = await registry.learn(content, signWith(signer));
    if (canSee(learned.capability, scope)) return learned;
    throw new PmlError(
      "CAPABILITY_EXISTS",
      "Nothing was saved: another user of this project has a private capability with identical code",
    );
  }

  /** Returns a free name; throws `NAME_TAKEN`. */
  async #freeName(text: string, scope: Scope): Promise<DisplayName> {
    const { registry } = this.#options;
    await this.#options.tools.settled();
    const name = checkName(text, scope, this.#options.tools.tools());
    await registry.lookUp(name, scope);
    const holder = registry.directory.holderOf(name, scope);
    if (holder !== undefined)
      throw heldByOther(name, scope, holder, "save code under it with cap_save, as its next version");
    return name;
  }

  /** Given code must call at least one of the merged capabilities. */
  async #checkCalls(code: string, merged: readonly MergedSource[], scope: Scope): Promise<void> {
    const { problems, dependencies } = await this.#analyse(code, scope);
    const called = new Set(dependencies.map(fqdnOfRef));
    if (problems.length > 0 || merged.some(({ found }) => called.has(found.capability.fqdn))) return;
    const names = merged.map(({ found: { capability } }) => codeName(callName(capability, scope)));
    throw new PmlError("ARGUMENTS_INVALID", "Cannot merge: the code calls none of its sources", {
      hint: `Call them in it: ${names.join(", ")}. To save code that calls none of them, use cap_save.`,
    });
  }

  async #mergedSource(source: string, scope: Scope): Promise<MergedSource> {
    const found = await this.#options.registry.find(source, scope);
    const { stored } = await this.#options.loader.load(found.capability, found.version, scope);
    const spec = parseReference(source)?.version;
    return {
      found,
      stored,
      result: await this.#options.shapes.of(found.capability, found.version),
      pinned: spec === undefined || spec.kind === "latest" ? undefined : found.version,
    };
  }

  /** All tools that the code can reach by name, also through called capabilities. */
  async #toolsReached({ toolsUsed, dependencies }: Analysis): Promise<readonly ToolId[]> {
    const { registry } = this.#options;
    const reached = new Set(toolsUsed);
    for (const ref of dependencies) {
      const { fqdn, version } = splitCapabilityRef(ref);
      const callee =
        version === undefined ? registry.directory.get(fqdn) : await registry.store.version(fqdn, version);
      for (const id of callee?.toolsUsed ?? []) reached.add(id);
    }
    return [...reached];
  }

  async #hiddenCallees(dependencies: readonly CapabilityRef[], scope: Scope): Promise<readonly string[]> {
    const { registry } = this.#options;
    await registry.know(dependencies);
    const hidden = dependencies.filter((ref) => {
      const callee = registry.directory.get(splitCapabilityRef(ref).fqdn);
      return callee === undefined || !canSee(callee, scope);
    }).length;
    return hidden === 0
      ? []
      : [
          `The code calls ${hidden === 1 ? "a capability" : `${hidden} capabilities`} that you may not see. The copy runs, but to change its code you must replace those calls.`,
        ];
  }
}

function saved({ capability, version, kind }: Learned, code: string, warnings: readonly string[]): Saved {
  return { capability, version, kind, code, warnings };
}

function onlyOperations(): PmlError {
  return new PmlError("ARGUMENTS_INVALID", "Nothing was saved: the code calls only operations of PML", {
    hint: "Run it with pml_execute when you need it. A capability calls a tool of a server, or another capability.",
  });
}

function refOf({ found, pinned }: MergedSource): CapabilityRef {
  const { fqdn } = found.capability;
  return formatCapabilityRef(pinned === undefined ? { fqdn } : { fqdn, version: pinned });
}

/** Capabilities of the project are called by name, those of other projects by FQDN. */
function mergeSource(
  { found: { capability }, stored, result, pinned }: MergedSource,
  scope: Scope,
): MergeSource {
  const { displayName, fqdn, description, intent, org, project } = capability;
  const isHere = org === scope.org && project === scope.project;
  return {
    displayName,
    ...defined({ reference: isHere ? undefined : fqdn, version: pinned, result }),
    parameters: stored.parameters,
    intent: description ?? intent,
  };
}

function mergedIntent(merged: readonly MergedSource[]): string {
  return merged
    .map(({ found: { capability } }) => capability.description ?? capability.intent)
    .join(", then ")
    .slice(0, LIMITS.intentChars);
}
