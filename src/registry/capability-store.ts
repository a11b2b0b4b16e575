/**
 * Where capabilities are kept. Both implementations pass `test/suites/capability-store.suite.ts`.
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
  /** A UUID, made before the run is written: so what ran inside it can name it, and nothing is written twice. */
  readonly traceId: string;
  /** The run that called this one. */
  readonly parentTraceId?: string;
  /** Of a run inside another: the task that it is in the answer to that. */
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
  /** SHA-256 of the canonical JSON of the arguments: never the arguments themselves. Left out where they are not known. */
  readonly argsHash?: string;
  readonly executedAt: Date;
  readonly scope: Scope;
}

/** Code to store: it has just succeeded for the first time in its scope, or is saved without a run. */
export interface NewCapability extends VersionContent {
  readonly scope: Scope;
  /** Unnamed when left out. */
  readonly name: DisplayName | undefined;
  /** Inferred from the tools; used where the name has no namespace. */
  readonly inferredNamespace: string;
  readonly source: CapabilitySource;
  readonly intent: string;
  readonly description: string | undefined;
  readonly routing: Routing;
  /** With `tools`, an update of what has an explicit routing keeps that. */
  readonly routingSource: RoutingSource;
  readonly tags?: readonly string[];
  /** Of a new capability; default: `project` with a name, `private` without one. */
  readonly visibility?: Capability["visibility"];
  /** Set for a fork: it becomes a capability of its own, also where the scope has that code already. */
  readonly forkedFrom?: Fqdn;
  readonly mergedFrom?: readonly CapabilityRef[];
  readonly structure: Json;
  /** The code that runs, for people to read. */
  readonly liftedCode: string;
  readonly analysisVersion: number;
  /** Adds a version where the newest code of what has the name is other code, older code of its own too. */
  readonly update: boolean;
  /** Of the run that succeeded; left out for what is saved and was not run. */
  readonly trace?: RunTrace;
  /** Of that run, for the ledger. */
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
  /** `created`: new. `known`: the code was there. `named`: it was there unnamed, and took the name. `updated`: a new version. */
  readonly kind: "created" | "known" | "named" | "updated";
}

/** One run of a capability that was known before it. */
export interface CapabilityUse {
  readonly fqdn: Fqdn;
  readonly version: number;
  readonly trace: RunTrace;
  /** It counts, and its trace is not kept: one run can call a capability any number of times. */
  readonly isUntraced?: true;
  /** For the ledger, of a run from memory. */
  readonly saved?: RunSaving;
}

/** A use that a cache has answered for: nothing ran. */
export type ServedUse = Pick<CapabilityUse, "fqdn" | "version" | "saved">;

export interface RenameRequest {
  readonly fqdn: Fqdn;
  readonly scope: Scope;
  readonly actor: "user" | "agent" | "auto";
  readonly newName?: DisplayName;
  /** Only while it is called this. */
  readonly from?: DisplayName;
  /** Who thought of the new name, where that is not who gives it: `heuristics`, or a model's name. */
  readonly curatedBy?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly visibility?: Capability["visibility"];
  readonly cachePolicy?: CachePolicy;
  /** Null takes it away. */
  readonly ttlSeconds?: number | null;
}

/** A capability that has the name of a real tool. */
export interface GiveWayRequest {
  readonly fqdn: Fqdn;
  /** The name that is the tool's. Nothing changes where it is not the capability's any more. */
  readonly name: DisplayName;
  /** The id of the tool. */
  readonly tool: string;
  /** What it is called from then on; left out where `name` is an alias, which is removed. */
  readonly newName?: DisplayName;
}

/** A capability that gave way to a tool, and still has the name that it got then. */
export interface GivenWay {
  readonly capability: Capability;
  readonly oldName: DisplayName;
  readonly tool: string;
}

export interface DeleteRequest {
  readonly fqdn: Fqdn;
  readonly scope: Scope;
  /** How long its names stay reserved, and undeleting possible. */
  readonly reserveDays: number;
}

export type UndeleteRequest = Omit<DeleteRequest, "reserveDays">;

/** One row of rename history. */
export interface Renamed {
  readonly oldName: string;
  readonly newName: string;
  readonly actor: RenameRequest["actor"];
  /** Who thought of the name, where curation did. */
  readonly curatedBy?: string;
  /** The id of the real tool that has the old name now. */
  readonly gaveWayTo?: string;
  readonly renamedBy: string;
  readonly renamedAt: Date;
}

/** How a capability is looked for in the store. */
export type CapabilityKey =
  | { readonly kind: "name"; readonly org: string; readonly project: string; readonly fold: string }
  | { readonly kind: "id"; readonly id: string }
  /** An FQDN without its hash. */
  | { readonly kind: "label"; readonly label: string };

/** What a newer analysis has found in the code of a version, which stays as it is. */
export interface AnalysisUpgrade extends Pick<NewCapability, "structure" | "liftedCode" | "analysisVersion"> {
  readonly fqdn: Fqdn;
  /** Of the code that was analysed. */
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
  /** What it may be called here, the name that it has first. */
  readonly names: readonly [DisplayName, ...DisplayName[]];
  /** From 1 on, without gaps, each with the hash of the one before, all of one key. */
  readonly versions: readonly [CapabilityVersion, ...CapabilityVersion[]];
  /** Who imports it. */
  readonly scope: Scope;
  /** Nothing is written; the answer is what would be. */
  readonly dryRun: boolean;
}

