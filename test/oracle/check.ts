/**
 * Runs a program plain and instrumented, and holds what it reported against its static structure.
 *
 * @module
 */
import { setImmediate } from "node:timers/promises";
import { analyse } from "../../src/analysis/analyse.js";
import { findFlow } from "../../src/analysis/flow/flow.js";
import type { FlowSite } from "../../src/analysis/flow/flow-site.js";
import { findReferences } from "../../src/analysis/names/references.js";
import type { FlowEdge, StaticStructure, StructureNode } from "../../src/analysis/static-structure.js";
import { isFunction, type Node } from "../../src/analysis/syntax/ast.js";
import { applyEdits } from "../../src/analysis/syntax/edits.js";
import { eraseTypes } from "../../src/analysis/syntax/erase-types.js";
import { parseCode, WRAPPER_CHARS } from "../../src/analysis/syntax/parse-code.js";
import { resolveScopes } from "../../src/analysis/syntax/scopes.js";
import { SourceText } from "../../src/analysis/syntax/source-text.js";
import { RunPath } from "../../src/execution/run/run-path.js";
import { type Mark, markText, type RecordedRun, recordedRun } from "../support/recorded-run.js";
import type { Mode, OracleProgram } from "./program.js";
import { answers, toolName, vocabulary } from "./tools.js";

const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  if: ["true", "false"],
  ternary: ["true", "false"],
  and: ["true", "false"],
  or: ["true", "false"],
  nullish: ["nullish", "value"],
  try: ["ok", "error"],
};

/** What is wrong, if something is. */
export async function faultsOf(program: OracleProgram, seed: number): Promise<readonly string[]> {
  const { code, mode } = program;
  const { problems, structure, runnableCode } = analyse(code, vocabulary);
  if (problems.length > 0) return problems.map(({ line, message }) => `line ${line}: ${message}`);
  const facts = parsed(code);
  const args = { p: seed % 4 };
  const before = await recordedRun(facts.plain, answers(seed), args);
  await setImmediate();
  const after = await recordedRun(runnableCode, answers(seed), args);
  const { length } = after.marks;
  // What is not waited for goes on.
  await setImmediate();
  return [
    ...countFaults(program, structure),
    ...sameFaults(before, after),
    ...new PathCheck(structure, after, facts).faults(mode, length),
  ];
}

type End = { readonly node: string; readonly outcome?: string };

interface Parsed {
  readonly plain: string;
  readonly ends: readonly End[];
  /** What each `switch` can come to. */
  readonly cases: ReadonlyMap<string, readonly string[]>;
  /** Nodes that may be passed again, without a loop around them: edges lead forward only. */
  readonly repeatable: ReadonlySet<string>;
  readonly starts: readonly string[];
  /** The fork of each join. */
  readonly forks: ReadonlyMap<string, string>;
}

function parsed(code: string): Parsed {
  const source = new SourceText(code);
  const { body } = parseCode(source);
  if (body === undefined) throw new Error("no body");
  const scopes = resolveScopes(body);
  const { starts, ends, sites } = findFlow(source, body, scopes, findReferences(scopes, vocabulary));
  const cases = new Map(
    sites.flatMap((site) =>
      site.kind === "switch"
        ? [[site.id, ["default", ...site.node.cases.map(({ test }) => caseText(code, test))]] as const]
        : [],
    ),
  );
  const loops = new Set<Node>(sites.flatMap(({ kind, node }) => (kind === "loop" ? [node] : [])));
  const repeatable = new Set(sites.flatMap(({ id, node }) => (isRepeatable(node, loops) ? [id] : [])));
  return {
    plain: applyEdits(code, eraseTypes(code, scopes)).text,
    starts,
    ends,
    cases,
    repeatable,
    forks: forksOf(sites),
  };
}

/** A join belongs to the fork whose list it waits for: written in the call, or kept in a variable. */
function forksOf(sites: readonly FlowSite[]): ReadonlyMap<string, string> {
  const forks = sites.filter(({ kind, id }) => kind.startsWith("enter") && id.startsWith("f"));
  return new Map(
    sites.flatMap((join) => {
      if (join.kind !== "join") return [];
      const { start, end, arguments: given } = join.node;
      const [list] = given;
      const name = list?.type === "Identifier" ? list.name : undefined;
      // The outermost comes first.
      const fork = forks.find(({ node }) =>
        name === undefined ? node.start >= start && node.end <= end : keptAs(node) === name,
      );
      return fork === undefined ? [] : [[join.id, fork.id] as const];
    }),
  );
}

/** The name of the variable that something is kept in. */
function keptAs(node: Node): string | undefined {
  let around: Node | null | undefined = node;
  while (around && around.type !== "VariableDeclarator" && !isFunction(around)) around = around.parent;
  return around?.type === "VariableDeclarator" && around.id.type === "Identifier"
    ? around.id.name
    : undefined;
}

