/**
 * The namespace of code that calls no tools: `data` for rows and figures, `transform` for one form into another, `util`
 * for the rest.
 *
 * @module
 */
import type { ActionFound } from "./action-of.js";
import { type VerbKind, verbNamed } from "./lexicon/verbs.js";
import type { NamespaceFound } from "./namespace-of.js";

const DATA =
  /\b(?:rows?|records?|tables?|columns?|csv|tsv|datasets?|spreadsheets?|series|statistics|averages?|medians?|percentiles?|outliers?)\b/i;

export function pureNamespace({ verb }: ActionFound, intent: string): NamespaceFound {
  const namespace = familyOf(verbNamed(verb)?.kind, intent);
  return {
    namespace,
    server: undefined,
    certainty: 0.85,
    reason: `it calls no tools, so it is ${namespace}`,
  };
}

function familyOf(kind: VerbKind | undefined, intent: string): string {
  if (kind === "compute") return "data";
  if (kind === "make" || kind === undefined) return "transform";
  return kind === "ask" && DATA.test(intent) ? "data" : "util";
}
