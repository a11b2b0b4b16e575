/**
 * The interface through which an import tests the recordings of a file.
 *
 * @module
 */
import type { CapabilityVersion } from "../../registry/capability.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Recording } from "../../registry/recording.js";
import type { Scope } from "../../registry/scope.js";

/** The result of testing the recordings of one capability in a file. */
export interface EvidenceReport {
  /** The number of recordings in the file. */
  readonly count: number;
  /** The number of recordings with the same outcome here. */
  readonly passed: number;
  /** Why the others failed, one line each. */
  readonly problems: readonly string[];
  /** Set if no recording was run: why none of them was trusted. */
  readonly refused?: string;
}

/** Versions of a file that are not in the store, or not trusted yet; all are verified. */
export interface FileVersions {
  readonly displayName: string;
  readonly versions: readonly CapabilityVersion[];
}

export interface TestedEvidence {
  readonly report: EvidenceReport;
  /** The version that made the recordings, and those that passed. */
  readonly passed?: { readonly version: number; readonly recordings: readonly Recording[] };
}

export interface TestsEvidence {
  /**
   * Tests the recordings of a file with its newest version, as `pml test` would. `found` are the capabilities that came
   * earlier in the file. Stops at `until`, a time of `performance.now()`.
   */
  test(
    value: unknown,
    of: FileVersions,
    found: ReadonlyMap<Fqdn, FileVersions>,
    scope: Scope,
    until: number,
  ): Promise<TestedEvidence>;
  /** Stores recordings that passed, unless the version already has recordings here. */
  keep(fqdn: Fqdn, tested: TestedEvidence, scope: Scope): Promise<void>;
}
