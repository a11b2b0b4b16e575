/**
 * The answer of `cap_curate` in `structuredContent`.
 *
 * @module
 */
import { z } from "zod";
import type { ErrorShape } from "../../base/pml-error.js";
import { given, list, withWarnings } from "../operation.js";

const text = z.string();

/** One suggested name. */
const nameSuggestionRow = z.strictObject({
  /** UUID of the pattern; `apply` accepts it, like any other form of the name. */
  id: text,
  currentName: text,
  suggestedName: text,
  /** Between 0 and 1; `auto` applies names above 0.8. */
  confidence: z.number(),
  /** Why this name. */
  reasoning: text,
  /** What the code does. */
  description: text,
  tags: list(text),
  /** The model that suggested it; absent if heuristics did. */
  by: text.exactOptional(),
  /** Names of capabilities with the same structure and other literals. */
  near: list(text).exactOptional(),
  /** Present for doubtful names, or with `detail: "full"`: the intent, the calls and the truncated code. */
  intent: text.exactOptional(),
  tools: list(text).exactOptional(),
  code: text.exactOptional(),
  /** With `detail: "full"`. */
  usageCount: z.int().exactOptional(),
  /**
   * With `detail: "full"`: how well the namespace follows from the tools, how clearly intent and code agree, and
   * whether the name is free, short and unlike others.
   */
  parts: z.strictObject({ tools: z.number(), intent: z.number(), uniqueness: z.number() }).exactOptional(),
});

/** `cap_curate` with mode `suggest`. */
const suggestAnswer = z.strictObject({
  mode: z.literal("suggest"),
  suggestions: list(nameSuggestionRow),
  /** The count over all pages. */
  total: z.int(),
  /** The offset of the next page; absent on the last one. */
  next_offset: z.int().exactOptional(),
  /** The suggested next step. */
  hint: text.exactOptional(),
  ...withWarnings,
});

const appliedName = z.strictObject({
  id: text,
  /** The former name, which stays as an alias. */
  from: text,
  name: text,
  confidence: z.number(),
  by: text.exactOptional(),
});

const nameLeft = z.strictObject({
  id: text,
  currentName: text,
  suggestedName: text,
  confidence: z.number(),
  why: text,
});

/** `cap_curate` with mode `auto`. */
const autoAnswer = z.strictObject({
  mode: z.literal("auto"),
  applied: list(appliedName),
  /** The first of those that keep their name. */
  left: list(nameLeft),
  left_total: z.int(),
  /** How many more match the filter and were not processed: call again. */
  others: z.int().exactOptional(),
  ...withWarnings,
});

/** The result of one rename; `id` is as given, `fqdn` never changes. */
const renameResult = z.strictObject({
  id: text,
  ok: z.boolean(),
  from: text.exactOptional(),
  name: text.exactOptional(),
  fqdn: text.exactOptional(),
  error: given<ErrorShape>().exactOptional(),
});

/** `cap_curate` with mode `apply`; results in the order of the renames. */
const applyAnswer = z.strictObject({
  mode: z.literal("apply"),
  results: list(renameResult),
  applied: z.int(),
  failed: z.int(),
  ...withWarnings,
});

export const curateAnswers = z.union([suggestAnswer, autoAnswer, applyAnswer]);

export type NameSuggestionRow = z.infer<typeof nameSuggestionRow>;
export type SuggestAnswer = z.infer<typeof suggestAnswer>;
export type AppliedName = z.infer<typeof appliedName>;
export type NameLeft = z.infer<typeof nameLeft>;
export type AutoAnswer = z.infer<typeof autoAnswer>;
export type RenameResult = z.infer<typeof renameResult>;
export type ApplyAnswer = z.infer<typeof applyAnswer>;
