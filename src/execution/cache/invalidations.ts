/**
 * What has been dropped lately, and which servers were written to: a run that was under way then may have read what
 * was meant.
 *
 * @module
 */
import type { Invalidation } from "./cache-store.js";
import type { CachedResult } from "./memory-cache.js";
import { ServerWrites } from "./server-writes.js";

type Meant = (result: CachedResult) => boolean;

/** A run that has outlived more is not kept. */
const REMEMBERED = 1_000;

/** A moment, by what had happened. */
export interface Mark {
  readonly dropped: number;
  readonly writes: number;
}

export class Invalidations {
  readonly writes = new ServerWrites();
  readonly #recent: Meant[] = [];
  #count = 0;

  now(): Mark {
    return { dropped: this.#count, writes: this.writes.count };
  }

  /** Answers which results are meant. `codeHashes` are those of the capability's versions. */
  add({ tool, capability }: Invalidation, codeHashes: ReadonlySet<string>): Meant {
    const isMeant: Meant = ({ tools, capabilities, codeHash }) => {
      if (tool !== undefined) return tools.some(({ id }) => id === tool);
      if (capability !== undefined) return capabilities.includes(capability) || codeHashes.has(codeHash);
      return true;
    };
    this.#count += 1;
    this.#recent.push(isMeant);
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
    return isMeant;
  }

  /** Whether a result was meant by what came after `since`, or is by a call that has not ended. */
  hasMeant(result: CachedResult, since: Mark): boolean {
    if (this.writes.mayHaveChanged(result.servers, since.writes)) return true;
    const after = this.#count - since.dropped;
    if (after > this.#recent.length) return true;
    return after > 0 && this.#recent.slice(-after).some((isMeant) => isMeant(result));
  }
}
