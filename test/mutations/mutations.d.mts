export interface Mutation {
  readonly id: string;
  readonly area: string;
  readonly file: string;
  /** Occurs once in the file, on one line. */
  readonly find: string;
  readonly replace: string;
  /** What a user would notice. */
  readonly breaks: string;
  readonly foundBy: readonly string[];
}

export function mutations(root: string): readonly Mutation[];
export function chooseFrom(all: readonly Mutation[], wanted: readonly string[]): readonly Mutation[];
export function problemOf(root: string, mutation: Mutation): string | undefined;
export function movesOf(root: string, mutation: Mutation): ReadonlyMap<string, string | undefined>;
export function tableOf(list: readonly Mutation[]): string;
