/**
 * Recordings of capabilities: saves them, and tests versions with them. Nothing here calls a tool.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import { formatCapabilityRef, nameAt, refAt } from "../../registry/capability-ref.js";
import type { CapabilityRegistry, FoundCapability } from "../../registry/capability-registry.js";
import { dependencyClosure, existingCallee } from "../../registry/dependency-closure.js";
import type { Fqdn } from "../../registry/fqdn.js";
import {
  type KeptRecording,
  type Recording,
  type RecordingStore,
  recordingsFor,
} from "../../registry/recording.js";
import type { Scope } from "../../registry/scope.js";
import { creatorOf } from "../../registry/visibility.js";
import type { Sandbox } from "../ports/sandbox.js";
import type { CapabilityLoader } from "../prepare/capability-loader.js";
import type { SchemaCheck } from "../prepare/merge-arguments.js";
import type { TestBundle, TestedRecording } from "./bundle.js";
import { chooseRecordings } from "./choose-recordings.js";
import { withoutSecrets } from "./hide-secrets.js";
import type { RecentRuns } from "./recent-runs.js";
import { type Difference, replay } from "./replay.js";
import { type ReplayProgram, type ReplayUnit, type ReplayVersion, replayProgram } from "./replay-program.js";

export interface RecordingsOptions {
  readonly registry: CapabilityRegistry;
  readonly loader: CapabilityLoader;
  readonly sandbox: Sandbox;
  readonly store: RecordingStore;
  readonly recent: RecentRuns;
  readonly checkSchema: SchemaCheck;
  /** Values of the secrets given to servers. */
  readonly secrets: readonly string[];
}

export interface TestedVersion {
  readonly capability: Capability;
  readonly version: number;
  readonly tested: readonly TestedRecording[];
}

export interface Recorded {
  readonly version: number;
  readonly kept: readonly KeptRecording[];
  readonly added: number;
  /** Runs that could not be saved, and why. */
  readonly leftOut: readonly string[];
}

export class Recordings {
  readonly #options: RecordingsOptions;

  constructor(options: RecordingsOptions) {
    this.#options = options;
  }

