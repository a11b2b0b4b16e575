/**
 * Stored code, ready to run: fetched once, its signature checked, analysed again, and cached.
 *
 * Code is verified before it enters the cache, so a row that is tampered with later does not run either. If an older
 * analysis wrote the stored facts about the code, they are updated in the background.
 *
 * @module
 */
import { analyse } from "../../analysis/analyse.js";
import { ANALYSIS_VERSION, type Analysis } from "../../analysis/analysis.js";
import { keepNewest } from "../../base/keep-newest.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log.js";
import { messageOf, PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import type { FindCallee } from "../../registry/callees.js";
import type { Capability, CapabilityVersion } from "../../registry/capability.js";
import { type CapabilityRef, nameAt, splitCapabilityRef } from "../../registry/capability-ref.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import { existingCallee } from "../../registry/dependency-closure.js";
import { splitFqdn } from "../../registry/fqdn.js";
import { fingerprintOf } from "../../registry/key-ring.js";
import type { Scope } from "../../registry/scope.js";
import { oldSignedText, type Signer, signedText } from "../../registry/signature.js";
import { shownName } from "../../registry/visibility.js";
import { analyseStored } from "./analyse-code.js";
import { savedVocabulary } from "./code-vocabulary.js";
import { storedStructure } from "./stored-structure.js";
import type { CurrentTools } from "./tool-index.js";

export interface LoadedCapability {
  readonly stored: CapabilityVersion;
  readonly analysis: Analysis;
}

interface Kept {
  /** The user who gets the error if loading fails. */
  readonly asker: Scope;
  readonly loading: Promise<LoadedCapability>;
  /** The callees of the code, and their state when the code was analysed; absent while it is loading. */
  callees?: { readonly refs: readonly CapabilityRef[]; readonly state: string };
  /** Its signing key and org: trust in a key can be withdrawn at any time. */
  key?: { readonly publicKey: string; readonly org: string };
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

  /** Throws errors that are safe to show to `asker`. */
  load(capability: Capability, version: number, asker: Scope): Promise<LoadedCapability> {
    const key = `${capability.fqdn}@${version}`;
    const known = this.#loaded.get(key);
    if (known !== undefined && this.#isCurrent(known, asker)) return known.loading;
    const loading = this.#fetch(capability, version, asker);
    const kept: Kept = { loading, asker };
    keepNewest(this.#loaded, key, kept, LIMITS.loadedCapabilities);
    loading.then(
      ({ stored: { dependencies: refs, publicKey, fqdn } }) => {
        kept.callees = { refs, state: this.#stateOf(refs) };
        kept.key = { publicKey, org: splitFqdn(fqdn).org };
      },
      () => {
        if (this.#loaded.get(key) === kept) this.#loaded.delete(key);
      },
    );
    return loading;
  }

  async #fetch(capability: Capability, version: number, asker: Scope): Promise<LoadedCapability> {
    const { fqdn } = capability;
    const name = shownName(capability, asker);
    const stored = await this.#registry.store.version(fqdn, version);
    if (stored === undefined)
      throw new PmlError("VERSION_NOT_FOUND", `Version ${version} not found for ${name}`);
    const shown = await this.#registry.know(stored.dependencies, asker);
    for (const ref of stored.dependencies) existingCallee(ref, shown, [name]);
    // The cache entry is for all users, so names are resolved without a user.
    const find = await this.#registry.know(stored.dependencies);
    const analysis = analyse(stored.savedCode, savedVocabulary(stored, find));
    await this.#verify(stored, analysis, name);
    const { version: newest, analysisVersion = ANALYSIS_VERSION } = capability;
    if (version === newest && analysisVersion < ANALYSIS_VERSION) void this.#upgrade(stored, find);
    return { stored, analysis: { ...analysis, liftedParameters: knownLifted(stored, analysis) } };
  }

  /**
   * Whether the cache entry is still valid: all callees exist with the same name and, if not pinned, the same
   * version, and its key is trusted.
   */
  #isCurrent({ callees, key, asker: first }: Kept, asker: Scope): boolean {
    if (key !== undefined && !this.#signer.isTrusted(key.publicKey, key.org)) return false;
    // While it is loading it may still fail, with an error for the first user.
    return callees === undefined ? first === asker : callees.state === this.#stateOf(callees.refs);
  }

  #stateOf(refs: readonly CapabilityRef[]): string {
    return refs
      .map((ref) => {
        const { fqdn, version: pinned } = splitCapabilityRef(ref);
        const callee = this.#registry.directory.get(fqdn);
        return callee === undefined ? "" : nameAt(callee.displayName, pinned ?? callee.version);
      })
      .join(" ");
  }

  /** Stores the result of the current analysis in the background. Nothing that was signed changes. */
  async #upgrade(stored: CapabilityVersion, find: FindCallee): Promise<void> {
    const { fqdn, codeHash } = stored;
    try {
      await this.#tools.settled();
      const { analysis } = analyseStored(stored, find, (id) => this.#tools.tools().find([id]));
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

  /** Checks everything that the signature covers; the code that runs must have the canonical form that was signed. */
  async #verify(stored: CapabilityVersion, analysis: Analysis, name: string): Promise<void> {
    const { fqdn, signature, publicKey, codeHash, canonicalCode } = stored;
    const isIntact =
      this.#signer.verify(signedText(stored), signature, publicKey) &&
      analysis.canonicalCode === canonicalCode &&
      (await sha256Hex(canonicalCode)) === codeHash;
    if (!isIntact) throw await this.#notIntact(stored, name);
    const { org } = splitFqdn(fqdn);
    // This installation's own key is known at once, even if the keys of others cannot be read.
    if (this.#signer.isTrusted(publicKey, org)) return;
    await this.#signer.ready?.();
    if (!this.#signer.isTrusted(publicKey, org)) throw await untrustedKey(name, publicKey, org);
  }

  async #notIntact(stored: CapabilityVersion, name: string): Promise<PmlError> {
    const { signature, publicKey } = stored;
    if (this.#signer.verify(oldSignedText(stored), signature, publicKey))
      return new PmlError(
        "SIGNATURE_INVALID",
        `Cannot run ${name}: its signature has an old format that does not cover its version`,
        {
          hint: "Ask its author to export it again with a current version of PML, and import that file.",
          data: { fingerprint: await fingerprintOf(publicKey) },
        },
      );
    return new PmlError(
      "SIGNATURE_INVALID",
      `Cannot run ${name}: its stored code does not match its signature`,
      {
        hint: "Restore the store or its key from a backup. If the key is lost, send the code again under its name with options.update: this adds a version signed by this installation.",
      },
    );
  }
}

/** Usually for an imported capability. */
async function untrustedKey(name: string, publicKey: string, org: string): Promise<PmlError> {
  const fingerprint = await fingerprintOf(publicKey);
  return new PmlError(
    "SIGNATURE_INVALID",
    `Cannot run ${name}: it was signed with a key that this installation does not trust for the org ${org}`,
    {
      hint: `If you trust the owner of the key: pml key trust ${fingerprint} --org ${org}. If it was this installation's own key, restore the key from a backup.`,
      data: { fingerprint },
    },
  );
}

/**
 * Without parameters that are not in its schema: code that was analysed before literals were lifted runs as written.
 */
function knownLifted({ parameters }: CapabilityVersion, { liftedParameters }: Analysis): readonly string[] {
  return liftedParameters.filter((name) => Object.hasOwn(parameters.properties, name));
}
