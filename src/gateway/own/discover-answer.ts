/**
 * What `pml_discover` answers, as it stands in `structuredContent`.
 *
 * @module
 */
import { z } from "zod";
import type { Json } from "../../base/canonical-json.js";
import type { RelatedItem } from "../../execution/ports/execute-answer.js";
import type { ParametersSchema } from "../../registry/capability.js";
import type { Dag, ToolDelegate } from "../../registry/definition.js";
import { given, list, withWarnings } from "../operation.js";

const discovered = {
  /** `server:tool`, or the FQDN of a capability, which never changes. */
  id: z.string(),
  /**
   * What to call it by. Of a tool: what clients call it by; with exposure `lean`, what code calls it by. Of a capability:
   * in code, as `capability` of `pml_execute`, or as a tool; with its scope, where it is another.
   */
  name: z.string(),
  /** Between 0 and 1; means the same from one intent to the next. */
  score: z.number(),
  /** One line, cut short. */
  description: z.string(),
  /** How code calls it, in TypeScript. */
  signature: z.string(),
  /** Why it was found. */
  why: z.string(),
  /** The step that it is for, in a few words, where the intent has several steps. */
  for: z.string().exactOptional(),
};

const discoveredTool = z.strictObject({
  type: z.literal("tool"),
  ...discovered,
  /** With `detail: "full"`, as far as there is room. */
  inputSchema: given<Json>().exactOptional(),
  /** As its server declares it, or as its results have been so far. */
  outputSchema: given<Json>().exactOptional(),
});

export type DiscoveredSource =
  | { readonly type: "code"; readonly code: string; readonly note?: string }
  | ({ readonly type: "dag" } & Partial<Dag> & { readonly note?: string })
  | ({ readonly type: "tool" } & ToolDelegate);

const discoveredCapability = z.strictObject({
  type: z.literal("capability"),
  ...discovered,
  /** `user@org` who made it, where it is of another project. */
  owner: z.string().exactOptional(),
  usage_count: z.int(),
  /** Between 0 and 1; 0 where it was never used. */
  success_rate: z.number(),
  trust: z.enum(["unproven", "provisional", "verified", "suspect", "degraded"]),
  /** Which of its tools changed or are gone, where that is why it is not trusted; with `detail: "full"`. */
  trust_reason: z.string().exactOptional(),
  /** With `detail: "full"`. */
  parameters: given<ParametersSchema>().exactOptional(),
  /** With `detail: "full"`: what its newest version is made of. */
  source: given<DiscoveredSource>().exactOptional(),
});

const discoveredItem = z.discriminatedUnion("type", [discoveredTool, discoveredCapability]);

/** `pml_discover`: one page, best first. */
export const discoverAnswer = z.strictObject({
  results: list(discoveredItem),
  /** Where the next page begins; left out on the last one. */
  next_offset: z.int().exactOptional(),
  /**
   * Set where this was ranked by words alone, or mostly: the model that knows meanings has not answered in time, or more
   * than a tenth of what could be found has no vector yet.
   */
  ranking: z.literal("words").exactOptional(),
  /** How many more were found and score too low to be shown; left out where `filter.minScore` is given. */
  left_out: z.int().exactOptional(),
  /** Says so where nothing fits the intent, or one of its steps. */
  note: z.string().exactOptional(),
  /** What to do where nothing was found, nothing that fits well, or where results were left out. */
  hint: z.string().exactOptional(),
  /** What goes with what was found, where that was asked for. */
  related: list(given<RelatedItem>()).exactOptional(),
  ...withWarnings,
});

export type DiscoveredTool = z.infer<typeof discoveredTool>;
export type DiscoveredCapability = z.infer<typeof discoveredCapability>;
export type DiscoveredItem = z.infer<typeof discoveredItem>;
export type DiscoverAnswer = z.infer<typeof discoverAnswer>;