  /** Saves recent runs of a version; with `isFresh` they replace the saved ones. */
  async record(found: FoundCapability, scope: Scope, isFresh = false): Promise<Recorded> {
    const { store, recent, secrets } = this.#options;
    const { capability, version } = found;
    const { fqdn } = capability;
    const name = nameAt(capability.displayName, version);
    const runs = (await recent.of(fqdn, version, scope)).map((run) => withoutSecrets(run, secrets));
    const kept = isFresh ? [] : (await this.#of(capability)).filter((one) => one.version === version);
    const lost = recent.leftOut(fqdn, version, scope);
    if (runs.length === 0 && kept.length === 0 && lost !== undefined)
      throw new PmlError("NOTHING_RECORDED", `Cannot record ${name}: its last run cannot be kept: ${lost}`, {
        hint: "Run it with other arguments, such as fewer or smaller items.",
      });
    if (runs.length === 0 && kept.length === 0)
      throw new PmlError(
        "NOTHING_RECORDED",
        `Cannot record ${name}: the gateway has seen no run of this version`,
        {
          hint: `Run it first, or give arguments: pml test record ${capability.displayName} --args '{…}'. Runs are held in memory until the gateway ends.`,
        },
      );
    const program = await this.program(capability, version, scope);
    const leftOut = lost === undefined ? [] : [`The last run was left out: ${lost}`];
    const good: Recording[] = [];
    for (const run of runs) {
      const differences = await replay(program, run, this.#options);
      if (differences.length === 0) good.push(run);
      else
        leftOut.push(`A run was left out, because a replay of it differs: ${differenceText(differences[0])}`);
    }
    const before = kept.map(({ recording }) => recording);
    const chosen = chooseRecordings(before, good);
    if (chosen.length === 0)
      throw new PmlError("NOTHING_RECORDED", `Cannot record ${name}: replays of all its runs differ`, {
        hint: leftOut[0] ?? "Run it again.",
      });
    const written = await store.replace(fqdn, version, chosen, creatorOf(scope));
    return { version, kept: written, added: chosen.length - before.length, leftOut: [...new Set(leftOut)] };
  }

  /** Replays all recordings that a version must pass. */
  async test(
    { capability, version }: Pick<FoundCapability, "capability" | "version">,
    scope: Scope,
  ): Promise<TestedVersion> {
    const kept = recordingsFor(await this.#of(capability), version);
    if (kept.length === 0) return { capability, version, tested: [] };
    const program = await this.program(capability, version, scope);
    return { capability, version, tested: await this.#testAll(program, kept) };
  }

  /** The same for code that is not stored yet. */
  async testCode(
    code: ReplayVersion,
    recordings: readonly Recording[],
    scope: Scope,
  ): Promise<readonly TestedRecording[]> {
    const program = await replayProgram(code, await this.#units(code, scope), this.#options.checkSchema);
    return this.#testAll(
      program,
      recordings.map((recording) => ({ digest: "", recording })),
    );
  }

  /** The capabilities that have recordings. */
  recorded(): Promise<ReadonlySet<Fqdn>> {
    return this.#options.store.recorded();
  }

  /** Whether a recent run of the version is in memory. */
  async hasRun(
    { capability, version }: Pick<FoundCapability, "capability" | "version">,
    scope: Scope,
  ): Promise<boolean> {
    return (await this.#options.recent.of(capability.fqdn, version, scope)).length > 0;
  }

  /** The recordings that a version is tested with. */
  async of(capability: Capability, version: number): Promise<readonly KeptRecording[]> {
    return recordingsFor(await this.#of(capability), version);
  }

  /** Everything that is needed to test a version without a gateway. */
  async bundle(
    { capability, version }: Pick<FoundCapability, "capability" | "version">,
    scope: Scope,
  ): Promise<TestBundle> {
    const { stored } = await this.#options.loader.load(capability, version, scope);
    const kept = await this.of(capability, version);
    const units = await this.#units(stored, scope);
    return {
      format: 1,
      name: capability.displayName,
      fqdn: capability.fqdn,
      version,
      parameters: stored.parameters,
      toolsUsed: stored.toolsUsed,
      dependencies: stored.dependencies,
      ...(stored.definition !== undefined && { definition: stored.definition }),
      code: stored.savedCode,
      units: units.map(({ definition: _, ...unit }) => unit),
      recordings: kept.map(({ recording }) => recording),
    };
  }

  async program(capability: Capability, version: number, scope: Scope): Promise<ReplayProgram> {
    const { stored } = await this.#options.loader.load(capability, version, scope);
    return replayProgram(stored, await this.#units(stored, scope), this.#options.checkSchema);
  }

  async #of({ fqdn }: Pick<Capability, "fqdn">): Promise<readonly KeptRecording[]> {
    return await this.#options.store.of(fqdn);
  }

  async #testAll(
    program: ReplayProgram,
    kept: readonly Pick<KeptRecording, "digest" | "recording">[],
  ): Promise<readonly TestedRecording[]> {
    const tested: TestedRecording[] = [];
    for (const { digest, recording } of kept)
      tested.push({ digest, recording, differences: await replay(program, recording, this.#options) });
    return tested;
  }

  /** The direct and indirect callees, in this user's current versions. */
  async #units(main: ReplayVersion, scope: Scope): Promise<readonly ReplayUnit[]> {
    const { registry, loader } = this.#options;
    const { fqdn, version, dependencies } = main;
    if (dependencies.length === 0) return [];
    const find = await registry.know(dependencies, scope);
    const name = formatCapabilityRef({ fqdn, version });
    const units: ReplayUnit[] = [];
    for (const ref of dependencyClosure(
      { name, ref: refAt({ fqdn, version: 0 }, version), dependencies },
      find,
    )) {
      const callee = existingCallee(ref, find, [name]);
      const { stored } = await loader.load(callee.capability, callee.version, scope);
      units.push({ ...stored, ref, displayName: callee.name });
    }
    return units;
  }
}

/** A difference, in one line. */
export function differenceText(difference: Difference | undefined): string {
  switch (difference?.kind) {
    case undefined:
      return "";
    case "arguments":
      return `${difference.task} calls ${difference.tool} with ${short(difference.now)}, recorded was ${short(difference.recorded)}`;
    case "missing-call":
      return `${difference.task} does not call ${difference.tool} with ${short(difference.recorded)}`;
    case "new-call":
      return `${difference.task} calls ${difference.tool} with ${short(difference.now)}, which was not recorded`;
    case "order":
      return `the calls are made in another order: ${difference.now.join(", ")}; recorded was ${difference.recorded.join(", ")}`;
    case "path":
      return `the path is ${difference.now.join(" ")}, recorded was ${difference.recorded.join(" ")}`;
    case "result":
      return `the result is ${short(difference.now)}, recorded was ${short(difference.recorded)}`;
    case "failed":
      return `the run failed: ${difference.message}`;
  }
}

const SHORT_CHARS = 200;

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length <= SHORT_CHARS ? text : `${text.slice(0, SHORT_CHARS)}…`;
}
