/**
 * Chooses which runs to keep: together they pass every node and take every outcome of every decision that any run did,
 * with a few runs of each path with different arguments. Recordings that were kept before stay.
 *
 * @module
 */
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import type { Recording } from "../../registry/recording.js";

/** Per path through the code: other arguments find other mistakes. */
const OF_ONE_WAY = 4;

export function chooseRecordings(
  kept: readonly Recording[],
  runs: readonly Recording[],
): readonly Recording[] {
  const chosen = [...kept];
  const covered = new Set(kept.flatMap(branchesOf));
  const left = [...runs].sort(bySize);
  const take = (run: Recording) => {
    if (chosen.length >= LIMITS.recordings || chosen.some((one) => isSame(one, run))) return;
    chosen.push(run);
    for (const branch of branchesOf(run)) covered.add(branch);
  };
  for (;;) {
    const gains = left.map((run) => branchesOf(run).filter((branch) => !covered.has(branch)).length);
    const most = Math.max(0, ...gains);
    if (most === 0) break;
    const [best] = left.splice(gains.indexOf(most), 1);
    if (best === undefined) break;
    take(best);
    if (chosen.length >= LIMITS.recordings) break;
  }
  const ofWay = new Map<string, number>();
  for (const one of chosen) ofWay.set(wayOf(one), (ofWay.get(wayOf(one)) ?? 0) + 1);
  for (const run of left) {
    const way = wayOf(run);
    const count = ofWay.get(way) ?? 0;
    if (count >= OF_ONE_WAY) continue;
    const before = chosen.length;
    take(run);
    if (chosen.length > before) ofWay.set(way, count + 1);
  }
  return chosen;
}

/**
 * The parts of the code that a run has covered: nodes, outcomes of decisions, loops with or without iterations, and its
 * end.
 */
export function branchesOf({ path, decisions, error }: Recording): readonly string[] {
  return [
    ...path,
    ...decisions.map((decision) =>
      decision
        .replace(/ ×\d+$/, "")
        .replace(
          /^(.*l\d+)=(\d+)$/,
          (_, loop: string, rounds: string) =>
            `${loop}=${Number(rounds) === 0 ? "none" : Number(rounds) === 1 ? "once" : "more"}`,
        ),
    ),
    error === undefined ? "returned" : `threw ${error.name}`,
  ];
}

/** Equal for runs on the same path. */
export function wayOf(recording: Recording): string {
  return [...branchesOf(recording)].sort((a, b) => (a < b ? -1 : 1)).join(" ");
}

function isSame(one: Recording, other: Recording): boolean {
  return wayOf(one) === wayOf(other) && canonicalJson(one.args as Json) === canonicalJson(other.args as Json);
}

function bySize(one: Recording, other: Recording): number {
  return JSON.stringify(one).length - JSON.stringify(other).length;
}
