/**
 * How many patterns were stored, and how many of them were verified, as numbers that only grow: what is deleted or loses
 * its trust was stored and verified all the same.
 *
 * @module
 */
import type { Capability } from "../../registry/capability.js";
import type { CapabilityChange } from "../../registry/capability-directory.js";

export interface WatchedCapabilities {
  all(): Iterable<Capability>;
  onChange(listener: (change: CapabilityChange) => void): () => void;
}

export class PatternCounts {
  #detected = 0;
  #promoted = 0;

  /** Once memory holds all that the store has. */
  constructor(directory: WatchedCapabilities) {
    for (const capability of directory.all()) this.#changed({ after: capability });
    directory.onChange((change) => this.#changed(change));
  }

  get detected(): number {
    return this.#detected;
  }

  get promoted(): number {
    return this.#promoted;
  }

  #changed({ before, after }: CapabilityChange): void {
    if (after === undefined) return;
    if (before === undefined) this.#detected += 1;
    if (after.trust === "verified" && before?.trust !== "verified") this.#promoted += 1;
  }
}
