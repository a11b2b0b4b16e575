import { z } from "zod";
import { LIMITS } from "../../base/limits.js";
import { errorShape, PmlError } from "../../base/pml-error.js";
import type { CurationFilter } from "../../curation/curation-filter.js";
import type { Curating, Curator, GivenName, Suggested } from "../../curation/curator.js";
import type { NameModel } from "../../curation/name-model.js";
import { isSure } from "../../curation/name-suggestion.js";
import { type Sample, SampledAnswers } from "../../curation/sample.js";
import type { Caller } from "../../mcp/real-servers.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { Scope } from "../../registry/scope.js";
import { canSee } from "../../registry/visibility.js";
import { BRIEF, operation, Question } from "../operation.js";
import { warned } from "./capability-view.js";
import {
  type ApplyAnswer,
  type AutoAnswer,
  curateAnswers,
  type NameSuggestionRow,
  type RenameResult,
  type SuggestAnswer,
} from "./curate-answer.js";

/** The models that refine names, if any is configured. */
export interface CurationModels {
  /** The configured model. */
  readonly model?: NameModel | undefined;
  /** Present if the model of the calling client is to be used. */
  readonly sampling?: ((sample: Sample) => NameModel) | undefined;
}

export interface CurateParts {
  readonly curator: Curator;
  readonly registry: CapabilityRegistry;
  readonly models: CurationModels;
}

const PAGE = 20;
const PAGE_MOST = 200;
const LEFT_SHOWN = 50;
const NEAR_SHOWN = 5;
const TAG_CHARS = 50;
const TAGS = 20;
const STATE = "cap_curate";
const HOW =
  'cap_curate { "mode": "apply", "renames": [{ "id", "name" }] } applies these, or names of your own.';

const schema = z.strictObject({
  mode: z
    .enum(["suggest", "auto", "apply"])
    .optional()
    .describe("suggest (default), auto: apply suggestions over 0.8, apply: apply renames"),
  filter: z
    .strictObject({
      unnamed_only: z.boolean().optional().describe("default true"),
      min_usage: z.int().min(0).optional(),
      namespace: z.string().min(1).optional(),
    })
    .optional()
    .meta({ ...BRIEF, description: "{unnamed_only: true, min_usage: 2, namespace: 'fs'}" }),
  renames: z
    .array(
      z.strictObject({
        id: z.string().min(1).describe("Id, or any form of its name"),
        name: z.string().describe("namespace:verb_object"),
        currentName: z.string().optional().describe("Skipped if its current name is not this one"),
        description: z.string().max(LIMITS.intentChars).optional(),
        tags: z.array(z.string().min(1).max(TAG_CHARS)).max(TAGS).optional(),
      }),
    )
    .min(1)
    .max(LIMITS.curationRenames)
    .optional()
    .meta({
      ...BRIEF,
      description: "With apply: [{id, name: 'namespace:verb_object', currentName, description, tags}]",
    }),
  limit: z.int().min(1).max(LIMITS.curationAtOnce).optional().describe(`default ${PAGE}`),
  offset: z.int().min(0).optional(),
  detail: z.enum(["compact", "full"]).optional().describe("full adds code"),
});

type Wanted = z.infer<typeof schema>;

/** `cap_curate`: suggests names for unnamed capabilities. */
export const capCurate = operation({
  id: "cap:curate",
  who: "agent",
  title: "Name capabilities",
  summary:
    "Name capabilities that have no name yet: suggest names, or apply them. Old names stay as aliases.",
  input: schema,
  output: curateAnswers,
  shown: ({ curate: { models } }: { readonly curate: CurateParts }) => ({
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      openWorldHint: models.model !== undefined || models.sampling !== undefined,
    },
  }),
  run:
    ({ curate: parts }) =>
    async (input, scope, caller) => {
      const wanted = checked(input);
      if (wanted.mode === "apply") return apply(parts, wanted, scope, caller);
      return await withModel(parts.models, caller, async (refining, isAsking) => {
        const curating: Curating = { ...refining, scope, signal: caller.signal, onBatch: progressOf(caller) };
        return wanted.mode === "auto"
          ? await auto(parts, wanted, curating, isAsking)
          : await suggest(parts, wanted, curating);
      });
    },
  failed: (answer) => answer.mode === "apply" && answer.applied === 0,
});

