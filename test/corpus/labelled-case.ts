/**
 * Labelled cases: code, what there is to call, and what analysis must find in it.
 *
 * One case a line. A key that `expect` lacks is not settled, and not checked. Endpoints of edges are `server:tool`, the
 * name of a capability, or `decision`, `fork`, `join`, `loop`; `#k` is the k-th of its kind in order.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import type { Vocabulary } from "../../src/analysis/vocabulary.js";
import { type TestCapability, type TestTool, testVocabulary } from "../support/vocabulary.js";

interface ExpectedParameter {
  readonly type?: string;
  readonly required?: boolean;
  readonly default?: unknown;
}

export interface ExpectedArgument {
  readonly type: "literal" | "reference" | "parameter";
  readonly value?: unknown;
  readonly expression?: string;
  readonly parameterName?: string;
  /** The endpoint that a reference resolves to; one of them, where there are several. */
  readonly producer?: string;
}

type FieldPair = readonly [fromField: string, toField: string, typesAgree: boolean];

export interface Expected {
  /** Tools of the task nodes, in order. */
  readonly tasks?: readonly string[];
  readonly tasksOrder?: "any";
  /** The distinct tools of the task nodes, where their number is open. */
  readonly tools?: readonly string[];
  readonly capabilities?: readonly string[];
  readonly decisions?: number;
  readonly forks?: number;
  readonly joins?: number;
  readonly loops?: number;
  readonly conditions?: readonly string[];
  readonly nodeIds?: readonly string[];
  /** Type `*` is any type; without an outcome, any outcome. */
  readonly edges?: readonly (readonly [from: string, to: string, type: string, outcome?: string])[];
  /** There are no edges but `edges` and `provides`. */
  readonly edgesExact?: boolean;
  readonly provides?: readonly (readonly [
    from: string,
    to: string,
    coverage: string,
    mapping?: readonly FieldPair[],
  ])[];
  readonly providesExact?: boolean;
  readonly parameters?: Readonly<Record<string, ExpectedParameter>>;
  readonly parametersExact?: boolean;
  readonly notParameters?: readonly string[];
  /** The task is its index in `tasks`, or an endpoint; a field within a field is `body.id`. */
  readonly arguments?: readonly (readonly [
    task: number | string,
    field: string,
    argument: ExpectedArgument,
  ])[];
  readonly unknown?: { readonly nearest: string };
  readonly computed?: boolean;
  readonly syntaxError?: { readonly line: number };
  /** Ours alone: every problem, as its code and line. */
  readonly problems?: readonly (readonly [code: string, line: number])[];
}

type Servers = Readonly<Record<string, Readonly<Record<string, TestTool>>>>;

export interface LabelledCase {
  readonly id: string;
  readonly group: string;
  readonly code: string;
  /** Those of `servers.json` where they are left out. */
  readonly servers?: Servers;
  readonly capabilities?: readonly TestCapability[];
  readonly expect: Expected;
  readonly why: string;
}

export function readCases(file: string | URL): readonly LabelledCase[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as LabelledCase);
}

const SERVERS = JSON.parse(readFileSync(new URL("servers.json", import.meta.url), "utf8")) as Servers;

export function vocabularyOf({ servers = SERVERS, capabilities = [] }: LabelledCase): Vocabulary {
  return testVocabulary(servers, capabilities);
}
