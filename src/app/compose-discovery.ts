/**
 * Builds what finds tools and capabilities for an intent, and what counts how well.
 *
 * @module
 */
import { LexicalMatcher } from "../discovery/lexical-matcher.js";
import type { IntentOptions } from "../execution/intent-execution.js";
import { SuggestionStats } from "../execution/suggestion-stats.js";
import type { WireNameOf } from "../execution/suggestions.js";
import type { ToolBox } from "../execution/tool-box.js";
import type { CapabilityDirectory } from "../registry/capability-directory.js";

export interface Discovery {
  /** What the executor needs of it. */
  readonly intents: IntentOptions & { readonly suggestionStats: SuggestionStats };
  /** Tells what clients call tools by, once there is a list of them. */
  nameTools(wireNameOf: WireNameOf): void;
  stop(): void;
}

export function composeDiscovery(directory: CapabilityDirectory, tools: Pick<ToolBox, "tools">): Discovery {
  const matcher = new LexicalMatcher({ directory, tools: () => tools.tools() });
  let names: WireNameOf | undefined;
  return {
    intents: {
      matcher,
      suggestionStats: new SuggestionStats(),
      wireNameOf: async (id) => names?.(id),
    },
    nameTools(wireNameOf) {
      names = wireNameOf;
    },
    stop: () => matcher.stop(),
  };
}
