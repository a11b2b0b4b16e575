/**
 * Result types of capabilities: from their results so far, or else as far as their code shows. Callers get a warning if
 * a new version returns something that they may not be able to read.
 *
 * @module
 */
import { fieldNames, requiredNames, typesAt } from "../../analysis/data/json-types.js";
import { resultSchema } from "../../analysis/data/result-schema.js";
import type { Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { keepNewest } from "../../base/keep-newest.js";
import type { Log } from "../../base/log.js";
import { messageOf } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import { formatCapabilityRef, fqdnOfRef } from "../../registry/capability-ref.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { ResultShapeStore } from "../../registry/capability-store.js";
import type { Fqdn } from "../../registry/fqdn.js";
import {
  isObserved,
  isSampled,
  merge,
  OBSERVED_TEXT_CHARS,
  type ObservedSchema,
  observe,
} from "../../registry/observed-schema.js";
import { callName } from "../../registry/reference.js";
import type { Scope } from "../../registry/scope.js";
import { canSee, hiddenName } from "../../registry/visibility.js";
import { savedVocabulary } from "../prepare/code-vocabulary.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { CurrentTools } from "../prepare/tool-index.js";
import type { RunEnding } from "../run/runner.js";

export interface ResultShapesOptions {
  readonly store: ResultShapeStore;
  readonly registry: CapabilityRegistry;
  readonly tools: CurrentTools;
  readonly log: Log;
}

interface Seen {
  results: number;
  schema: ObservedSchema;
}

/** The number of versions whose observed shapes stay in memory. */
const VERSIONS_KEPT = 2_000;
const CALLERS_SHOWN = 10;

export class ResultShapes {
  readonly #options: ResultShapesOptions;
  readonly #seen = new Map<string, Seen>();
  #writing: Promise<void> = Promise.resolve();

  constructor(options: ResultShapesOptions) {
    this.#options = options;
  }

  /** The JSON Schema of a version's result; undefined if nothing is known. */
  async of({ fqdn }: Pick<Capability, "fqdn">, version: number): Promise<Json | undefined> {
    return (
      ((await this.#observed(fqdn, version)) as Json | undefined) ?? (await this.#written(fqdn, version))
    );
  }

  /**
   * Compares the result of a run with earlier results; warns if the capability or one of its callees returns another
   * shape than before.
   */
  async ended(prepared: PreparedRun, ending: RunEnding, scope: Scope): Promise<readonly string[]> {
    const own = this.#safely(() => this.#ended(ending, prepared.request.options?.remember, scope));
    return [...(await this.calleeWarnings(prepared, scope)), ...(await own)];
  }

  /** Warnings about callees whose results changed since the code of the capability was saved. */
  calleeWarnings(prepared: PreparedRun, scope: Scope): Promise<readonly string[]> {
    return this.#safely(() => this.#calleeWarnings(prepared, scope));
  }

  /** Warnings about a version that was saved without a run. */
  saved(capability: Capability, version: number, scope: Scope): Promise<readonly string[]> {
    return this.#safely(async () =>
      this.#changeWarnings(capability, version, await this.#written(capability.fqdn, version), scope),
    );
  }

  /** Resolves when observed shapes are written, or their write has failed. */
  written(): Promise<void> {
    return this.#writing;
  }

  async #ended(
    { capability, version, report, error }: RunEnding,
    remember: boolean | undefined,
    scope: Scope,
  ): Promise<readonly string[]> {
    const outcome = report?.outcome;
    if (capability === undefined || version === undefined || error !== undefined || remember === false)
      return [];
    if (outcome?.kind !== "returned" || outcome.text.length > OBSERVED_TEXT_CHARS) return [];
    const { fqdn } = capability;
    const key = formatCapabilityRef({ fqdn, version });
    const known = this.#seen.get(key);
    if (known !== undefined) {
      known.results += 1;
      if (!isSampled(known.results)) return [];
    }
    const schema = observe(JSON.parse(outcome.text) as Json);
    const isFirst = known === undefined && version > 1 && (await this.#observed(fqdn, version)) === undefined;
    const warnings = isFirst ? await this.#changeWarnings(capability, version, schema, scope) : [];
    this.#see(fqdn, version, schema);
    return warnings;
  }

  #see(fqdn: Fqdn, version: number, schema: ObservedSchema): void {
    const key = formatCapabilityRef({ fqdn, version });
    const known = this.#seen.get(key);
    const all = known === undefined ? schema : merge(known.schema, schema);
    const isNew = known === undefined || JSON.stringify(all) !== JSON.stringify(known.schema);
    keepNewest(this.#seen, key, { results: known?.results ?? 1, schema: all }, VERSIONS_KEPT);
    if (!isNew) return;
    this.#writing = this.#writing.then(async () => {
      try {
        await this.#options.store.learn(fqdn, version, all);
      } catch (thrown) {
        this.#seen.delete(key);
        this.#options.log.warn("results.not_written", { fqdn, message: messageOf(thrown) });
      }
    });
  }

  async #changeWarnings(
    capability: Capability,
    version: number,
    now: Json | undefined,
    scope: Scope,
  ): Promise<readonly string[]> {
    const { registry } = this.#options;
    const { fqdn, displayName } = capability;
    if (version < 2 || now === undefined) return [];
    const { dependents } = await registry.relations(capability, scope);
    const callers = dependents.filter(({ dependencies }) => dependencies.some((ref) => ref === fqdn));
    if (callers.length === 0) return [];
    const changes = shapeChanges(await this.of(capability, version - 1), now);
    if (changes.length === 0) return [];
    const names = callers.slice(0, CALLERS_SHOWN).map((caller) => callName(caller, scope));
    const more = callers.length - names.length;
    return [
      `${displayName} returns a different shape than before: ${changes.join(", ")}. Check its callers: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`,
    ];
  }

  async #calleeWarnings({ of, plan }: PreparedRun, scope: Scope): Promise<readonly string[]> {
    if (of === undefined) return [];
    const { registry } = this.#options;
    const called = plan.main.analysis.dependencies.flatMap((ref) => {
      const { version = 0 } = plan.units.find((unit) => unit.ref === ref) ?? {};
      const callee = fqdnOfRef(ref) === ref ? registry.directory.get(fqdnOfRef(ref)) : undefined;
      return callee === undefined || version < 2 ? [] : [{ callee, version }];
    });
    if (called.length === 0) return [];
    const own = await registry.versionsOf(of.capability);
    const savedAt = own.find(({ version }) => version === of.version)?.updatedAt;
    if (savedAt === undefined) return [];
    const warnings: string[] = [];
    for (const { callee, version } of called) {
      const before = (await registry.versionsOf(callee)).find(({ updatedAt }) => updatedAt <= savedAt);
      if (before === undefined || before.version >= version) continue;
      const changes = shapeChanges(await this.of(callee, before.version), await this.of(callee, version));
      if (changes.length === 0) continue;
      const isSeen = canSee(callee, scope);
      const what = isSeen ? `: ${changes.join(", ")}` : "";
      const name = isSeen ? callName(callee, scope) : hiddenName;
      warnings.push(`${name} returns a different shape since this was saved${what}. Check the result.`);
    }
    return warnings;
  }

  async #observed(fqdn: Fqdn, version: number): Promise<ObservedSchema | undefined> {
    return (
      this.#seen.get(formatCapabilityRef({ fqdn, version }))?.schema ??
      (await this.#options.store.of(fqdn)).get(version)
    );
  }

  /** The shape as far as the code shows it. */
  async #written(fqdn: Fqdn, version: number): Promise<Json | undefined> {
    const { registry, tools } = this.#options;
    const stored = await registry.store.version(fqdn, version);
    if (stored === undefined) return undefined;
    const find = await registry.know(stored.dependencies);
    const vocabulary = savedVocabulary(stored, find, (id) => tools.tools().find([id]));
    return resultSchema(stored.savedCode, vocabulary, { parameters: stored.parameters, marksComplete: true });
  }

  /** Failures here must never fail a run. */
  async #safely(work: () => Promise<readonly string[]>): Promise<readonly string[]> {
    try {
      return await work();
    } catch (thrown) {
      this.#options.log.warn("results.not_compared", { message: messageOf(thrown) });
      return [];
    }
  }
}

