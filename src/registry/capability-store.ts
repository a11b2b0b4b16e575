/**
 * Where capabilities are kept. Both implementations pass `test/suites/capability-store.suite.ts`.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Capability, CapabilityVersion, Routing, VersionContent } from "./capability.js";
import type { DisplayName } from "./display-name.js";
import type { Fqdn } from "./fqdn.js";
import type { Scope } from "./scope.js";
import type { Signature, SignedContent } from "./signature.js";

/** What a decision of the code came to in a run. */
export interface DecisionTaken {
  readonly nodeId: string;
  readonly outcome: string;
  /** How often, where that is more than once. */
  readonly count?: number;
}

export interface LoopPassed {
  readonly nodeId: string;
  /** In all, where the loop was passed several times. */
  readonly iterations: number;
}

/** One run as `execution_trace` keeps it. */
export interface RunTrace {
  readonly workflowId: string;
  readonly intent: string;
  readonly executedPath: readonly string[];
  readonly decisions: readonly DecisionTaken[];
  readonly loops: readonly LoopPassed[];
  readonly tasks: readonly Json[];
  readonly success: boolean;
  readonly durationMs: number;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** SHA-256 of the canonical JSON of the arguments: never the arguments themselves. */
  readonly argsHash: string;
  readonly executedAt: Date;
  readonly scope: Scope;
}

/** Code that has just succeeded for the first time in its scope. */
export interface NewCapability extends VersionContent {
  readonly scope: Scope;
  /** Unnamed when left out. */
  readonly name: DisplayName | undefined;
  /** Inferred from the tools; used where the name has no namespace. */
  readonly inferredNamespace: string;
  readonly source: "code";
  readonly intent: string;
  readonly description: string | undefined;
  readonly routing: Routing;
  readonly structure: Json;
  /** What runs, for people to read. */
  readonly liftedCode: string;
  readonly analysisVersion: number;
  /** Adds a version where other code has the name. */
  readonly update: boolean;
  readonly trace: RunTrace;
}

export interface Learned {
  readonly capability: Capability;
  /** The version that this very code is. */
  readonly version: number;
  /** `created`: new. `known`: the code was there. `named`: it was there unnamed, and took the name. `updated`: a new version. */
  readonly kind: "created" | "known" | "named" | "updated";
}

/** One run of a capability that was known before it. */
export interface CapabilityUse {
  readonly fqdn: Fqdn;
  readonly version: number;
  readonly trace: RunTrace;
}

export interface RenameRequest {
  readonly fqdn: Fqdn;
  readonly scope: Scope;
  readonly actor: "user" | "agent" | "auto";
  readonly newName?: DisplayName;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly visibility?: Capability["visibility"];
}

/** What a newer analysis has found in the code of a version, which stays as it is. */
export interface AnalysisUpgrade extends Pick<NewCapability, "structure" | "liftedCode" | "analysisVersion"> {
  readonly fqdn: Fqdn;
  /** Of the code that was analysed. */
  readonly codeHash: string;
}

/** Makes the signature of a version, once its FQDN is known. */
export type SignVersion = (content: SignedContent) => Signature;

export interface CapabilityStore {
  /** Every live capability, in the order of creation. */
  load(): Promise<readonly Capability[]>;
  /** By FQDN; also what another gateway has just added. */
  get(fqdn: Fqdn): Promise<Capability | undefined>;
  /** By fold of a display name or alias in a scope, for what memory does not have. */
  findByName(org: string, project: string, fold: string): Promise<Capability | undefined>;
  version(fqdn: Fqdn, version: number): Promise<CapabilityVersion | undefined>;
  /** All of a capability, newest first, without code. */
  versions(fqdn: Fqdn): Promise<readonly VersionSummary[]>;
  /**
   * The path that most successful runs of a version took, of several the one that was taken last; nothing where none
   * has succeeded.
   */
  dominantPath(fqdn: Fqdn, version: number): Promise<readonly string[] | undefined>;
  /** Any version of a live capability in the scope that has this code. */
  findByCode(
    org: string,
    project: string,
    codeHash: string,
  ): Promise<{ readonly fqdn: Fqdn; readonly version: number } | undefined>;
  /**
   * Pattern, record, version, signature and trace in one transaction. Throws `NAME_TAKEN` where the name is other
   * code's (unless `update`), and `CODE_REFUSED` where capabilities would call one another in a circle or too deep,
   * whatever other gateways learn at the same time. The trace counts as usage.
   */
  learn(capability: NewCapability, sign: SignVersion): Promise<Learned>;
  /** The live capabilities whose newest code calls this one, by FQDN; the first `most` of them. */
  dependents(fqdn: Fqdn, most: number): Promise<readonly Capability[]>;
  /** Keeps it where the newest version is of that code and an older analysis; else nothing changes. */
  upgradeAnalysis(upgrade: AnalysisUpgrade): Promise<void>;
  /** Counters, trust and traces of runs, all in one transaction; answers the capabilities as they are afterwards. */
  addUses(uses: readonly CapabilityUse[]): Promise<readonly Capability[]>;
  /** Traces of runs that failed and belong to no capability. */
  addTraces(traces: readonly RunTrace[]): Promise<void>;
  /** One transaction: name, alias, older aliases, history. Throws `NAME_TAKEN`, `CAPABILITY_NOT_FOUND`. */
  rename(request: RenameRequest): Promise<Capability>;
}

export interface VersionSummary {
  readonly version: number;
  readonly versionTag: string | undefined;
  readonly codeHash: string;
  readonly updatedBy: string;
  readonly updatedAt: Date;
  readonly changeSummary: string | undefined;
}
