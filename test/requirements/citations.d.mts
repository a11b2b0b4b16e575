export interface TestFile {
  /** Relative to the root of the project, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

export interface Declaration {
  readonly kind: "suite" | "test";
  /** All text of the first argument, with a placeholder for what a template computes. */
  readonly name: string;
  readonly line: number;
  /** False for `.skip` and `.todo`, and for all that stands inside one. */
  readonly runs: boolean;
  readonly parent: Declaration | undefined;
}

export interface Citation {
  readonly id: string;
  readonly path: string;
  /** `path:line` */
  readonly place: string;
  /** Whether a test that runs stands behind it. */
  readonly shows: boolean;
}

/** Every `describe`, `it` and `test` call of a file, outermost first, in the order of the text. */
export function findDeclarations(text: string): readonly Declaration[];

/** Reads the ids in brackets of a test's name; `families` are the letters before the dash. */
export function readCitations(
  name: string,
  families: readonly string[],
): { readonly ids: readonly string[]; readonly problems: readonly string[] };

/** What one file cites: a test cites what its name and the names around it cite. */
export function citationsOf(
  file: TestFile,
  families: readonly string[],
): { readonly citations: readonly Citation[]; readonly problems: readonly string[] };

/** The files that may cite: tests beside the code and in `test/`, and the shared suites. */
export function readTestFiles(root: string): readonly TestFile[];
