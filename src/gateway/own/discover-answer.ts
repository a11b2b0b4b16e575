/**
 * What `pml_discover` answers, as it stands in `structuredContent`.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import type { RelatedItem } from "../../execution/ports/execute-answer.js";
import type { ParametersSchema, TrustState } from "../../registry/capability.js";
import type { Dag, ToolDelegate } from "../../registry/definition.js";
import type { WithWarnings } from "./answers.js";

interface Discovered {
  /** Between 0 and 1; means the same from one intent to the next. */
  readonly score: number;
  /** One line, cut short. */
  readonly description: string;
  /** How code calls it, in TypeScript. */
  readonly signature: string;
  /** Why it was found. */
  readonly why: string;
}

export interface DiscoveredTool extends Discovered {
  readonly type: "tool";
  /** `server:tool`. */
  readonly id: string;
  /** What clients call it by; with exposure `lean`, what code calls it by. */
  readonly name: string;
  /** With `detail: "full"`, as far as there is room. */
  readonly inputSchema?: Json;
  /** As its server declares it, or as its results have been so far. */
  readonly outputSchema?: Json;
}

export interface DiscoveredCapability extends Discovered {
  readonly type: "capability";
  /** The FQDN: it never changes. */
  readonly id: string;
  /** What to call it by, in code, as `capability` of `pml_execute`, or as a tool; with its scope, where it is another. */
  readonly name: string;
  /** `user@org` who made it, where it is of another project. */
  readonly owner?: string;
  readonly usage_count: number;
  /** Between 0 and 1; 0 where it was never used. */
  readonly success_rate: number;
  readonly trust: TrustState;
  /** Which of its tools changed or are gone, where that is why it is not trusted; with `detail: "full"`. */
  readonly trust_reason?: string;
  /** With `detail: "full"`. */
  readonly parameters?: ParametersSchema;
  /** With `detail: "full"`: what its newest version is made of. */
  readonly source?: DiscoveredSource;
}

export type DiscoveredSource =
  | { readonly type: "code"; readonly code: string; readonly note?: string }
  | ({ readonly type: "dag" } & Partial<Dag> & { readonly note?: string })
  | ({ readonly type: "tool" } & ToolDelegate);

export type DiscoveredItem = DiscoveredTool | DiscoveredCapability;

/** `pml_discover`: one page, best first. */
export interface DiscoverAnswer extends WithWarnings {
  readonly results: readonly DiscoveredItem[];
  /** Where the next page begins; left out on the last one. */
  readonly next_offset?: number;
  /**
   * Set where this was ranked by words alone, or mostly: the model that knows meanings has not answered in time, or more
   * than a tenth of what could be found has no vector yet.
   */
  readonly ranking?: "words";
  /** How many more were found and score too low to be shown; left out where `filter.minScore` is given. */
  readonly left_out?: number;
  /** Says so where nothing fits. */
  readonly note?: string;
  /** What to do where nothing was found, or nothing that fits well. */
  readonly hint?: string;
  /** What goes with what was found, where that was asked for. */
  readonly related?: readonly RelatedItem[];
}
