/**
 * Recordings of exported capabilities: signed on export, and replayed on import, in the sandbox and without any tool,
 * before anything is trusted.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import { messageOf, PmlError } from "../../base/pml-error.js";
import type { Capability, CapabilityVersion } from "../../registry/capability.js";
import { type CapabilityRef, splitCapabilityRef } from "../../registry/capability-ref.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import { type ExportedEvidence, readEvidence, signedEvidence } from "../../registry/evidence.js";
import { type Fqdn, splitFqdn } from "../../registry/fqdn.js";
import { type Recording, type RecordingStore, recordingsFor } from "../../registry/recording.js";
import { capabilityFor } from "../../registry/rollout.js";
import type { Scope } from "../../registry/scope.js";
import { type Signer, signedText } from "../../registry/signature.js";
import { canSee, creatorOf } from "../../registry/visibility.js";
import type {
  EvidenceReport,
  FileVersions,
  TestedEvidence,
  TestsEvidence,
} from "../learn/imported-evidence.js";
import type { Sandbox } from "../ports/sandbox.js";
import type { SchemaCheck } from "../prepare/merge-arguments.js";
import { differenceText } from "./recordings.js";
import { replay } from "./replay.js";
import { type ReplayUnit, replayProgram } from "./replay-program.js";

export interface EvidenceOptions {
  readonly registry: CapabilityRegistry;
  readonly signer: Signer;
  readonly sandbox: Sandbox;
  readonly store: RecordingStore;
  readonly checkSchema: SchemaCheck;
}

const MOST_UNITS = 100;
const PROBLEMS_SHOWN = 5;

export class Evidence implements TestsEvidence {
  readonly #options: EvidenceOptions;

  constructor(options: EvidenceOptions) {
    this.#options = options;
  }

  /** The recordings that the newest version is tested with, for a file. */
  async of(
    { fqdn, version }: Pick<Capability, "fqdn" | "version">,
    history: readonly CapabilityVersion[],
  ): Promise<ExportedEvidence | undefined> {
    const { store, signer } = this.#options;
    const kept = recordingsFor(await store.of(fqdn), version);
    const maker = history.find((one) => one.version === kept[0]?.version);
    return maker === undefined ? undefined : await signedEvidence(maker, kept, signer);
  }

  async test(
    value: unknown,
    { displayName, versions }: FileVersions,
    found: ReadonlyMap<Fqdn, FileVersions>,
    scope: Scope,
    until: number,
  ): Promise<TestedEvidence> {
    const newest = versions.at(-1);
    if (newest === undefined) return { report: refusedReport(value, `${displayName} has no versions`) };
    let evidence: ExportedEvidence;
    try {
      evidence = await readEvidence(value, versions, splitFqdn(newest.fqdn).org, this.#options.signer);
    } catch (error) {
      // A value that is nested too deep cannot be read either.
      if (!(error instanceof PmlError || error instanceof RangeError)) throw error;
      return { report: refusedReport(value, messageOf(error)) };
    }
    const { recordings } = evidence;
    const count = recordings.length;
    try {
      const passing: Recording[] = [];
      const problems = new Set<string>();
      const units = await this.#units(newest, found, scope);
      const program = await replayProgram(newest, units, this.#options.checkSchema);
      const [wrong] = program.analysis.problems;
      if (wrong !== undefined) throw new PmlError("CODE_REFUSED", `line ${wrong.line}: ${wrong.message}`);
      for (const { recording } of recordings) {
        const timeMs = Math.min(LIMITS.replayMs, Math.floor(until - performance.now()));
        if (timeMs <= 0) {
          problems.add("not all were run: the recordings of the file take too long");
          break;
        }
        const [difference] = await replay(program, recording, { sandbox: this.#options.sandbox, timeMs });
        if (difference === undefined) passing.push(recording);
        else problems.add(differenceText(difference));
      }
      return {
        report: { count, passed: passing.length, problems: [...problems].slice(0, PROBLEMS_SHOWN) },
        passed: { version: evidence.version, recordings: passing },
      };
    } catch (error) {
      if (!(error instanceof PmlError) || error.code === "STORE_FAILED") throw error;
      return { report: { count, passed: 0, problems: [`they cannot be run here: ${error.message}`] } };
    }
  }

  async keep(fqdn: Fqdn, { passed }: TestedEvidence, scope: Scope): Promise<void> {
    if (passed === undefined || passed.recordings.length === 0) return;
    const { version, recordings } = passed;
    const { store } = this.#options;
    const isHere = (await store.of(fqdn)).some((one) => one.version === version);
    if (!isHere) await store.replace(fqdn, version, recordings, creatorOf(scope));
  }

  /** The direct and indirect callees: from the file, or else from the store. */
  async #units(
    { dependencies }: CapabilityVersion,
    found: ReadonlyMap<Fqdn, FileVersions>,
    scope: Scope,
  ): Promise<readonly ReplayUnit[]> {
    const units = new Map<CapabilityRef, ReplayUnit>();
    const open = [...dependencies];
    // The list grows while it is iterated.
    for (const ref of open) {
      if (units.has(ref)) continue;
      if (units.size >= MOST_UNITS)
        throw new PmlError("LIMIT_EXCEEDED", `it calls more than ${MOST_UNITS} capabilities`);
      const unit = await this.#unit(ref, found, scope);
      units.set(ref, unit);
      open.push(...unit.dependencies);
    }
    return [...units.values()];
  }

  async #unit(ref: CapabilityRef, found: ReadonlyMap<Fqdn, FileVersions>, scope: Scope): Promise<ReplayUnit> {
    const { registry, signer } = this.#options;
    const { fqdn, version } = splitCapabilityRef(ref);
    const inFile = found.get(fqdn);
    if (inFile !== undefined) {
      const { displayName, versions } = inFile;
      const stored =
        version === undefined ? versions.at(-1) : versions.find((one) => one.version === version);
      if (stored !== undefined) return { ...stored, ref, displayName };
    }
    const here = registry.directory.get(fqdn) ?? (await registry.store.get(fqdn));
    if (here !== undefined && here.deletedAt === undefined && canSee(here, scope)) {
      const stored = await registry.store.version(fqdn, version ?? capabilityFor(here, scope).version);
      if (stored !== undefined && signer.verify(signedText(stored), stored.signature, stored.publicKey))
        return { ...stored, ref, displayName: here.displayName };
    }
    throw new PmlError("CAPABILITY_NOT_FOUND", `it calls ${ref}, which is not here`);
  }
}

function refusedReport(value: unknown, refused: string): EvidenceReport {
  const { recordings } = (value ?? {}) as { readonly recordings?: unknown };
  return { count: Array.isArray(recordings) ? recordings.length : 0, passed: 0, problems: [], refused };
}
