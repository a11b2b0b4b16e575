/**
 * Which version of a capability a user gets. For its author, a new version is the latest at once. For others it becomes
 * the latest when it has proved itself or a person promotes it. A version with a lower success rate than the one before
 * is rolled back.
 *
 * @module
 */
import type {
  Capability,
  CapabilitySource,
  ParametersSchema,
  ToolTrouble,
  TrustState,
} from "./capability.js";
import type { CapabilityRef } from "./capability-ref.js";
import type { VersionSummary } from "./capability-store.js";
import type { Fqdn } from "./fqdn.js";
import type { Scope } from "./scope.js";
import type { ToolId } from "./tool-id.js";
import { creatorOf } from "./visibility.js";

/** When a version is promoted and rolled back; `promotion` in the configuration. */
export interface RolloutRules {
  /** Successful runs that a new version needs before others get it. */
  readonly successes: number;
  /** A version can be rolled back within this many first runs. */
  readonly window: number;
  readonly failuresInARow: number;
  /** How far its success rate may be below that of the version before, between 0 and 1. */
  readonly margin: number;
  /** The minimum of runs before rates are compared. */
  readonly leastRuns: number;
}

export const ROLLOUT_RULES: RolloutRules = {
  successes: 3,
  window: 20,
  failuresInARow: 3,
  margin: 0.2,
  leastRuns: 5,
};

/** A version that some users get while another one is on trial. */
export interface TrialVersion {
  readonly version: number;
  /** `user@org` of its author. */
  readonly by: string;
  readonly versionTag: string | undefined;
  readonly source: CapabilitySource;
  readonly parameters: ParametersSchema;
  readonly toolsUsed: readonly ToolId[];
  readonly dependencies: readonly CapabilityRef[];
  readonly signedBy: string;
  readonly trust: TrustState;
  readonly troubles?: readonly ToolTrouble[];
  readonly runs: number;
  readonly successes: number;
}

/** The versions on trial: not all users get the newest one yet. */
export interface Trial {
  /** The version for the other users. */
  readonly promoted: number;
  /** The promoted version and all later ones that were not rolled back, newest first. */
  readonly versions: readonly TrialVersion[];
}

/** One decision about a version. */
export interface Promotion {
  readonly version: number;
  /** `held`: it had enough successes, but does not pass its recordings. */
  readonly kind: "trial" | "promoted" | "held" | "rolled_back";
  readonly toVersion?: number;
  readonly reason: string;
  /** Absent if the rules decided. */
  readonly by?: string;
  readonly at: Date;
}

export interface PromoteRequest {
  readonly fqdn: Fqdn;
  readonly version: number;
  readonly reason: string;
  /** The person; absent if the rules decide. */
  readonly by?: string;
}

/** Views are cached for each state of a capability. */
const VIEWS = new WeakMap<Capability, Map<number, Capability>>();

/** The capability as a user gets it: with version, parameters and trust of the user's latest version. */
export function capabilityFor(capability: Capability, scope: Scope): Capability {
  const { trial } = capability;
  if (trial === undefined) return capability;
  const user = creatorOf(scope);
  const own = trial.versions.find(({ by, version }) => by === user && version > trial.promoted);
  return viewOf(capability, own?.version ?? trial.promoted);
}

/** A version that some user gets when using the name alone. */
export interface ServedVersion {
  /** In the form that those users get. */
  readonly capability: Capability;
  /** `user@org` of the only user who gets it; absent if it is for all, or for all others. */
  readonly by?: string;
}

/** Every version that some user gets, oldest first: the promoted one, and those on trial. */
export function servedVersions(capability: Capability): readonly ServedVersion[] {
  const { trial } = capability;
  if (trial === undefined) return [{ capability }];
  const makers = new Map<string, number>();
  for (const { version, by } of trial.versions)
    if (version > trial.promoted && !makers.has(by)) makers.set(by, version);
  const own = [...makers].sort(([, a], [, b]) => a - b);
  return [
    { capability: viewOf(capability, trial.promoted) },
    ...own.map(([by, version]) => ({ capability: viewOf(capability, version), by })),
  ];
}

function viewOf(capability: Capability, version: number): Capability {
  if (version === capability.version) return capability;
  const views = VIEWS.get(capability) ?? new Map<number, Capability>();
  VIEWS.set(capability, views);
  const known = views.get(version);
  if (known !== undefined) return known;
  const found = capability.trial?.versions.find((one) => one.version === version);
  if (found === undefined) return capability;
  const { by: _, runs: _runs, successes: _successes, ...fields } = found;
  const { troubles: _troubles, ...record } = capability;
  const view: Capability = { ...record, ...fields };
  views.set(version, view);
  return view;
}

/** The version that was a user's latest at a time; `versions` newest first, `promotions` oldest first. */
export function versionAt(
  end: Date,
  versions: readonly Pick<VersionSummary, "version" | "updatedAt" | "updatedBy">[],
  promotions: readonly Promotion[],
  user: string,
): number | undefined {
  const onTrial = new Set(promotions.filter(({ kind }) => kind === "trial").map(({ version }) => version));
  const events = [
    ...versions.map(({ version, updatedAt, updatedBy }) => ({
      at: updatedAt,
      order: 0,
      apply: (now: number | undefined) => (!onTrial.has(version) || updatedBy === user ? version : now),
    })),
    ...promotions.flatMap(({ version, kind, toVersion, at }) => {
      if (kind === "promoted") return [{ at, order: 1, apply: () => version }];
      if (kind !== "rolled_back") return [];
      return [{ at, order: 1, apply: (now: number | undefined) => (now === version ? toVersion : now) }];
    }),
  ];
  events.sort((a, b) => a.at.getTime() - b.at.getTime() || a.order - b.order);
  let now: number | undefined;
  for (const { at, apply } of events) if (at < end) now = apply(now);
  return now;
}
