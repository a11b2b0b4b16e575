/**
 * Stored code, ready to run: fetched once, its signature checked, analysed again, and kept.
 *
 * What is kept in memory was verified on its way in, so a row that is tampered with afterwards is not run either. Where
 * an older analysis made what is stored about the code, it is brought up to date beside the run.
 *
 * @module
 */
import { analyse } from "../analysis/analyse.js";
import { ANALYSIS_VERSION, type Analysis } from "../analysis/analysis.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { sha256Hex } from "../base/sha256.js";
import type { Capability, CapabilityVersion } from "../registry/capability.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import { missingCallee } from "../registry/dependency-closure.js";
import type { Fqdn } from "../registry/fqdn.js";
import { type Signer, signedText } from "../registry/signature.js";
import { analyseStored } from "./analyse-stored.js";
import { savedVocabulary } from "./code-vocabulary.js";
import { storedStructure } from "./stored-structure.js";
import type { ToolIndex } from "./tool-index.js";

export interface LoadedCapability {
  readonly stored: CapabilityVersion;
  readonly analysis: Analysis;
}

/** The tools that there are now. */
export interface CurrentTools {
  tools(): ToolIndex;
  settled(): Promise<void>;
}

interface Kept {
  readonly loading: Promise<LoadedCapability>;
  /** What the code calls, and what that was when it was analysed; nothing while it is loading. */
  callees?: { readonly fqdns: readonly Fqdn[]; readonly state: string };
}

export class CapabilityLoader {
  readonly #registry: CapabilityRegistry;
  readonly #signer: Signer;
  readonly #tools: CurrentTools;
  readonly #log: Log;
  readonly #loaded = new Map<string, Kept>();

  constructor(registry: CapabilityRegistry, signer: Signer, tools: CurrentTools, log: Log) {
    this.#registry = registry;
    this.#signer = signer;
    this.#tools = tools;
    this.#log = log;
  }

  load(capability: Capability, version: number): Promise<LoadedCapability> {
    const key = `${capability.fqdn}@${version}`;
    const known = this.#loaded.get(key);
    if (known !== undefined && this.#isCurrent(known)) return known.loading;
    const loading = this.#fetch(capability, version);
    const kept: Kept = { loading };
    this.#loaded.set(key, kept);
    loading.then(
      ({ stored: { dependencies: fqdns } }) => {
        kept.callees = { fqdns, state: this.#stateOf(fqdns) };
      },
      () => this.#loaded.delete(key),
    );
    if (this.#loaded.size > LIMITS.loadedCapabilities) {
      const [oldest] = this.#loaded.keys();
      if (oldest !== undefined) this.#loaded.delete(oldest);
    }
    return loading;
  }

  async #fetch(capability: Capability, version: number): Promise<LoadedCapability> {
    const { fqdn, displayName } = capability;
    const stored = await this.#registry.store.version(fqdn, version);
    if (stored === undefined)
      throw new PmlError("VERSION_NOT_FOUND", `Version ${version} not found for ${displayName}`);
    await this.#registry.know(stored.dependencies);
    for (const callee of stored.dependencies)
      if (this.#registry.directory.get(callee) === undefined) throw missingCallee(callee, [displayName]);
    const analysis = analyse(
      stored.savedCode,
      savedVocabulary(stored, (callee) => this.#registry.directory.get(callee)),
    );
    await this.#verify(stored, analysis, displayName);
    const { version: newest, analysisVersion = ANALYSIS_VERSION } = capability;
    if (version === newest && analysisVersion < ANALYSIS_VERSION) void this.#upgrade(stored);
    return { stored, analysis: { ...analysis, liftedParameters: knownLifted(stored, analysis) } };
  }

  /** What it calls has neither another name nor another version since, and is there. */
  #isCurrent({ callees }: Kept): boolean {
    return callees === undefined || callees.state === this.#stateOf(callees.fqdns);
  }

  #stateOf(fqdns: readonly Fqdn[]): string {
    return fqdns
      .map((fqdn) => {
        const callee = this.#registry.directory.get(fqdn);
        return callee === undefined ? "" : `${callee.displayName}@${callee.version}`;
      })
      .join(" ");
  }

  /** Stores what the analysis of now finds. Nobody waits for it, and it changes nothing that was signed. */
  async #upgrade(stored: CapabilityVersion): Promise<void> {
    const { fqdn, codeHash } = stored;
    try {
      await this.#tools.settled();
      const { analysis } = analyseStored(
        stored,
        (callee) => this.#registry.directory.get(callee),
        (id) => this.#tools.tools().find([id]),
      );
      const isLifted = knownLifted(stored, analysis).length === analysis.liftedParameters.length;
      await this.#registry.store.upgradeAnalysis({
        fqdn,
        codeHash,
        structure: storedStructure(analysis.structure),
        liftedCode: isLifted ? analysis.liftedCode : stored.savedCode,
        analysisVersion: ANALYSIS_VERSION,
      });
    } catch (error) {
      this.#log.warn("analysis.not_upgraded", { capability: fqdn, message: messageOf(error) });
    }
  }

  async #verify(stored: CapabilityVersion, analysis: Analysis, name: string): Promise<void> {
    const { signature, publicKey, codeHash, canonicalCode } = stored;
    const isIntact =
      this.#signer.verify(signedText(stored), signature, publicKey) &&
      analysis.canonicalCode === canonicalCode &&
      (await sha256Hex(canonicalCode)) === codeHash;
    if (isIntact && this.#signer.isTrusted(publicKey)) return;
    throw new PmlError(
      "SIGNATURE_INVALID",
      isIntact
        ? `Cannot run ${name}: it was signed with a key that this installation does not trust`
        : `Cannot run ${name}: its stored code is not what was signed`,
      {
        hint: "Restore the store or its key from a backup. Where the key is lost for good, send the code again under its name with options.update: that adds a version which this installation signs.",
      },
    );
  }
}

/** Without those that its own schema does not have: what was analysed before literals were lifted runs as written. */
function knownLifted({ parameters }: CapabilityVersion, { liftedParameters }: Analysis): readonly string[] {
  return liftedParameters.filter((name) => Object.hasOwn(parameters.properties, name));
}
