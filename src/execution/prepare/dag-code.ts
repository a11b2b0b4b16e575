/**
 * Generates the code of a graph of tasks. Analysis must see everything: each task is one call with a literal name, all
 * calls are in one fork, and a task reads its inputs from the results of others.
 *
 * Every text of the graph is written into the code as JSON, so it cannot become code. The order of calls must never
 * change: stored graphs find the calls of stored code by it.
 *
 * @module
 */
import type { Analysis } from "../../analysis/analysis.js";
import type { Json } from "../../base/canonical-json.js";
import { PmlError } from "../../base/pml-error.js";
import type { Dag } from "../../registry/definition.js";
import { foldSpelling } from "../../registry/tool-id.js";
import type { DryRunProblem } from "../ports/execute-answer.js";
import {
  type CheckedDag,
  type CheckedTask,
  checkDag,
  pathText,
  type TaskReference,
  type Template,
} from "./check-dag.js";

export interface DagCode {
  readonly code: string;
  /** The task whose call is on a line of the code, counted from 1. */
  taskAt(line: number): string | undefined;
}

/** The name of the error of a graph in which tasks failed. */
export const DAG_ERROR = "TaskError";

const LINE_CHARS = 100;
const NAME_CHARS = 40;
const FAILURES_SHOWN = 20;
const REASON_CHARS = 500;

export function dagCode({ tasks, last }: CheckedDag): DagCode {
  const names = new Names(tasks);
  const lines: string[] = [];
  const owners: (string | undefined)[] = [];
  const write = (text: string, owner?: string): void => {
    for (const line of text.split("\n")) {
      lines.push(line);
      owners.push(owner);
    }
  };
  write("// Made of a graph of tasks: each starts as soon as all that it needs has succeeded.");
  if (tasks.some(({ arguments: given }) => referencesIn(given).some(({ path }) => path.length > 0)))
    write(NEED);
  for (const task of tasks) write(taskCode(task, names), task.id);
  write(endText(tasks));
  write(
    `const results = resultsOf(await Promise.allSettled([${tasks.map(({ id }) => names.task(id)).join(", ")}]));`,
  );
  const places = new Map(tasks.map(({ id }, index) => [id, index]));
  const fields = last.map((id) => `${keyText(id)}: results[${places.get(id)}]`);
  write(`return ${bracketed("{", fields, "}", "")};`);
  return { code: `${lines.join("\n")}\n`, taskAt: (line) => owners[line - 1] };
}

/** Fails a task whose input does not exist. */
const NEED = `const need = (result, path, what) => {
  let value = result;
  for (const key of path) {
    if (value === null || value === undefined || !Object.hasOwn(Object(value), key)) throw new Error("there is no " + what);
    value = value[key];
  }
};`;

function taskCode({ id, target, arguments: given, needs }: CheckedTask, names: Names): string {
  const call = (indent: string) =>
    `${target.object}[${text(target.name)}](${new Writer(names).write(given, indent)})`;
  if (needs.length === 0) return `const ${names.task(id)} = ${call("")};`;
  const references = referencesIn(given);
  const read = new Set(references.map(({ task }) => task));
  const paths = new Map(
    references.flatMap((reference) =>
      reference.path.length === 0 ? [] : [[`${reference.task}.${pathText(reference.path)}`, reference]],
    ),
  );
  return [
    `const ${names.task(id)} = (async () => {`,
    ...needs.map((need) =>
      read.has(need)
        ? `  const ${names.result(need)} = await ${names.task(need)};`
        : `  await ${names.task(need)};`,
    ),
    ...Array.from(
      paths.values(),
      ({ task, path }) =>
        `  need(${names.result(task)}, ${text(path)}, ${text(`${pathText(path)} in the result of ${JSON.stringify(task)}`)});`,
    ),
    `  return ${call("  ")};`,
    "})();",
  ].join("\n");
}

/** Separates failed tasks from those skipped because of them; contains no calls. */
function endText(tasks: readonly CheckedTask[]): string {
  const places = new Map(tasks.map(({ id }, index) => [id, index]));
  const needs = tasks.map((task) => `[${task.needs.map((id) => places.get(id)).join(", ")}]`);
  return `const resultsOf = (ended) => {
  const ids = ${bracketed(
    "[",
    tasks.map(({ id }) => text(id)),
    "]",
    "  ",
  )};
  const needs = ${bracketed("[", needs, "]", "  ")};
  const lost = ended.map(({ status }) => status === "rejected");
  if (!lost.includes(true)) return ended.map(({ value }) => value);
  const failed = [];
  const skipped = [];
  for (const [index, { reason }] of ended.entries()) {
    if (!lost[index]) continue;
    if (needs[index].some((other) => lost[other])) skipped.push(JSON.stringify(ids[index]));
    else {
      const said = String(reason?.message ?? reason).replace(/\\s+/g, " ").slice(0, ${REASON_CHARS});
      failed.push("Task " + JSON.stringify(ids[index]) + " failed: " + (reason?.tool ? reason.tool + ": " : "") + said);
    }
  }
  const more = failed.length - ${FAILURES_SHOWN};
  const lines = failed.slice(0, ${FAILURES_SHOWN});
  if (more > 0) lines.push("… and " + more + " more");
  if (skipped.length > 0) lines.push("Skipped, because they need what failed: " + skipped.join(", "));
  const error = new Error(lines.join("\\n"));
  error.name = ${text(DAG_ERROR)};
  throw error;
};`;
}

