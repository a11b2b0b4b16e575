/**
 * The port to the storage of capabilities. Both implementations pass `test/suites/capability-store.suite.ts`.
 *
 * @module
 */

import type { Json } from "../base/canonical-json.js";
import type {
  CachePolicy,
  Capability,
  CapabilitySource,
  CapabilityVersion,
  Routing,
  RoutingSource,
  VersionContent,
} from "./capability.js";
import type { CapabilityRef } from "./capability-ref.js";
import type { DisplayName } from "./display-name.js";
import type { Fqdn } from "./fqdn.js";
import type { ObservedSchema } from "./observed-schema.js";
import type { PromoteRequest, Promotion } from "./rollout.js";
import type { ColdRun, RunSaving } from "./savings.js";
import type { Scope } from "./scope.js";
import type { Signature, SignedContent } from "./signature.js";

/** The outcome of a decision of the code in a run. */
export interface DecisionTaken {
  readonly nodeId: string;
  readonly outcome: string;
  /** How often, if more than once. */
  readonly count?: number;
}

export interface LoopPassed {
  readonly nodeId: string;
  /** The total, if the run passed the loop several times. */
  readonly iterations: number;
}

/** One run in the form of `execution_trace`. */
export interface RunTrace {
  /** A UUID, generated before the run is written: so inner runs can refer to it, and nothing is written twice. */
  readonly traceId: string;
  /** The run that called this one. */
  readonly parentTraceId?: string;
  /** For an inner run: its task in the answer of the outer run. */
  readonly taskId?: string;
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
  /** SHA-256 of the canonical JSON of the arguments: never the arguments themselves. Absent if they are not known. */
  readonly argsHash?: string;
  readonly executedAt: Date;
  readonly scope: Scope;
}

/** Code to store: it has just succeeded for the first time in its scope, or is saved without a run. */
export interface NewCapability extends VersionContent {
  readonly scope: Scope;
  /** Default: unnamed. */
  readonly name: DisplayName | undefined;
  /** Inferred from the tools; used if the name has no namespace. */
  readonly inferredNamespace: string;
  readonly source: CapabilitySource;
  readonly intent: string;
  readonly description: string | undefined;
  readonly routing: Routing;
  /** With `tools`, an update keeps an explicit routing. */
  readonly routingSource: RoutingSource;
  readonly tags?: readonly string[];
  /** For a new capability; default: `project` with a name, `private` without one. */
  readonly visibility?: Capability["visibility"];
  /** Set for a fork: it becomes an independent capability even if the scope already has that code. */
  readonly forkedFrom?: Fqdn;
  readonly mergedFrom?: readonly CapabilityRef[];
  readonly structure: Json;
  /** The code that runs, in a readable form. */
  readonly liftedCode: string;
  readonly analysisVersion: number;
  /** Adds a version if the named capability's newest code differs, even if an older version has this code. */
  readonly update: boolean;
  /** The run that succeeded; absent if the code was saved without a run. */
  readonly trace?: RunTrace;
  /** Ledger data of that run. */
  readonly cold?: ColdRun;
}

/** What is known of code before it runs, and decides whether it is new. */
export type ExpectedCode = Pick<
  NewCapability,
  "scope" | "name" | "codeHash" | "inferredNamespace" | "toolsUsed"
>;

export interface Learned {
  readonly capability: Capability;
  /** The version that has exactly this code. */
  readonly version: number;
  /**
   * `created`: new. `known`: the code existed. `named`: it existed unnamed, and got the name. `updated`: a new version.
   */
  readonly kind: "created" | "known" | "named" | "updated";
}

/** One run of an existing capability. */
export interface CapabilityUse {
  readonly fqdn: Fqdn;
  readonly version: number;
  readonly trace: RunTrace;
  /** Counted, but without a trace: one run can call a capability any number of times. */
  readonly isUntraced?: true;
  /** Ledger data of a run from memory. */
  readonly saved?: RunSaving;
}

/** A use that was answered from a cache: nothing ran. */
export type ServedUse = Pick<CapabilityUse, "fqdn" | "version" | "saved">;

export interface RenameRequest {
  readonly fqdn: Fqdn;
  readonly scope: Scope;
  readonly actor: "user" | "agent" | "auto";
  readonly newName?: DisplayName;
  /** The rename only applies while this is the name. */
  readonly from?: DisplayName;
  /** What suggested the new name, if curation did: `heuristics`, or a model's name. */
  readonly curatedBy?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly visibility?: Capability["visibility"];
  readonly cachePolicy?: CachePolicy;
  /** Null removes it. */
  readonly ttlSeconds?: number | null;
}

