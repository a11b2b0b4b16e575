/** Steps of random histories of a registry: how they are generated, and how they are printed after a failure. */
import fc from "fast-check";
import type { Sight } from "./registry-model.js";

/** The session of the step: an index into {@link SESSIONS}. */
type Who = number;

/** A reference to a capability: which one, in which form, at which version. */
export interface Words {
  readonly form: "constant" | "name" | "spelled" | "alias" | "scoped" | "fqdn" | "label" | "id" | "prefixed";
  readonly which: number;
  readonly name: string;
  readonly spec?: string | undefined;
}

export interface LearnStep {
  readonly kind: "run" | "save";
  readonly who: Who;
  readonly code: string;
  readonly name?: string | undefined;
  readonly update: boolean;
  readonly tag?: string | undefined;
  readonly args: string;
}

/** A step on the capability that a user refers to by this name. */
interface Worded<Kind extends string> {
  readonly kind: Kind;
  readonly who: Who;
  readonly words: Words;
}

export type FindStep = Worded<"find">;
type ForkStep = Worded<"fork"> & { readonly name: string };
type RenameStep = Worded<"rename"> & {
  readonly name?: string | undefined;
  readonly visibility?: Sight | undefined;
};
export type WordedStep = FindStep | ForkStep | RenameStep | Worded<"delete"> | Worded<"undelete">;

/** A step on a capability by its number, not by a name. */
export type DirectStep =
  | { readonly kind: "expire"; readonly which: number }
  | {
      readonly kind: "use";
      readonly who: Who;
      readonly which: number;
      readonly version: number;
      /** Arguments of successful runs, or `!` for a failure. */
      readonly runs: readonly string[];
    }
  | { readonly kind: "verify"; readonly who: Who; readonly which: number; readonly version: number };

export type Step = LearnStep | WordedStep | DirectStep;

/** Org and project as a letter, for which each history uses its own name, and the user. */
export const SESSIONS = [
  { org: "acme", project: "p", user: "ada" },
  { org: "acme", project: "p", user: "bob" },
  { org: "acme", project: "q", user: "ada" },
  { org: "beta", project: "p", user: "ada" },
] as const;

/** Some are the same by their fold, and some have the same FQDN but different names. */
export const NAMES = ["a", "A", "a:b", "A:b_", "ab", "a_b", "a:b:c", "a:b_c", "c-D"];
const CODES = ["1", "2", "3", "4"];
const TAGS = ["1.0.0", "v1.2.0", "1.2.3-beta", "2.0.0"];
const SPECS = [
  ...["latest", "1", "2", "9", "v1", "v2", "v1.2", "v1.2.0", "v1.0.0", "v7"],
  ...["1.2.3-beta", "2999-12-31", "2020-01-01", "2020-02-30", "banana", ""],
];

const optional = <T>(of: fc.Arbitrary<T>, frequency: number) =>
  fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 10 - frequency },
    { arbitrary: of, weight: frequency },
  );

// Most steps happen in one project, where the names collide.
const who = fc.constantFrom(0, 0, 0, 1, 1, 2, 3);
const which = fc.nat(7);
const name = fc.constantFrom(...NAMES);
const bare = fc.record({
  form: fc.constantFrom<Words["form"][]>(
    ...(["constant", "name", "spelled", "alias", "scoped", "fqdn", "label", "id", "prefixed"] as const),
  ),
  which,
  name,
});
const versioned = fc
  .tuple(bare, optional(fc.constantFrom(...SPECS), 4))
  .map(([words, spec]): Words => ({ ...words, spec }));

const learn = (kind: "run" | "save") =>
  fc
    .record({
      who,
      code: fc.constantFrom(...CODES),
      name: optional(name, 7),
      update: fc.boolean(),
      tag: optional(fc.constantFrom(...TAGS), 4),
      args: fc.constantFrom("x", "y"),
    })
    .map((its): Step => ({ kind, ...its }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: learn("run") },
  { weight: 5, arbitrary: learn("save") },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("fork" as const), who, words: versioned, name }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant("rename" as const),
      who,
      words: bare,
      name: optional(name, 8),
      visibility: optional(fc.constantFrom<Sight[]>("private", "project", "org", "public"), 4),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("delete" as const), who, words: bare }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("undelete" as const), who, words: bare }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("expire" as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("use" as const),
      who,
      which,
      version: fc.integer({ min: 1, max: 3 }),
      runs: fc.array(fc.constantFrom("x", "y", "!", "!"), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("verify" as const),
      who,
      which,
      version: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 32, arbitrary: fc.record({ kind: fc.constant("find" as const), who, words: versioned }) },
);

export const histories = fc.array(step, { minLength: 1, maxLength: 80, size: "max" });

/** The steps, one line each. */
export function written(steps: readonly string[]): string {
  return steps.map((text, index) => `  ${index + 1}. ${text}`).join("\n");
}