export interface Imported {
  /** `updated`: versions were added, or signatures renewed. `unchanged`: it was there, with these versions and maybe more. */
  readonly kind: "created" | "updated" | "unchanged";
  /** What it is called here. */
  readonly name: DisplayName;
  /** As it is now; left out where nothing was written. */
  readonly capability?: Capability;
  /** Former names that are others' here. */
  readonly aliasesLeftOut: readonly DisplayName[];
}

/** A key, and how many live capabilities have a version that it signed. */
export interface SignerCount {
  readonly publicKey: string;
  readonly capabilities: number;
}

/** Makes the signature of a version, once its FQDN and number are known. */
export type SignVersion = (content: SignedContent) => Signature;

/** Which signatures are looked at to be replaced. */
export interface SignAgainRequest {
  /** The key that made them. */
  readonly publicKey: string;
  /** Only those that were made before versions were a chain. */
  readonly onlyOld: boolean;
  /** The new signature; nothing where the old one stays. */
  sign(stored: CapabilityVersion): Signature | undefined;
}

export interface CapabilityStore {
  /** Every live capability, and every deleted one whose names are still reserved, in the order of creation. */
  load(): Promise<readonly Capability[]>;
  /** By FQDN; also what another gateway has just added, and what was deleted, however long ago. */
  get(fqdn: Fqdn): Promise<Capability | undefined>;
  getAll(fqdns: readonly Fqdn[]): Promise<readonly Capability[]>;
  /** For what memory does not have: live ones first, then those whose names are still reserved. */
  find(key: CapabilityKey): Promise<readonly Capability[]>;
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
   * Pattern, record, version, signature and trace in one transaction. Throws `NAME_TAKEN` if other code has the name
   * (unless `update`), and `CODE_REFUSED` if capabilities would call one another in a cycle or too deep, also together
   * with what other gateways learn at the same time. A trace counts as usage.
   */
  learn(capability: NewCapability, sign: SignVersion): Promise<Learned>;
  /** Tells the store of code that is running, so that `learn` takes less time. It changes no outcome. */
  expect?(expected: ExpectedCode): void;
  /** The live capabilities whose newest code calls this one, any version of it, by FQDN; the first `most` of them. */
  dependents(fqdn: Fqdn, most: number): Promise<readonly Capability[]>;
  /** Keeps it where the newest version is of that code and an older analysis; else nothing changes. */
  upgradeAnalysis(upgrade: AnalysisUpgrade): Promise<void>;
  /**
   * Counters, trust, learning, traces and savings of runs, all in one transaction; answers the capabilities as they are
   * afterwards. Uses that were already written are not counted again.
   */
  addUses(uses: readonly CapabilityUse[]): Promise<readonly Capability[]>;
  /** Counts uses that were answered from a cache: successes that took no time, and that say nothing about trust. */
  addServed(uses: readonly ServedUse[]): Promise<readonly Capability[]>;
  /** Makes a version what all get; answers nothing where it is so already, or may not be by the rules. */
  promote(request: PromoteRequest): Promise<Capability | undefined>;
  /** Notes why a version is not promoted. */
  hold(request: PromoteRequest): Promise<void>;
  /** What was decided about versions, oldest first. */
  promotions(fqdn: Fqdn): Promise<readonly Promotion[]>;
  /** Traces of runs that belong to no capability. */
  addTraces(traces: readonly RunTrace[]): Promise<void>;
  /** One transaction: name, alias, older aliases, history. Throws `NAME_TAKEN`, `CAPABILITY_NOT_FOUND`, `CAPABILITY_CHANGED`. */
  rename(request: RenameRequest): Promise<Capability>;
  /**
   * One transaction: name, history, no alias for what is a tool's now. Throws `NAME_TAKEN`, `CAPABILITY_NOT_FOUND`,
   * `CAPABILITY_CHANGED`.
   */
  giveWay(request: GiveWayRequest): Promise<Capability>;
  /** The first `most` by FQDN, without a check of their visibility. */
  givenWay(most: number): Promise<readonly GivenWay[]>;
  /** Newest first, the first `most` of them. */
  renames(fqdn: Fqdn, most: number): Promise<readonly Renamed[]>;
  /** Soft: everything is kept, and its names are reserved. Throws `CAPABILITY_NOT_FOUND`. */
  delete(request: DeleteRequest): Promise<Capability>;
  /** Throws `CAPABILITY_NOT_FOUND` where it is not deleted or its time is over, `CAPABILITY_EXISTS` where its code is another's by now. */
  undelete(request: UndeleteRequest): Promise<Capability>;
  /** Every version of a capability, oldest first, with code. */
  history(fqdn: Fqdn): Promise<readonly CapabilityVersion[]>;
  /** Replaces signatures, and nothing else of a version; answers how many. */
  signAgain(request: SignAgainRequest): Promise<number>;
  /** The keys that versions of live capabilities are signed with, by key. */
  signers(): Promise<readonly SignerCount[]>;
  /**
   * One transaction, and nothing is run. Throws `NAME_TAKEN` where all its names are others' here, `CAPABILITY_EXISTS`
   * where it has other versions or another key here or its code is another's, `CAPABILITY_DELETED`, and `CODE_REFUSED` as `learn` does.
   */
  importRecord(imported: ImportedCapability): Promise<Imported>;
  /** A person vouches for a version: it is verified. Throws `VERSION_NOT_FOUND`. */
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

/** Where the shapes are kept that results of capabilities have had. */
export interface ResultShapeStore {
  /** By number of version. */
  of(fqdn: Fqdn): Promise<ReadonlyMap<number, ObservedSchema>>;
  /** Adds what was seen to what is known, and answers both together. */
  learn(fqdn: Fqdn, version: number, seen: ObservedSchema): Promise<ObservedSchema>;
}
