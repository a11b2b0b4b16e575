/**
 * Stored code, ready to run: fetched once, its signature checked, analysed again, and kept.
 *
 * What is kept in memory was verified on its way in, so a row that is tampered with afterwards is not run either.
 *
 * @module
 */
import { analyse } from "../analysis/analyse.js";
import type { Analysis } from "../analysis/analysis.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import { sha256Hex } from "../base/sha256.js";
import type { Capability, CapabilityVersion } from "../registry/capability.js";
import type { CapabilityRegistry } from "../registry/capability-registry.js";
import { type Signer, signedText } from "../registry/signature.js";
import { savedVocabulary } from "./code-vocabulary.js";

export interface LoadedCapability {
  readonly stored: CapabilityVersion;
  readonly analysis: Analysis;
}

export class CapabilityLoader {
  readonly #registry: CapabilityRegistry;
  readonly #signer: Signer;
  readonly #loaded = new Map<string, Promise<LoadedCapability>>();

  constructor(registry: CapabilityRegistry, signer: Signer) {
    this.#registry = registry;
    this.#signer = signer;
  }

  load(capability: Capability, version: number): Promise<LoadedCapability> {
    const key = `${capability.fqdn}@${version}`;
    const known = this.#loaded.get(key);
    if (known !== undefined) return known;
    const loading = this.#fetch(capability, version);
    this.#loaded.set(key, loading);
    loading.catch(() => this.#loaded.delete(key));
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
    const analysis = analyse(
      stored.savedCode,
      savedVocabulary(stored, (callee) => this.#registry.directory.get(callee)),
    );
    await this.#verify(stored, analysis, displayName);
    return { stored, analysis };
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