/** Whether a node is in a function that has a name, or in a loop that is no node. */
function isRepeatable(node: Node, loops: ReadonlySet<Node>): boolean {
  for (let around: Node | null | undefined = node; around; around = around.parent) {
    if (around.type === "FunctionDeclaration") return true;
    if (isFunction(around) && around.parent?.type === "VariableDeclarator") return true;
    if (/^(?:For|While|DoWhile)/.test(around.type) && !loops.has(around)) return true;
  }
  return false;
}

function caseText(code: string, test: { readonly start: number; readonly end: number } | null): string {
  return test === null ? "default" : code.slice(test.start - WRAPPER_CHARS, test.end - WRAPPER_CHARS);
}

function countFaults({ nodes }: OracleProgram, structure: StaticStructure): readonly string[] {
  const found = new Map<string, number>();
  for (const node of structure.nodes) {
    const kind = kindOf(node);
    found.set(kind, (found.get(kind) ?? 0) + 1);
  }
  const joins = [...nodes].reduce((sum, [kind, count]) => (kind.startsWith("fork") ? sum + count : sum), 0);
  const expected = new Map([...nodes, ["join", joins]] as const);
  return [...new Set([...found.keys(), ...expected.keys()])].flatMap((kind) => {
    const [is, should] = [found.get(kind) ?? 0, expected.get(kind) ?? 0];
    return is === should ? [] : [`${is} nodes of ${kind}, and ${should} were written`];
  });
}

function kindOf(node: StructureNode): string {
  switch (node.type) {
    case "task":
    case "capability":
      return "call";
    case "fork":
      return `fork ${node.kind}`;
    case "join":
      return "join";
    default:
      return node.kind;
  }
}

function sameFaults(before: RecordedRun, after: RecordedRun): readonly string[] {
  const faults: string[] = [];
  if (before.result !== after.result) faults.push(`gives ${after.result} instead of ${before.result}`);
  const [wanted, calls] = [callTexts(before.marks), callTexts(after.marks)];
  if (wanted !== calls) faults.push(`calls ${calls} instead of ${wanted}`);
  return faults;
}

function callTexts(marks: readonly Mark[]): string {
  return marks
    .flatMap((mark) => (mark.kind === "call" ? [`${toolName(mark.tool)} ${JSON.stringify(mark.args)}`] : []))
    .join("; ");
}

class PathCheck {
  readonly #nodes: ReadonlyMap<string, StructureNode>;
  readonly #into = new Map<string, FlowEdge[]>();
  readonly #run: RecordedRun;
  readonly #structure: StaticStructure;
  readonly #ends: ReadonlySet<string>;
  readonly #parsed: Parsed;
  readonly #order: ReadonlyMap<string, number>;