/** Rejects contradictory arguments instead of ignoring them. */
function checked(wanted: Wanted): Wanted & { readonly mode: NonNullable<Wanted["mode"]> } {
  const { mode = "suggest", renames, filter, limit, offset, detail } = wanted;
  const without = (what: string, value: unknown) =>
    value === undefined ? [] : [`${what} cannot be combined with ${mode}`];
  const problems =
    mode === "apply"
      ? [
          ...(renames === undefined ? ["renames is missing"] : []),
          ...without("filter", filter),
          ...without("limit", limit),
          ...without("offset", offset),
          ...without("detail", detail),
        ]
      : [
          ...without("renames", renames),
          ...(mode === "auto" ? [...without("offset", offset), ...without("detail", detail)] : []),
          ...(mode === "suggest" && limit !== undefined && limit > PAGE_MOST
            ? [`limit: suggest takes ${PAGE_MOST} at most`]
            : []),
        ];
  if (problems.length === 0) return { ...wanted, mode };
  throw new PmlError("ARGUMENTS_INVALID", `Cannot call cap_curate: ${problems.join("; ")}`, {
    hint: 'apply takes renames, such as [{ "id": "unnamed_1a2b3c4d", "name": "fs:read_json" }]; suggest and auto take a filter.',
  });
}

function filterOf({ filter = {} }: Wanted): CurationFilter {
  return { unnamedOnly: filter.unnamed_only, minUsage: filter.min_usage, namespace: filter.namespace };
}

/**
 * Asks the client's own model in a first round of the same request, which changes nothing. Questions without an answer
 * in the second round are not asked again.
 */
async function withModel<Answer>(
  { model, sampling }: CurationModels,
  caller: Caller,
  work: (refining: Pick<Curating, "model" | "patience">, isAsking: boolean) => Promise<Answer>,
): Promise<Answer | Question> {
  if (sampling === undefined || caller.capabilities.sampling === undefined)
    return await work({ model }, false);
  const isAsking = caller.input === undefined;
  const answers = new SampledAnswers(caller.input?.responses ?? {});
  const patience = LIMITS.curationQuestions;
  const answer = await work({ model: sampling(answers.sample), patience }, isAsking);
  if (!isAsking) return answer;
  if (answers.open.size === 0) return await work({ model: sampling(answers.sample), patience }, false);
  const asked = [...answers.open].map(([key, params]) => [key, { method: "sampling/createMessage", params }]);
  return new Question({
    resultType: "input_required",
    inputRequests: Object.fromEntries(asked),
    requestState: STATE,
  });
}

function progressOf({ onProgress }: Caller): Curating["onBatch"] {
  if (onProgress === undefined) return undefined;
  return (progress, total) => onProgress({ progress, total });
}

async function suggest(parts: CurateParts, wanted: Wanted, curating: Curating): Promise<SuggestAnswer> {
  const { limit = PAGE, offset = 0, detail = "compact" } = wanted;
  const page = await parts.curator.suggest(filterOf(wanted), { offset, limit }, curating);
  const { items, total, problems } = page;
  const isFull = detail === "full";
  const shown = isFull ? items : items.filter(({ suggestion }) => !isSure(suggestion));
  const codes = new Map(await parts.curator.codes(shown.map(({ capability }) => capability)));
  for (const { capability } of shown) {
    const hidden = await parts.registry.hiddenNames(capability.dependencies, curating.scope);
    const code = codes.get(capability.fqdn);
    if (code !== undefined) codes.set(capability.fqdn, hidden.in(code));
  }
  return {
    mode: "suggest",
    suggestions: items.map((item) => rowOf(item, parts.registry, curating.scope, codes, isFull)),
    total,
    ...(offset + limit < total ? { next_offset: offset + limit } : {}),
    ...(items.length === 0 ? {} : { hint: HOW }),
    ...warned(problems),
  };
}

