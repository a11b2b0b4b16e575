/**
 * The answer of `pml_discover` in `structuredContent`.
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
   * The name to call it by. For a tool: the client's name for it; with exposure `lean`, the name in code. For a
   * capability: the name in code, as `capability` of `pml_execute`, or as a tool; with its scope, if that is another
   * one.
   */
  name: z.string(),
  /** Between 0 and 1, on the same scale for every intent. */
  score: z.number(),
  /** One line, truncated. */
  description: z.string(),
  /** The TypeScript signature for calls from code. */
  signature: z.string(),
  /** Why it was found. */
  why: z.string(),
  /** The step that it matches, in a few words, if the intent has several steps. */
  for: z.string().exactOptional(),
};

const discoveredTool = z.strictObject({
  type: z.literal("tool"),
  ...discovered,
  /** With `detail: "full"`, as far as there is room. */
  inputSchema: given<Json>().exactOptional(),
  /** As declared by its server, or as observed in its results. */
  outputSchema: given<Json>().exactOptional(),
});

export type DiscoveredSource =
  | { readonly type: "code"; readonly code: string; readonly note?: string }
  | ({ readonly type: "dag" } & Partial<Dag> & { readonly note?: string })
  | ({ readonly type: "tool" } & ToolDelegate);

const discoveredCapability = z.strictObject({
  type: z.literal("capability"),
  ...discovered,
  /** Its creator as `user@org`, if it belongs to another project. */
  owner: z.string().exactOptional(),
  usage_count: z.int(),
  /** Between 0 and 1; 0 if it was never used. */
  success_rate: z.number(),
  trust: z.enum(["unproven", "provisional", "verified", "suspect", "degraded"]),
  /** Which of its tools changed or are gone, if that reduces trust; with `detail: "full"`. */
  trust_reason: z.string().exactOptional(),
  /** With `detail: "full"`. */
  parameters: given<ParametersSchema>().exactOptional(),
  /** With `detail: "full"`: the definition of its newest version. */
  source: given<DiscoveredSource>().exactOptional(),
});

const discoveredItem = z.discriminatedUnion("type", [discoveredTool, discoveredCapability]);

/** `pml_discover`: one page, best first. */
export const discoverAnswer = z.strictObject({
  results: list(discoveredItem),
  /** The offset of the next page; absent on the last one. */
  next_offset: z.int().exactOptional(),
  /**
   * Present if the ranking used words alone, or mostly: the embedding model has not answered in time, or more than a
   * tenth of the candidates have no vector yet.
   */
  ranking: z.literal("words").exactOptional(),
  /** How many more results have too low a score to be shown; absent if `filter.minScore` is given. */
  left_out: z.int().exactOptional(),
  /** Present if nothing matches the intent, or one of its steps. */
  note: z.string().exactOptional(),
  /** The suggested next step if nothing was found, nothing matches well, or results were omitted. */
  hint: z.string().exactOptional(),
  /** Items related to the results, if requested. */
  related: list(given<RelatedItem>()).exactOptional(),
  ...withWarnings,
});

export type DiscoveredTool = z.infer<typeof discoveredTool>;
export type DiscoveredCapability = z.infer<typeof discoveredCapability>;
export type DiscoveredItem = z.infer<typeof discoveredItem>;
export type DiscoverAnswer = z.infer<typeof discoverAnswer>;