/** The message about a task in an error of {@link endText}. */
export function failureOf(message: string, id: string): string | undefined {
  const start = `Task ${JSON.stringify(id)} failed: `;
  return message
    .split("\n")
    .find((line) => line.startsWith(start))
    ?.slice(start.length);
}

function referencesIn(template: Template): readonly TaskReference[] {
  switch (template.kind) {
    case "reference":
      return [template.to];
    case "list":
      return template.items.flatMap(referencesIn);
    case "object":
      return template.fields.flatMap(([, field]) => referencesIn(field));
    default:
      return [];
  }
}

/** The source text of each field of an object. */
export function fieldTexts(template: Template): readonly string[] {
  const writer = new Writer(new Names([]));
  return template.kind === "object"
    ? template.fields.map(([key, field]) => `${keyText(key)}: ${writer.write(field, "  ")}`)
    : [];
}

class Writer {
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  write(template: Template, indent: string): string {
    const inner = `${indent}  `;
    switch (template.kind) {
      case "literal":
        return text(template.value);
      case "list":
        return bracketed(
          "[",
          template.items.map((item) => this.write(item, inner)),
          "]",
          indent,
        );
      case "object":
        return bracketed(
          "{",
          template.fields.map(([key, field]) => `${keyText(key)}: ${this.write(field, inner)}`),
          "}",
          indent,
        );
      case "parameter":
        return `args${memberText(template.name)}`;
      case "reference":
        return `${this.#names.result(template.to.task)}${template.to.path.map(memberText).join("")}`;
    }
  }
}

/** Names of variables: derived from an id, and never a name with another meaning. */
class Names {
  readonly #byId = new Map<string, string>();

  constructor(tasks: readonly CheckedTask[]) {
    const taken = new Set<string>();
    for (const { id } of tasks) {
      const base = id.replace(/[^A-Za-z0-9_]+/g, "_").slice(0, NAME_CHARS);
      let name = base;
      for (let next = 2; taken.has(name); next += 1) name = `${base}_${next}`;
      taken.add(name);
      this.#byId.set(id, name);
    }
  }

  task(id: string): string {
    return `task_${this.#byId.get(id)}`;
  }

  result(id: string): string {
    return `from_${this.#byId.get(id)}`;
  }
}

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** `{ "__proto__": … }` would set the prototype; in brackets it is an ordinary key. */
function keyText(key: string): string {
  if (key === "__proto__") return `[${text(key)}]`;
  return IDENTIFIER.test(key) ? key : text(key);
}

function memberText(key: string | number): string {
  return typeof key === "string" && IDENTIFIER.test(key) ? `.${key}` : `[${text(key)}]`;
}

/** On one line if that is short. */
export function bracketed(open: string, items: readonly string[], close: string, indent: string): string {
  if (items.length === 0) return `${open}${close}`;
  const space = open === "{" ? " " : "";
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (line.length <= LINE_CHARS && !line.includes("\n")) return line;
  return `${open}\n${items.map((item) => `${indent}  ${item},\n`).join("")}${indent}${close}`;
}

/** JSON is valid JavaScript, except that two characters would end a line. */
export function text(value: Json): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

export function atTasks(problems: readonly DryRunProblem[], made: DagCode): readonly DryRunProblem[] {
  return problems.map(({ line, column: _, text: __, ...problem }) => {
    const task = line === undefined ? undefined : made.taskAt(line);
    return task === undefined ? problem : { ...problem, task };
  });
}

/** The same error, with tasks instead of lines; an error without a position stays as it is. */
export function dagProblems(error: PmlError, made: DagCode): PmlError {
  const { problems } = (error.data ?? {}) as { readonly problems?: readonly DryRunProblem[] };
  if (problems === undefined) return error;
  const told = atTasks(problems, made);
  const message = told
    .map((problem) =>
      problem.task === undefined
        ? problem.message
        : `Task ${JSON.stringify(problem.task)}: ${problem.message}`,
    )
    .join("\n");
  return new PmlError(error.code, message, {
    hint: error.hint,
    data: { problems: told },
  });
}

/** The task of each node of the code. */
export type TaskNames = ReadonlyMap<string, string>;

/**
 * The calls of the code are the tasks, in the same order. Undefined if they do not match: a stored graph may have been
 * changed since, and must not name the calls then.
 */
export function taskNamesOf(
  { tasks }: CheckedDag,
  { calls }: Pick<Analysis, "calls">,
): TaskNames | undefined {
  const ordered = [...calls].sort((a, b) => a.line - b.line || a.column - b.column);
  if (ordered.length !== tasks.length) return undefined;
  const names = new Map<string, string>();
  for (const [index, { id, target }] of tasks.entries()) {
    const call = ordered[index];
    if (call === undefined) return undefined;
    const isTool = call.target.kind === "tool";
    if (isTool && foldSpelling(call.target.id) !== foldSpelling(target.name)) return undefined;
    if (target.object === "capabilities" && isTool) return undefined;
    names.set(call.node, id);
  }
  return names;
}

/** The tasks of a graph that is stored with code; undefined if it is invalid or does not match the code. */
export function storedTasks(dag: Dag, analysis: Pick<Analysis, "calls">): DagTasks | undefined {
  try {
    const checked = checkDag(dag);
    const names = taskNamesOf(checked, analysis);
    return names && { dag: checked, names };
  } catch (error) {
    if (error instanceof PmlError) return undefined;
    throw error;
  }
}

export interface DagTasks {
  readonly dag: CheckedDag;
  readonly names: TaskNames;
}
