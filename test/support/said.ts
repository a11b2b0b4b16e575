/** What a model should say next, in any protocol. */
import type { NamingAnswer, NamingBrief } from "../../src/curation/name-model.js";

export type Saying =
  /** The answer in the requested form. */
  | { readonly kind: "names"; readonly names: (briefs: readonly NamingBrief[]) => readonly unknown[] }
  /** Any text. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "refusal" }
  /** The answer ends in the middle. */
  | { readonly kind: "cut" }
  /** No data comes, and the connection stays open. */
  | { readonly kind: "silence" }
  /** An answer of this many bytes. */
  | { readonly kind: "huge"; readonly bytes: number };

/** The answer of a model that has nothing to add. */
export const AGREED: Saying = {
  kind: "names",
  names: (briefs) => briefs.map(({ key, suggestedName }): NamingAnswer => ({ key, name: suggestedName })),
};

/** The briefs in the prompt of a model. */
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
