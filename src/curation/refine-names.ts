/**
 * Refines the heuristics' names with a model. A wrong or missing answer never makes a suggestion worse: the problem is
 * reported, and the suggestion stays.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { messageOf } from "../base/pml-error.js";
import { visible } from "../base/visible-text.js";
import { foldDisplayName } from "../registry/display-name.js";
import { type Asked, checkAnswer } from "./check-answer.js";
import { nameBrief } from "./name-brief.js";
import type { NameModel, NamingAnswer, NamingBrief } from "./name-model.js";
import type { NameSuggestion, TakenNames } from "./name-suggestion.js";
import type { NamingSubject } from "./naming-subject.js";

export interface RefineOptions {
  readonly signal: AbortSignal;
  /** The time limit of one batch, including all attempts. */
  readonly batchMs?: number;
  /** After this many failed batches the model is no longer asked. */
  readonly failures?: number;
}

export interface RefinedNames {
  /** In the order of the input. */
  readonly suggestions: readonly NameSuggestion[];
  /** Problems for a person, without duplicates. */
  readonly problems: readonly string[];
}

const BATCH = 5;
const FAILURES = 2;
const PROBLEM_CHARS = 300;

export async function refineNames(
  subjects: readonly NamingSubject[],
  suggestions: readonly NameSuggestion[],
  model: NameModel,
  taken: TakenNames,
  { signal, batchMs = LIMITS.nameModelMs, failures = FAILURES }: RefineOptions,
): Promise<RefinedNames> {
  const subjectOf = new Map(subjects.map((subject) => [subject.id, subject]));
  const asked = suggestions.flatMap((suggestion): readonly Asked[] => {
    const subject = subjectOf.get(suggestion.id);
    return subject === undefined ? [] : [{ subject, suggestion }];
  });
  const problems = new Set<string>();
  const tell = (problem: string): void => {
    problems.add(`${model.name}: ${visible(problem).slice(0, PROBLEM_CHARS)}`);
  };
  const chosen = new ChosenNames(suggestions, taken);
  let failed = 0;
  for (let start = 0; start < asked.length; start += BATCH) {
    if (signal.aborted) break;
    if (failed >= failures) {
      tell(`The model was not asked about the other ${asked.length - start} after ${failed} failures`);
      break;
    }
    const batch = asked.slice(start, start + BATCH);
    const briefs = batch.map(({ subject, suggestion }, index) =>
      nameBrief(`${index + 1}`, subject, suggestion),
    );
    try {
      const answers = await askWithin(model, briefs, signal, batchMs);
      const told = answers.map((answer) => withVariant(answer, briefs, batch));
      for (const problem of take(batch, told, model.name, chosen)) tell(problem);
    } catch (error) {
      if (signal.aborted) break;
      failed += 1;
      tell(messageOf(error));
    }
  }
  return { suggestions: chosen.suggestions(), problems: [...problems] };
}

/** A model that ignores the signal is not waited for either. */
async function askWithin(
  model: NameModel,
  briefs: readonly NamingBrief[],
  signal: AbortSignal,
  batchMs: number,
): Promise<readonly NamingAnswer[]> {
  const late = AbortSignal.timeout(batchMs);
  const until = AbortSignal.any([signal, late]);
  let stop = (): void => {};
  const over = new Promise<never>((_, reject) => {
    stop = () => reject(new Error(`It did not answer within ${batchMs} ms`));
    until.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([model.refine(briefs, until), over]);
  } catch (error) {
    throw late.aborted ? new Error(`It did not answer within ${batchMs} ms`) : error;
  } finally {
    until.removeEventListener("abort", stop);
  }
}

/** Near-duplicates differ in values that a model does not see: their variants are added again. */
function withVariant(
  answer: NamingAnswer,
  briefs: readonly NamingBrief[],
  batch: readonly Asked[],
): NamingAnswer {
  const index = briefs.findIndex(({ key }) => key === answer.key);
  const suggestion = batch[index]?.suggestion;
  if (suggestion === undefined || suggestion.near.length === 0) return answer;
  const shown = new Set([...(briefs[index]?.suggestedName ?? "").split("_"), ...answer.name.split("_")]);
  const hidden = suggestion.name.split("_").filter((token) => !shown.has(token));
  return { ...answer, name: [answer.name, ...hidden].join("_") };
}

/** Takes over valid answers; returns the problems of the others. */
function take(
  batch: readonly Asked[],
  answers: readonly NamingAnswer[],
  model: string,
  chosen: ChosenNames,
): readonly string[] {
  return batch.flatMap((asked, index) => {
    const { suggestion } = asked;
    const answer = answers.find(({ key }) => key === `${index + 1}`);
    if (answer === undefined) return [`It did not answer for ${suggestion.name}`];
    const checked = checkAnswer(asked, answer, model, (name) => chosen.isHeld(name, suggestion));
    if ("problem" in checked) return [`${suggestion.name} stays: ${checked.problem}`];
    chosen.replace(suggestion, checked);
    return [];
  });
}

/** The current suggestions. Names are unique, and the heuristics' names count until they are replaced. */
class ChosenNames {
  readonly #taken: TakenNames;
  readonly #byId: Map<string, NameSuggestion>;
  readonly #folds: Map<string, number>;

  constructor(suggestions: readonly NameSuggestion[], taken: TakenNames) {
    this.#taken = taken;
    this.#byId = new Map(suggestions.map((suggestion) => [suggestion.id, suggestion]));
    this.#folds = new Map();
    for (const { name } of suggestions) this.#count(name, 1);
  }

  suggestions(): readonly NameSuggestion[] {
    return [...this.#byId.values()];
  }

  isHeld(name: string, { name: own }: NameSuggestion): boolean {
    if (foldDisplayName(name) === foldDisplayName(own)) return name !== own;
    return (this.#folds.get(foldDisplayName(name)) ?? 0) > 0 || this.#taken.isTaken(name);
  }

  replace(before: NameSuggestion, after: NameSuggestion): void {
    this.#byId.set(after.id, after);
    this.#count(before.name, -1);
    this.#count(after.name, 1);
  }

  #count(name: string, change: number): void {
    const fold = foldDisplayName(name);
    this.#folds.set(fold, (this.#folds.get(fold) ?? 0) + change);
  }
}