function rowOf(
  { capability, suggestion }: Suggested,
  { directory }: CapabilityRegistry,
  scope: Scope,
  codes: ReadonlyMap<Fqdn, string>,
  isFull: boolean,
): NameSuggestionRow {
  const near = suggestion.near.flatMap((fqdn) => {
    const other = directory.get(fqdn as Fqdn);
    return other === undefined || !canSee(other, scope) ? [] : [other.displayName];
  });
  const code = codes.get(capability.fqdn);
  const most = isFull ? LIMITS.curationCodeMostChars : LIMITS.curationCodeChars;
  return {
    id: capability.id,
    currentName: capability.displayName,
    suggestedName: suggestion.name,
    confidence: rounded(suggestion.confidence),
    reasoning: suggestion.reasons.join("; "),
    description: suggestion.description,
    tags: suggestion.tags,
    ...byOf(suggestion.by),
    ...(near.length === 0 ? {} : { near: near.slice(0, isFull ? near.length : NEAR_SHOWN) }),
    ...(code === undefined
      ? {}
      : { intent: capability.intent, tools: capability.toolsUsed, code: cut(code, most) }),
    ...(isFull ? { usageCount: capability.usageCount, parts: suggestion.parts } : {}),
  };
}

async function auto(
  { curator }: CurateParts,
  wanted: Wanted,
  curating: Curating,
  isAsking: boolean,
): Promise<AutoAnswer> {
  const { limit = LIMITS.curationAtOnce } = wanted;
  if (isAsking) {
    const candidates = await curator.candidates(filterOf(wanted), curating.scope);
    await curator.prepare(candidates.slice(0, limit), { ...curating, onBatch: undefined });
    return { mode: "auto", applied: [], left: [], left_total: 0 };
  }
  const { applied, left, others, problems } = await curator.auto(filterOf(wanted), limit, curating);
  return {
    mode: "auto",
    applied: applied.map(({ capability, suggestion, from }) => ({
      id: capability.id,
      from,
      name: capability.displayName,
      confidence: rounded(suggestion.confidence),
      ...byOf(suggestion.by),
    })),
    left: left.slice(0, LEFT_SHOWN).map(({ capability, suggestion, why }) => ({
      id: capability.id,
      currentName: capability.displayName,
      suggestedName: suggestion.name,
      confidence: rounded(suggestion.confidence),
      why,
    })),
    left_total: left.length,
    ...(others === 0 ? {} : { others }),
    ...warned(problems),
  };
}

async function apply(
  { curator }: CurateParts,
  { renames = [] }: Wanted,
  scope: Scope,
  caller: Caller,
): Promise<ApplyAnswer> {
  const given = renames.map(({ id, ...rest }): GivenName => ({ reference: id, ...rest }));
  const outcomes = await curator.apply(given, caller.byPerson === true ? "user" : "agent", {
    scope,
    signal: caller.signal,
    onBatch: progressOf(caller),
  });
  const results = outcomes.map((outcome, at): RenameResult => {
    const id = given[at]?.reference ?? "";
    if (outcome.kind === "failed") return { id, ok: false, error: errorShape(outcome.error) };
    const { displayName: name, fqdn } = outcome.capability;
    return { id, ok: true, from: outcome.from, name, fqdn };
  });
  const applied = results.filter(({ ok }) => ok).length;
  return { mode: "apply", results, applied, failed: results.length - applied };
}

function byOf(by: string): { readonly by?: string } {
  return by === "heuristics" ? {} : { by };
}

/** Rounds down, so that a shown confidence is never higher than the real one. */
function rounded(confidence: number): number {
  return Math.floor(confidence * 1_000) / 1_000;
}

function cut(code: string, most: number): string {
  return code.length <= most ? code : `${code.slice(0, most)}…`;
}
