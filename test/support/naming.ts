/**
 * Subjects of naming from a few lines: an intent and code, from which its tools and parameters are read.
 *
 * @module
 */

import type { NameSuggestion, TakenNames } from "../../src/curation/name-suggestion.js";
import type { NamedTool, NamingSubject } from "../../src/curation/naming-subject.js";
import { suggestNames as suggestWith } from "../../src/curation/suggest-names.js";
import { openObjectModel } from "../../src/models/open-object-model.js";

export const OBJECT_MODEL = openObjectModel();

/** Uses the bundled naming model, without an encoder. */
export function suggestNames(
  subjects: readonly NamingSubject[],
  taken: TakenNames,
): readonly NameSuggestion[] {
  return suggestWith(subjects, taken, OBJECT_MODEL);
}

export const NOBODY: TakenNames = { isTaken: () => false };

export function subject(intent: string, code: string, changes: Partial<NamingSubject> = {}): NamingSubject {
  return { id: "one", intent, code, tools: toolsOf(code), parameters: parametersOf(code), ...changes };
}

function toolsOf(code: string): readonly NamedTool[] {
  const ids = [...code.matchAll(/\bmcp\.(\w+)\.(\w+)/g)].map(([, server, tool]) => `${server}:${tool}`);
  return [...new Set(ids)].map((id) => ({ id }));
}

function parametersOf(code: string): readonly string[] {
  return [...new Set([...code.matchAll(/\bargs\.(\w+)/g)].map(([, name = ""]) => name))];
}