const LEVELS = 4;
const CHANGES_SHOWN = 5;

/**
 * Changes in words, such as `"port" is missing`; empty if there are none or if a shape is unknown. Added fields do not
 * count.
 */
function shapeChanges(before: Json | undefined, after: Json | undefined): readonly string[] {
  if (before === undefined || after === undefined) return [];
  const found = changesAt(before, after, []);
  return found.length <= CHANGES_SHOWN
    ? found
    : [...found.slice(0, CHANGES_SHOWN), `${found.length - CHANGES_SHOWN} more`];
}

function changesAt(before: Json, after: Json, path: readonly string[]): readonly string[] {
  const [old, now] = [typesAt(before, path), typesAt(after, path)];
  if (old === undefined || now === undefined) return [];
  const other = [...now].filter((type) => !old.has(type));
  if (other.length > 0) return [`${nameOf(path)} was ${listed(old)} and is ${listed(now)}`];
  if (!old.has("object") || !now.has("object") || path.length >= LEVELS) return [];
  const [was, is] = [partAt(before, path), partAt(after, path)];
  const there = new Set(fieldNames(is));
  // Callers cannot rely on optional fields.
  const fields = isObserved(before) ? requiredNames(was) : fieldNames(was);
  const isWhole = isObserved(after) ? !isMap(is) : isJsonObject(is) && is.additionalProperties === false;
  return fields.flatMap((field) => {
    if (there.has(field)) return changesAt(before, after, [...path, field]);
    return isWhole ? [`${nameOf([...path, field])} is missing`] : [];
  });
}

function partAt(schema: Json, path: readonly string[]): Json | undefined {
  let at: Json | undefined = schema;
  for (const key of path) {
    const properties: Json | undefined = isJsonObject(at) ? at.properties : undefined;
    at = isJsonObject(properties) ? properties[key] : undefined;
  }
  return at;
}

/** Whether the keys of the objects are data. */
function isMap(schema: Json | undefined): boolean {
  return isJsonObject(schema) && schema.additionalProperties !== undefined;
}

function nameOf(path: readonly string[]): string {
  return path.length === 0 ? "the result" : JSON.stringify(path.join("."));
}

function listed(types: ReadonlySet<string>): string {
  return [...types].join(" or ");
}
