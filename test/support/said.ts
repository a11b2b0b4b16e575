/** What a model is to say next, whichever protocol it speaks. */
import type { NamingAnswer, NamingBrief } from "../../src/curation/name-model.js";

export type Saying =
  /** The answer as it is asked for. */
  | { readonly kind: "names"; readonly names: (briefs: readonly NamingBrief[]) => readonly unknown[] }
  /** Any text. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refusal" }
  /** The answer ends in the middle. */
  | { readonly kind: "cut" }
  /** Nothing comes, and nothing ends. */
  | { readonly kind: "silence" }
  /** So many bytes. */
  | { readonly kind: "huge"; readonly bytes: number };

/** What a model says that has nothing to add. */
export const AGREED: Saying = {
  kind: "names",
  names: (briefs) => briefs.map(({ key, suggestedName }): NamingAnswer => ({ key, name: suggestedName })),
};

/** The briefs that stand in what a model was asked. */
export function briefsIn(user: string): readonly NamingBrief[] {
  return (JSON.parse(user) as { readonly programs: readonly NamingBrief[] }).programs;
}

/** The text of an answer, if it has one. */
export function textOf(saying: Saying, user: string): string | undefined {
  switch (saying.kind) {
    case "names":
      return JSON.stringify({ names: saying.names(briefsIn(user)) });
    case "text":
      return saying.text;
    case "cut":
      return '{"names":[{"key":"1","name":"fs:li';
    case "huge":
      return `{"names":[${" ".repeat(saying.bytes)}]}`;
    case "refusal":
    case "silence":
      return undefined;
  }
}
