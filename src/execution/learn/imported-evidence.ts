/**
 * The interface through which an import has the recordings of a file tested.
 *
 * @module
 */
import type { CapabilityVersion } from "../../registry/capability.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Recording } from "../../registry/recording.js";
import type { Scope } from "../../registry/scope.js";

/** What became of the recordings of one capability of a file. */
export interface EvidenceReport {
  /** How many the file has. */
  readonly count: number;
  /** How many are as recorded here. */
  readonly passed: number;
  /** Why others are not, in one line each. */
  readonly problems: readonly string[];
  /** Why none of them was trusted, and so none was run. */
  readonly refused?: string;
}

/** Versions of a file that are not in the store, or not trusted yet; each verified. */
export interface FileVersions {
  readonly displayName: string;
  readonly versions: readonly CapabilityVersion[];
}

export interface TestedEvidence {
  readonly report: EvidenceReport;
  /** The version that made them, and those that pass. */
  readonly passed?: { readonly version: number; readonly recordings: readonly Recording[] };
}

export interface TestsEvidence {
  /**
   * Runs what a file has recorded with the newest version of the file, as `pml test` would. `found` are the capabilities
   * that the file had before it. Ends at `until`, of `performance.now()`.
   */
  test(
    value: unknown,
    of: FileVersions,
    found: ReadonlyMap<Fqdn, FileVersions>,
    scope: Scope,
    until: number,
  ): Promise<TestedEvidence>;
  /** Keeps those that pass, unless the version has recordings here. */
  keep(fqdn: Fqdn, tested: TestedEvidence, scope: Scope): Promise<void>;
}