/** A capability that has the name of a real tool. */
export interface GiveWayRequest {
  readonly fqdn: Fqdn;
  /** The name that belongs to the tool. Nothing changes if the capability no longer has it. */
  readonly name: DisplayName;
  /** The id of the tool. */
  readonly tool: string;
  /** The capability's new name; absent if `name` is an alias, which is removed. */
  readonly newName?: DisplayName;
}

/** A capability that lost its name to a tool, and still has its replacement name. */
export interface GivenWay {
  readonly capability: Capability;
  readonly oldName: DisplayName;
  readonly tool: string;
}

export interface DeleteRequest {
  readonly fqdn: Fqdn;
  readonly scope: Scope;
  /** How long its names stay reserved, and it can be restored. */
  readonly reserveDays: number;
}

export type UndeleteRequest = Omit<DeleteRequest, "reserveDays">;

/** One row of rename history. */
export interface Renamed {
  readonly oldName: string;
  readonly newName: string;
  readonly actor: RenameRequest["actor"];
  /** What suggested the name, if curation did. */
  readonly curatedBy?: string;
  /** The id of the real tool that has the old name now. */
  readonly gaveWayTo?: string;
  readonly renamedBy: string;
  readonly renamedAt: Date;
}

/** The key of a lookup in the store. */
export type CapabilityKey =
  | { readonly kind: "name"; readonly org: string; readonly project: string; readonly fold: string }
  | { readonly kind: "id"; readonly id: string }
  /** An FQDN without its hash. */
  | { readonly kind: "label"; readonly label: string };

/** New analysis results for the unchanged code of a version. */
export interface AnalysisUpgrade extends Pick<NewCapability, "structure" | "liftedCode" | "analysisVersion"> {
  readonly fqdn: Fqdn;
  /** Hash of the analysed code. */
  readonly codeHash: string;
}

/** A capability of another installation, which keeps its identity, its versions and their signatures. */
export interface ImportedCapability
  extends Pick<
      Capability,
      | "fqdn"
      | "codeHash"
      | "source"
      | "intent"
      | "description"
      | "tags"
      | "visibility"
      | "routing"
      | "routingSource"
      | "cachePolicy"
      | "ttlSeconds"
      | "createdBy"
      | "createdAt"
      | "forkedFrom"
      | "mergedFrom"
      | "aliases"
    >,
    Pick<NewCapability, "structure" | "liftedCode" | "analysisVersion"> {
  /** Candidates for its name here; the first free one is used. */
  readonly names: readonly [DisplayName, ...DisplayName[]];
  /** Numbered from 1 without gaps, each with the hash of the one before, all signed with one key. */
  readonly versions: readonly [CapabilityVersion, ...CapabilityVersion[]];
  /** The importing user. */
  readonly scope: Scope;
  /** Nothing is written; the answer shows what would be. */
  readonly dryRun: boolean;
}

export interface Imported {
  /**
   * `updated`: versions were added, or signatures renewed. `unchanged`: it existed with these versions, and possibly
   * more.
   */
  readonly kind: "created" | "updated" | "unchanged";
  /** Its name here. */
  readonly name: DisplayName;
  /** Its current state; absent if nothing was written. */
  readonly capability?: Capability;
  /** Former names that other capabilities have here. */
  readonly aliasesLeftOut: readonly DisplayName[];
}

/** A key, and how many live capabilities have a version that it signed. */
export interface SignerCount {
  readonly publicKey: string;
  readonly capabilities: number;
}

/** Signs a version, once its FQDN and number are known. */
export type SignVersion = (content: SignedContent) => Signature;

/** Selects signatures to replace. */
export interface SignAgainRequest {
  /** The key that made the signatures. */
  readonly publicKey: string;
  /** Only signatures from before versions were a chain. */
  readonly onlyOld: boolean;
  /** Returns the new signature; undefined keeps the old one. */
  sign(stored: CapabilityVersion): Signature | undefined;
}

