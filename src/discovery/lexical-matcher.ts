/**
 * Finds tools and capabilities by the words of an intent: at once, offline, and with nothing to load.
 *
 * What has changed is taken over when somebody asks next, a part at a time, so that a hundred thousand capabilities
 * that are read from the store hold nobody else up.
 *
 * @module
 */
import type { CapabilityDirectory } from "../registry/capability-directory.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { Match, Matcher, MatchOptions } from "../registry/matcher.js";
import type { Scope } from "../registry/scope.js";
import type { ToolId } from "../registry/tool-id.js";
import { canSee } from "../registry/visibility.js";
import { capabilityText, isSameText, type MatchableTool, toolText } from "./matchable.js";
import { alikeness, phraseOf } from "./phrase.js";
import { type Found, WordIndex } from "./word-index.js";

export interface MatcherSources {
  readonly directory: CapabilityDirectory;
  /** The same list, as the same object, until something changed. */
  readonly tools: () => readonly MatchableTool[];
}

/** A few milliseconds. */
const AT_ONCE = 200;

export class LexicalMatcher implements Matcher {
  readonly #sources: MatcherSources;
  readonly #tools = new WordIndex<ToolId>();
  readonly #capabilities = new WordIndex<Fqdn>();
  /** The hash of each tool of the last list. */
  readonly #hashes = new Map<ToolId, string>();
  /** What the indexes do not have yet; a tool that is gone is nothing. */
  readonly #changedTools = new Map<ToolId, MatchableTool | undefined>();
  readonly #changed = new Set<Fqdn>();
  readonly #stopListening: () => void;
  #list: readonly MatchableTool[] = [];

  constructor(sources: MatcherSources) {
    this.#sources = sources;
    const { directory } = sources;
    for (const { fqdn } of directory.all()) this.#changed.add(fqdn);
    this.#stopListening = directory.onChange(({ before, after }) => {
      const fqdn = (after ?? before)?.fqdn;
      if (fqdn === undefined || (before && after && isSameText(before, after))) return;
      this.#changed.add(fqdn);
    });
  }

  async match(intent: string, scope: Scope, { kind, limit }: MatchOptions): Promise<readonly Match[]> {
    await this.#takeOver();
    const { directory } = this.#sources;
    const isSeen = (fqdn: Fqdn) => {
      const capability = directory.get(fqdn);
      return capability !== undefined && canSee(capability, scope);
    };
    const tools = kind === "capability" ? [] : this.#tools.search(intent, { limit, accepts: () => true });
    const capabilities = kind === "tool" ? [] : this.#capabilities.search(intent, { limit, accepts: isSeen });
    const matches: readonly Match[] = [
      ...capabilities.map((found): Match => ({ kind: "capability", id: found.key, ...judged(found) })),
      ...tools.map((found): Match => ({ kind: "tool", id: found.key, ...judged(found) })),
    ];
    // The sort is stable: of two that are as good the capability, which is known to work, stands first.
    return matches.toSorted((a, b) => b.score - a.score).slice(0, limit);
  }

  similarity(one: string, other: string): number {
    return alikeness(phraseOf(one), phraseOf(other));
  }

  stop(): void {
    this.#stopListening();
  }

  async #takeOver(): Promise<void> {
    this.#compareTools();
    let done = 0;
    const pause = async () => {
      done += 1;
      if (done % AT_ONCE === 0) await new Promise(setImmediate);
    };
    // Each is taken over in one step: whoever asks meanwhile goes on with what is left, and waits for nobody.
    for (const [id, tool] of this.#changedTools) {
      this.#changedTools.delete(id);
      if (tool === undefined) this.#tools.remove(id);
      else this.#tools.put(id, toolText(tool));
      await pause();
    }
    for (const fqdn of this.#changed) {
      this.#changed.delete(fqdn);
      const capability = this.#sources.directory.get(fqdn);
      if (capability === undefined) this.#capabilities.remove(fqdn);
      else this.#capabilities.put(fqdn, capabilityText(capability));
      await pause();
    }
  }

  #compareTools(): void {
    const tools = this.#sources.tools();
    if (tools === this.#list) return;
    this.#list = tools;
    const gone = new Set(this.#hashes.keys());
    for (const tool of tools) {
      gone.delete(tool.id);
      if (this.#hashes.get(tool.id) === tool.hash) continue;
      this.#hashes.set(tool.id, tool.hash);
      this.#changedTools.set(tool.id, tool);
    }
    for (const id of gone) {
      this.#hashes.delete(id);
      this.#changedTools.set(id, undefined);
    }
  }
}

function judged({ score, words, isSaid }: Found<unknown>): Pick<Match, "score" | "reason"> {
  const reason = isSaid ? "says nearly the same" : `has ${words.slice(0, 8).join(", ")}`;
  return { score: Math.round(score * 1_000) / 1_000, reason };
}
