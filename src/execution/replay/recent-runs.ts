/**
 * Recent runs of capabilities, in memory only: `pml test record` saves some of them. Only a few runs of the same path
 * are kept, so that rare paths stay. A project only has its own runs, even of a capability that other projects see.
 *
 * @module
 */
import type { StaticStructure } from "../../analysis/static-structure.js";
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import { nextTurn } from "../../base/next-turn.js";
import { formatCapabilityRef } from "../../registry/capability-ref.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Recording } from "../../registry/recording.js";
import type { Scope } from "../../registry/scope.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { EndedRun, RunEnding } from "../run/runner.js";
import { wayOf } from "./choose-recordings.js";
import { structureHash } from "./replay-program.js";

const OF_ONE_WAY = 6;

const OVERHEAD_CHARS = 200;
const REASONS = 1_000;

type Project = Pick<Scope, "org" | "project">;

interface HeldRun {
  /** Without the hash of its structure, which is computed only when needed. */
  readonly recording: Recording;
  readonly structure: StaticStructure;
  readonly way: string;
  readonly chars: number;
}

export class RecentRuns {
  /** The version with the latest run is last. */
  readonly #runs = new Map<string, HeldRun[]>();
  readonly #leftOut = new Map<string, string>();
  /** Runs that have just ended: their answers are sent first. */
  #waiting: (() => void)[] = [];
  #chars = 0;

  /** A run of a capability has ended in this project; `ending` identifies the version. */
  ended(
    { request, plan }: PreparedRun,
    { tape, report }: EndedRun,
    ending: RunEnding,
    project: Project,
  ): void {
    const { capability, version } = ending;
    if (capability === undefined || version === undefined || tape === undefined) return;
    if (request.options?.remember === false) return;
    this.#waiting.push(() => {
      const key = keyOf(project, capability.fqdn, version);
      const recording = tape.recording(request.args ?? {}, "", report);
      this.#leftOut.delete(key);
      if (recording === undefined) {
        this.#leftOut.set(key, tape.problem(report) ?? "");
        const [oldest] = this.#leftOut.keys();
        if (this.#leftOut.size > REASONS && oldest !== undefined) this.#leftOut.delete(oldest);
        return;
      }
      const { structure } = plan.main.analysis;
      const run = { recording, structure, way: wayOf(recording), chars: tape.chars + OVERHEAD_CHARS };
      this.#hold(key, run);
    });
    if (this.#waiting.length === 1) void nextTurn().then(() => this.#takeWaiting());
  }

  /** Newest last. */
  of(fqdn: Fqdn, version: number, project: Project): Promise<readonly Recording[]> {
    this.#takeWaiting();
    const held = this.#runs.get(keyOf(project, fqdn, version)) ?? [];
    return Promise.all(
      held.map(async ({ recording, structure }) => ({
        ...recording,
        structure: await structureHash(structure),
      })),
    );
  }

  /** Why the last run of the version was not kept; undefined if it was. */
  leftOut(fqdn: Fqdn, version: number, project: Project): string | undefined {
    this.#takeWaiting();
    return this.#leftOut.get(keyOf(project, fqdn, version));
  }

  #takeWaiting(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const take of waiting) take();
  }

  #hold(key: string, run: HeldRun): void {
    const held = this.#runs.get(key) ?? [];
    this.#runs.delete(key);
    this.#runs.set(key, held);
    const again = held.findIndex(({ recording }) => sameArguments(recording, run.recording));
    if (again >= 0) this.#drop(held, again);
    const alike = held.filter(({ way }) => way === run.way);
    if (alike[0] !== undefined && alike.length >= OF_ONE_WAY) this.#drop(held, held.indexOf(alike[0]));
    if (held.length >= LIMITS.recentRunsOfVersion) this.#drop(held, 0);
    held.push(run);
    this.#chars += run.chars;
    for (const [other, runs] of this.#runs) {
      if (this.#chars <= LIMITS.recentRunsChars) break;
      while (runs.length > 0 && this.#chars > LIMITS.recentRunsChars) this.#drop(runs, 0);
      if (runs.length === 0) this.#runs.delete(other);
    }
  }

  #drop(held: HeldRun[], index: number): void {
    this.#chars -= held[index]?.chars ?? 0;
    held.splice(index, 1);
  }
}

function keyOf({ org, project }: Project, fqdn: Fqdn, version: number): string {
  return `${org}/${project} ${formatCapabilityRef({ fqdn, version })}`;
}

function sameArguments(one: Recording, other: Recording): boolean {
  return canonicalJson(one.args as Json) === canonicalJson(other.args as Json);
}