export interface CapabilityStore {
  /** Every live capability, and every deleted one whose names are still reserved, in the order of creation. */
  load(): Promise<readonly Capability[]>;
  /** By FQDN; includes capabilities that another gateway has just added, and deleted ones, however long ago. */
  get(fqdn: Fqdn): Promise<Capability | undefined>;
  getAll(fqdns: readonly Fqdn[]): Promise<readonly Capability[]>;
  /** For names that memory does not have: live capabilities first, then deleted ones whose names are still reserved. */
  find(key: CapabilityKey): Promise<readonly Capability[]>;
  version(fqdn: Fqdn, version: number): Promise<CapabilityVersion | undefined>;
  /** All versions of a capability, newest first, without code. */
  versions(fqdn: Fqdn): Promise<readonly VersionSummary[]>;
  /**
   * The path of most successful runs of a version, with several the most recent one; undefined if no run has succeeded.
   */
  dominantPath(fqdn: Fqdn, version: number): Promise<readonly string[] | undefined>;
  /** A version of a live capability in the scope that has this code. */
  findByCode(
    org: string,
    project: string,
    codeHash: string,
  ): Promise<{ readonly fqdn: Fqdn; readonly version: number } | undefined>;
  /**
   * Writes pattern, record, version, signature and trace in one transaction. Throws `NAME_TAKEN` if other code has the
   * name (unless `update`), and `CODE_REFUSED` if capabilities would call one another in a cycle or too deep, including
   * what other gateways write at the same time. A trace counts as usage.
   */
  learn(capability: NewCapability, sign: SignVersion): Promise<Learned>;
  /** Announces code that is running, so that `learn` takes less time. It changes no outcome. */
  expect?(expected: ExpectedCode): void;
  /** The live capabilities whose newest code calls this one, in any version, by FQDN; the first `most` of them. */
  dependents(fqdn: Fqdn, most: number): Promise<readonly Capability[]>;
  /** Saves it if the newest version has that code and an older analysis; otherwise changes nothing. */
  upgradeAnalysis(upgrade: AnalysisUpgrade): Promise<void>;
  /**
   * Writes counters, trust, learning, traces and savings of runs in one transaction; returns the changed capabilities.
   * Uses that were already written are not counted again.
   */
  addUses(uses: readonly CapabilityUse[]): Promise<readonly Capability[]>;
  /** Counts uses that were answered from a cache: successes that took no time, and do not affect trust. */
  addServed(uses: readonly ServedUse[]): Promise<readonly Capability[]>;
  /** Makes a version the latest for all users; returns undefined if it already is, or the rules forbid it. */
  promote(request: PromoteRequest): Promise<Capability | undefined>;
  /** Records why a version is not promoted. */
  hold(request: PromoteRequest): Promise<void>;
  /** The decisions about versions, oldest first. */
  promotions(fqdn: Fqdn): Promise<readonly Promotion[]>;
  /** Traces of runs that belong to no capability. */
  addTraces(traces: readonly RunTrace[]): Promise<void>;
  /**
   * One transaction: name, alias, older aliases, history. Throws `NAME_TAKEN`, `CAPABILITY_NOT_FOUND`,
   * `CAPABILITY_CHANGED`.
   */
  rename(request: RenameRequest): Promise<Capability>;
  /**
   * One transaction: name and history, without an alias, since the old name now belongs to a tool. Throws `NAME_TAKEN`,
   * `CAPABILITY_NOT_FOUND`, `CAPABILITY_CHANGED`.
   */
  giveWay(request: GiveWayRequest): Promise<Capability>;
  /** The first `most` by FQDN, without a check of their visibility. */
  givenWay(most: number): Promise<readonly GivenWay[]>;
  /** Newest first, the first `most` of them. */
  renames(fqdn: Fqdn, most: number): Promise<readonly Renamed[]>;
  /** Soft: everything is kept, and its names are reserved. Throws `CAPABILITY_NOT_FOUND`. */
  delete(request: DeleteRequest): Promise<Capability>;
  /**
   * Throws `CAPABILITY_NOT_FOUND` if it is not deleted or its time is over, `CAPABILITY_EXISTS` if another capability
   * has its code now.
   */
  undelete(request: UndeleteRequest): Promise<Capability>;
  /** Every version of a capability, oldest first, with code. */
  history(fqdn: Fqdn): Promise<readonly CapabilityVersion[]>;
  /** Replaces only the signatures of versions; returns how many. */
  signAgain(request: SignAgainRequest): Promise<number>;
  /** The keys of live capabilities' versions, sorted by key. */
  signers(): Promise<readonly SignerCount[]>;
  /**
   * Imports in one transaction, without running anything. Throws `NAME_TAKEN` if other capabilities have all its names,
   * `CAPABILITY_EXISTS` if it has other versions or another key here or its code belongs to another,
   * `CAPABILITY_DELETED`, and `CODE_REFUSED` as `learn` does.
   */
  importRecord(imported: ImportedCapability): Promise<Imported>;
  /** A person vouches for a version, which becomes verified. Throws `VERSION_NOT_FOUND`. */
  verify(fqdn: Fqdn, version: number, scope: Scope): Promise<Capability>;
}

export interface VersionSummary {
  readonly version: number;
  readonly versionTag: string | undefined;
  readonly codeHash: string;
  readonly updatedBy: string;
  readonly updatedAt: Date;
  readonly changeSummary: string | undefined;
}

/** The port to the storage of observed result shapes of capabilities. */
export interface ResultShapeStore {
  /** By version number. */
  of(fqdn: Fqdn): Promise<ReadonlyMap<number, ObservedSchema>>;
  /** Merges a seen shape into the stored one, and returns the result. */
  learn(fqdn: Fqdn, version: number, seen: ObservedSchema): Promise<ObservedSchema>;
}
