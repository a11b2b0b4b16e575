/**
 * Corrects slips in code: see `slip.ts`. The corrected code is analysed, saved and run, so a slip gives the same
 * capability as the correct call, and nothing reaches a tool that analysis has not seen.
 *
 * @module
 */
import type { CodeProblem } from "../analysis.js";
import { problemAt } from "../code-problem.js";
import { findReferences, type References } from "../names/references.js";
import type { Identifier } from "../syntax/ast.js";
import { applyEdits } from "../syntax/edits.js";
import {
  type FunctionBody,
  isTooLong,
  type ParsedCode,
  parseCode,
  WRAPPER_CHARS,
} from "../syntax/parse-code.js";
import { resolveScopes, type Scopes } from "../syntax/scopes.js";
import { SourceText } from "../syntax/source-text.js";
import type { Vocabulary } from "../vocabulary.js";
import { argumentSlips } from "./argument-slips.js";
import { nameSlips } from "./name-slips.js";
import { resultSlips } from "./result-slips.js";
import type { Mistake, SlipContext } from "./slip.js";

export interface CorrectedCode {
  /** Its positions refer to the code as given. */
  readonly source: SourceText;
  readonly parsed: ParsedCode & { readonly body: FunctionBody };
  readonly scopes: Scopes;
  readonly references: References;
  /** Slips without a certain meaning. */
  readonly problems: readonly CodeProblem[];
  /** Names in such slips, which therefore are not parameters. */
  readonly noParameters: ReadonlySet<Identifier>;
  readonly warnings: readonly string[];
}

/** First a name, then its arguments, then the use of the result; and again for slips inside of another. */
const ROUNDS = 6;
const WARNINGS = 3;

export function correctSlips(given: Omit<ReadCode, "references">, vocabulary: Vocabulary): CorrectedCode {
  const { readings } = vocabulary;
  const notes: string[] = [];
  let code: ReadCode = { ...given, references: findReferences(given.scopes, vocabulary) };
  if (readings === undefined) return { ...code, problems: [], noParameters: new Set(), warnings: [] };
  for (let round = 0; ; round += 1) {
    const { source } = code;
    const context: SlipContext = { ...code, vocabulary, readings };
    const names = nameSlips(context);
    const results = resultSlips(context);
    const slips = [...names.slips, ...argumentSlips(context), ...results.slips];
    const next =
      round < ROUNDS && slips.length > 0
        ? edited(
            code,
            slips.flatMap(({ edits }) => edits),
            vocabulary,
          )
        : undefined;
    if (next === undefined) {
      const late = results.warnings.map(({ node, text }) => `${text} (line ${lineOf(node.start, source)})`);
      return {
        ...code,
        ...mistakesIn(names.mistakes, source),
        warnings: [...notes, ...late].slice(0, WARNINGS),
      };
    }
    for (const { node, readAs } of slips)
      if (readAs !== "") notes.push(`Line ${lineOf(node.start, source)} was read as ${readAs}.`);
    code = next;
  }
}

type ReadCode = Pick<CorrectedCode, "source" | "parsed" | "scopes" | "references">;

/** `undefined` if the result would not be valid code. */
function edited(
  { source: given, parsed: before }: ReadCode,
  edits: Parameters<typeof applyEdits>[1],
  vocabulary: Vocabulary,
): ReadCode | undefined {
  const { text, originalOffset } = applyEdits(given.text, edits);
  if (isTooLong(text)) return undefined;
  const source = new SourceText(text, { given, originalOffset });
  const { body, ...parsed } = parseCode(source);
  if (body === undefined || parsed.problems.length > before.problems.length) return undefined;
  const scopes = resolveScopes(body);
  return { source, parsed: { ...parsed, body }, scopes, references: findReferences(scopes, vocabulary) };
}

function lineOf(start: number, source: SourceText): number {
  return source.position(start - WRAPPER_CHARS).line;
}

function mistakesIn(
  mistakes: readonly Mistake[],
  source: SourceText,
): Pick<CorrectedCode, "problems" | "noParameters"> {
  return {
    problems: mistakes.map(({ node, details }) => problemAt(source, node.start - WRAPPER_CHARS, details)),
    noParameters: new Set(mistakes.flatMap(({ name }) => name ?? [])),
  };
}