  constructor(structure: StaticStructure, run: RecordedRun, parsed: Parsed) {
    const { ends } = parsed;
    this.#parsed = parsed;
    this.#order = new Map(structure.nodes.map(({ id }, index) => [id, index]));
    this.#structure = structure;
    this.#nodes = new Map(structure.nodes.map((node) => [node.id, node]));
    for (const edge of structure.edges) {
      if (edge.type === "provides") continue;
      const edges = this.#into.get(edge.to);
      if (edges === undefined) this.#into.set(edge.to, [edge]);
      else edges.push(edge);
    }
    this.#run = run;
    this.#ends = new Set(
      ends.map(({ node, outcome }) => (outcome === undefined ? node : `${node}:${outcome}`)),
    );
  }

  faults(mode: Mode, length: number): readonly string[] {
    const faults = this.#run.marks.flatMap((mark) => this.#markFaults(mark));
    if (faults.length > 0) return faults;
    const waited = this.#run.marks.slice(0, length);
    return [
      ...this.#edgeFaults(),
      ...(mode === "all" ? [] : this.#walkFaults()),
      ...this.#reachFaults(),
      ...this.#endFaults(mode, waited),
      ...this.#pathFaults(mode),
    ];
  }

  /** Whether the structure has what is reported. */
  #markFaults(mark: Mark): readonly string[] {
    if (mark.kind === "call") {
      const node = this.#nodes.get(mark.id ?? "");
      const tool = node?.type === "task" ? node.tool : node?.type === "capability" ? node.fqdn : undefined;
      return tool !== undefined && toolName(tool) === toolName(mark.tool)
        ? []
        : [`${mark.tool} is called by ${mark.id}, which is ${tool}`];
    }
    const node = this.#nodes.get(mark.id);
    if (mark.kind === "outcome") {
      const kind = node?.type === "decision" ? node.kind : "";
      const allowed = OUTCOMES[kind] ?? this.#parsed.cases.get(mark.id);
      return allowed?.includes(mark.outcome) === true ? [] : [`${markText(mark)} is no outcome`];
    }
    const isFitting =
      node !== undefined &&
      (mark.kind === "join"
        ? node.type === "join"
        : node.type === "loop" || (mark.kind === "enter" && node.type === "fork"));
    return isFitting ? [] : [`${markText(mark)} is ${node?.type}`];
  }

  /** Edges lead forward, and into what is inside only where it is. */
  #edgeFaults(): readonly string[] {
    const edges = [...this.#into.values()].flat();
    const order = (id: string): number => this.#order.get(id) as number;
    return [
      ...(this.#parsed.starts.join() === "n1" ? [] : [`starts with ${this.#parsed.starts.join(" or ")}`]),
      ...edges.flatMap(({ from, to, type }) => [
        ...(order(from) < order(to) ? [] : [`${from} leads back to ${to}`]),
        ...(type === "contains" && !this.#isIn(to, from) ? [`${from} does not contain ${to}`] : []),
      ]),
    ];
  }

  /** Whether an edge leads from what was passed to a node. */
  #leads(from: Mark, edge: FlowEdge): boolean {
    if (edge.from !== from.id) return false;
    return edge.type !== "conditional" || (from.kind === "outcome" && from.outcome === edge.outcome);
  }

  /** Each step follows from the one before; in a loop also from its start. */
  #walkFaults(): readonly string[] {
    const faults: string[] = [];
    const before = new Set<string>();
    const entered = new Set<string>();
    const repeated = new Set<string>();
    let last: Mark | undefined;
    for (const step of this.#run.marks) {
      const id = step.id as string;
      if (step.kind === "again") {
        repeated.add(id);
        continue;
      }
      if (step.kind === "enter") entered.add(id);
      const isFirst = last === undefined && id === "n1";
      const fits = (this.#into.get(id) ?? []).some(
        (edge) =>
          (last !== undefined && this.#leads(last, edge)) ||
          repeated.has(edge.from) ||
          (edge.type === "contains" && entered.has(edge.from) && this.#isIn(id, edge.from)),
      );
      const isBack =
        last !== undefined &&
        this.#parsed.repeatable.has(id) &&
        (before.has(id) || (this.#order.get(id) as number) <= (this.#order.get(last.id as string) as number));
      if (!isFirst && !fits && !isBack)
        faults.push(`nothing leads from ${last && markText(last)} to ${markText(step)}`);
      last = step;
      before.add(id);
      repeated.clear();
    }
    return faults;
  }

  #isIn(id: string, loop: string): boolean {
    for (
      let around = this.#nodes.get(id)?.within;
      around !== undefined;
      around = this.#nodes.get(around)?.within
    )
      if (around === loop) return true;
    return false;
  }

  /** Each node that is passed for the first time follows from one that was passed before it. */
  #reachFaults(): readonly string[] {
    const passed = new Set<string>();
    const outcomes = new Set<string>();
    const faults: string[] = [];
    let latest = -1;
    for (const mark of this.#run.marks) {
      const id = mark.id as string;
      const edges = this.#into.get(id) ?? [];
      const order = this.#order.get(id) as number;
      const isReached =
        passed.has(id) ||
        id === "n1" ||
        // Edges lead forward only, so none leads into a function that stands where it was called before.
        (this.#parsed.repeatable.has(id) && order < latest) ||
        passed.has(this.#parsed.forks.get(id) ?? "") ||
        edges.some(({ from, ...edge }) =>
          edge.type === "conditional" ? outcomes.has(`${from}:${edge.outcome}`) : passed.has(from),
        );
      if (!isReached) faults.push(`nothing before ${markText(mark)} leads to it`);
      passed.add(id);
      latest = Math.max(latest, order);
      if (mark.kind === "outcome") outcomes.add(markText(mark));
    }
    return faults;
  }

  /** Where a run that succeeds ends, the code can end. */
  #endFaults(mode: Mode, marks: readonly Mark[]): readonly string[] {
    if (this.#run.isError) return [];
    const last = marks.findLastIndex(({ kind }) => kind !== "again");
    const possible = mode === "all" ? marks : marks.slice(last);
    const isEnd = possible.some((mark) =>
      this.#ends.has(mark.kind === "outcome" ? markText(mark) : (mark.id as string)),
    );
    return isEnd ? [] : [`nothing ends behind ${possible.map(markText).join(" ")}`];
  }

  /** The path as it is kept: all that was passed, each once, and behind what leads to it. */
  #pathFaults(mode: Mode): readonly string[] {
    const run = new RunPath(this.#structure);
    for (const mark of this.#run.marks) {
      const id = mark.id as string;
      if (mark.kind === "call") run.call(id);
      else {
        const outcome = mark.kind === "outcome" ? mark.outcome : mark.kind === "again" ? "again" : "";
        run.passed([{ id, outcome, count: 1 }]);
      }
    }
    const path = run.path();
    const faults: string[] = [];
    const passed = new Set(this.#run.marks.map(({ id }) => id as string));
    if (path.length !== passed.size || path.some((id) => !passed.has(id)))
      faults.push(`the path ${path.join(" ")} is not what was passed, ${[...passed].join(" ")}`);
    if (mode === "functions" || mode === "all") return faults;
    const before = new Set<string>();
    for (const id of path) {
      const isReached = id === "n1" || (this.#into.get(id) ?? []).some(({ from }) => before.has(from));
      if (!isReached) faults.push(`in the path ${path.join(" ")}, nothing before ${id} leads to it`);
      before.add(id);
    }
    return faults;
  }
}
