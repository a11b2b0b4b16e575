/**
 * What `cap_curate` answers, as it stands in `structuredContent`.
 *
 * @module
 */
import { z } from "zod";
import type { ErrorShape } from "../../base/pml-error.js";
import { given, list, withWarnings } from "../operation.js";

const text = z.string();

/** One name that was thought of. */
const nameSuggestionRow = z.strictObject({
  /** UUID of the pattern: what `apply` takes, like any other form of the name. */
  id: text,
  currentName: text,
  suggestedName: text,
  /** Between 0 and 1; `auto` applies what is over 0.8. */
  confidence: z.number(),
  /** Why this name. */
  reasoning: text,
  /** What the code does. */
  description: text,
  tags: list(text),
  /** The model that thought of it; heuristics did where it is left out. */
  by: text.exactOptional(),
  /** What these are called now: the same structure, other literals. */
  near: list(text).exactOptional(),
  /** Where one has to look closer, or with `detail: "full"`: what it was run for, what it calls, and its code, cut. */
  intent: text.exactOptional(),
  tools: list(text).exactOptional(),
  code: text.exactOptional(),
  /** With `detail: "full"`. */
  usageCount: z.int().exactOptional(),
  /** With `detail: "full"`: how well the namespace follows from the tools, how clearly intent and code say the same, and
   * whether the name is free, short, and no other's. */
  parts: z.strictObject({ tools: z.number(), intent: z.number(), uniqueness: z.number() }).exactOptional(),
});

/** `cap_curate` with mode `suggest`. */
const suggestAnswer = z.strictObject({
  mode: z.literal("suggest"),
  suggestions: list(nameSuggestionRow),
  /** On all pages together. */
  total: z.int(),
  /** Where the next page begins; left out on the last one. */
  next_offset: z.int().exactOptional(),
  /** What to do with them. */
  hint: text.exactOptional(),
  ...withWarnings,
});

const appliedName = z.strictObject({
  id: text,
  /** What it was called, and still answers to. */
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
  /** The first of those that keep the name that they have. */
  left: list(nameLeft),
  left_total: z.int(),
  /** How many fit the filter and were not looked at: call again. */
  others: z.int().exactOptional(),
  ...withWarnings,
});

/** What became of one of the renames; `id` is as it was given, `fqdn` never changes. */
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
