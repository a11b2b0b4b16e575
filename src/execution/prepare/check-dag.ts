/**
 * Checks a graph of tasks on its own: ids, callees and dependencies. All problems are reported together.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import { nearest } from "../../base/nearest.js";
import { PmlError } from "../../base/pml-error.js";
import type { Dag, DagTask } from "../../registry/definition.js";

/** The parsed form of an argument. */
export type Template =
  | { readonly kind: "literal"; readonly value: null | boolean | number | string }
  | { readonly kind: "list"; readonly items: readonly Template[] }
  | { readonly kind: "object"; readonly fields: readonly (readonly [string, Template])[] }
  | { readonly kind: "reference"; readonly to: TaskReference }
  | { readonly kind: "parameter"; readonly name: string };

export interface CheckedTask {
  readonly id: string;
  readonly target: { readonly object: "mcp" | "capabilities"; readonly name: string };
  readonly arguments: Template;
  /** The tasks that it waits for, in the order of the graph. */
  readonly needs: readonly string[];
}

export interface CheckedDag {
  /** Each task after its dependencies, else in the order of the graph. */
  readonly tasks: readonly CheckedTask[];
  /** Tasks that no other task depends on. */
  readonly last: readonly string[];
}

const ID_CHARS = 100;
const NAME_CHARS = 400;
/** Maximum nesting of arguments. */
const LEVELS = 100;
const PROBLEMS_SHOWN = 10;
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029]/u;

/** Throws `DAG_INVALID`. */
export function checkDag({ tasks }: Dag): CheckedDag {
  const problems: string[] = [];
  if (tasks.length === 0) problems.push("it has no tasks");
  if (tasks.length > LIMITS.dagTasks)
    problems.push(`it has ${tasks.length} tasks, the limit is ${LIMITS.dagTasks}: split it into several`);
  const ids = new Set(tasks.map(({ id }) => id));
  checkIds(tasks, problems);
  stopOn(problems);
  const checked = tasks.map((task) => checkTask(task, ids, problems));
  stopOn(problems);
  const ordered = inOrder(checked);
  const needed = new Set(checked.flatMap(({ needs }) => needs));
  return { tasks: ordered, last: tasks.map(({ id }) => id).filter((id) => !needed.has(id)) };
}

function stopOn(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const shown = problems.slice(0, PROBLEMS_SHOWN);
  const more = problems.length - shown.length;
  throw invalid(`${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`);
}

function invalid(what: string): PmlError {
  return new PmlError("DAG_INVALID", `Cannot run the dag: ${what}`, {
    hint: 'Expected { "tasks": [{ "id": "a", "tool": "server:tool", "arguments": { … } }, { "id": "b", "capability": "fs:read_json", "arguments": { "path": { "$ref": "a.path" } }, "dependsOn": ["a"] }] }.',
  });
}

function checkIds(tasks: readonly DagTask[], problems: string[]): void {
  const seen = new Set<string>();
  for (const [index, { id }] of tasks.entries()) {
    if (id === "") problems.push(`task ${index + 1} has an empty id`);
    else if (id.length > ID_CHARS)
      problems.push(`the id of task ${index + 1} has ${id.length} characters, the limit is ${ID_CHARS}`);
    else if (CONTROL.test(id) || id.includes("#"))
      problems.push(`the id ${quotedId(id)} contains a control character or "#", which are not allowed`);
    else if (seen.has(id)) problems.push(`two tasks have the id ${quotedId(id)}: ids must be unique`);
    seen.add(id);
  }
  for (const id of seen)
    for (const other of seen)
      if (isPathFrom(id, other))
        problems.push(
          `the id ${quotedId(other)} could be mistaken for a path into the result of ${quotedId(id)}: rename one of them`,
        );
}

function checkTask(task: DagTask, ids: ReadonlySet<string>, problems: string[]): CheckedTask {
  const { id, tool, capability, dependsOn = [] } = task;
  const say = (what: string): void => void problems.push(`task ${quotedId(id)}: ${what}`);
  if (tool !== undefined && capability !== undefined) say("give either tool or capability, not both");
  const name = tool ?? capability ?? "";
  if (tool === undefined && capability === undefined)
    say('neither tool nor capability is given: expected one, such as "tool": "server:tool"');
  else if (name === "") say(`its ${tool === undefined ? "capability" : "tool"} is empty`);
  else if (name.length > NAME_CHARS)
    say(
      `its ${tool === undefined ? "capability" : "tool"} has ${name.length} characters, more than a name may have`,
    );
  const needs = new Set<string>();
  for (const other of dependsOn) {
    if (!ids.has(other)) say(`it depends on ${quotedId(other)}, which is not a task${like(other, ids)}`);
    else needs.add(other);
  }
  const template = new Templates(ids, needs, say).of((task.arguments ?? {}) as Json, 0);
  return {
    id,
    target: { object: tool === undefined ? "capabilities" : "mcp", name },
    arguments: template,
    needs: [...ids].filter((other) => needs.has(other)),
  };
}

class Templates {
  readonly #ids: ReadonlySet<string>;
  readonly #needs: Set<string>;
  readonly #say: (what: string) => void;

  /** Adds the referenced tasks to `needs`. */
  constructor(ids: ReadonlySet<string>, needs: Set<string>, say: (what: string) => void) {
    this.#ids = ids;
    this.#needs = needs;
    this.#say = say;
  }

  of(value: Json, level: number, isLiteral = false): Template {
    if (level > LEVELS) {
      this.#say(`its arguments are nested deeper than ${LEVELS} levels`);
      return NOTHING;
    }
    if (typeof value !== "object" || value === null) return { kind: "literal", value };
    if (Array.isArray(value))
      return { kind: "list", items: value.map((item: Json) => this.of(item, level + 1, isLiteral)) };
    const fields = Object.entries(value as Readonly<Record<string, Json>>);
    const special = isLiteral ? undefined : fields.find(([key]) => SPECIAL.has(key));
    if (special !== undefined) return this.#special(special, fields.length, level);
    return {
      kind: "object",
      fields: fields.map(([key, inner]) => [key, this.of(inner, level + 1, isLiteral)]),
    };
  }

  #special([key, value]: readonly [string, Json], fields: number, level: number): Template {
    const advice = `to use the key as data, write { "$literal": { ${JSON.stringify(key)}: … } }`;
    if (fields > 1) this.#say(`${key} must be the only key of its object: ${advice}`);
    else if (key === "$literal") return this.of(value, level + 1, true);
    else if (typeof value !== "string" || value === "") this.#say(`${key} is not a string: ${advice}`);
    else if (key === "$arg") {
      if (value.length <= ID_CHARS && !CONTROL.test(value) && value !== "__proto__")
        return { kind: "parameter", name: value };
      this.#say(`$arg is not a parameter name: expected at most ${ID_CHARS} characters`);
    } else return this.#reference(value);
    return NOTHING;
  }

  #reference(text: string): Template {
    const to = parseTaskReference(text, this.#ids);
    if (to !== undefined) {
      this.#needs.add(to.task);
      return { kind: "reference", to };
    }
    const [head = ""] = text.split(/[.[]/, 1);
    this.#say(
      this.#ids.has(head)
        ? `$ref ${quotedId(text)} cannot be read: expected ${quotedId(head)}, and then .key, [0] or ["key"]`
        : `$ref ${quotedId(text)} does not start with a task id${like(head, this.#ids)}`,
    );
    return NOTHING;
  }
}

/** A value without references. */
export function literalTemplate(value: Json, say: (what: string) => void): Template {
  return new Templates(new Set(), new Set(), say).of(value, 0, true);
}

const NOTHING: Template = { kind: "literal", value: null };
const SPECIAL: ReadonlySet<string> = new Set(["$ref", "$arg", "$literal"]);

/** Kahn's algorithm, which always takes the first ready task of the graph. */
function inOrder(tasks: readonly CheckedTask[]): readonly CheckedTask[] {
  const ordered: CheckedTask[] = [];
  const done = new Set<string>();
  let waiting = tasks;
  while (waiting.length > 0) {
    const ready = waiting.find(({ needs }) => needs.every((id) => done.has(id)));
    if (ready === undefined) throw invalid(`its tasks have a cycle: ${circleIn(waiting)}`);
    done.add(ready.id);
    ordered.push(ready);
    waiting = waiting.filter((task) => task !== ready);
  }
  return ordered;
}

/** A cycle in tasks that each wait for another one of them. */
function circleIn(waiting: readonly CheckedTask[]): string {
  const byId = new Map(waiting.map((task) => [task.id, task]));
  const path: string[] = [];
  let at = waiting[0];
  while (at !== undefined && !path.includes(at.id)) {
    path.push(at.id);
    const next = at.needs.find((id) => byId.has(id));
    at = next === undefined ? undefined : byId.get(next);
  }
  const circle = at === undefined ? path : path.slice(path.indexOf(at.id));
  return [...circle, circle[0] ?? ""].map(quotedId).join(" needs ");
}

function like(text: string, ids: ReadonlySet<string>): string {
  const [best] = nearest(text, ids, 1);
  return best === undefined ? "" : ` (did you mean ${quotedId(best)}?)`;
}

function quotedId(text: string): string {
  return JSON.stringify(text.length > ID_CHARS ? `${text.slice(0, ID_CHARS)}…` : text);
}

/** A result of another task, or a part of it. */
export interface TaskReference {
  readonly task: string;
  readonly path: readonly (string | number)[];
}

const DIGITS = /^(?:0|[1-9]\d{0,8})$/;
/** The next step of a path: `.key`, `[0]`, `["key"]`, `['key']`. */
const STEP = /\.([^.[\]]+)|\[(\d{1,9})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]/y;

/**
 * Undefined if `text` does not begin with an id, or continues in an unknown form. An id may contain dots; no id begins
 * with another id followed by a path, so at most one matches.
 */
export function parseTaskReference(text: string, ids: Iterable<string>): TaskReference | undefined {
  for (const task of ids) {
    if (!text.startsWith(task)) continue;
    const path = pathOf(text.slice(task.length));
    if (path !== undefined) return { task, path };
  }
  return undefined;
}

/** Whether `text` could be read as a path that begins at `id`. */
function isPathFrom(id: string, text: string): boolean {
  return text.length > id.length && text.startsWith(id) && /[.[]/.test(text.charAt(id.length));
}

/** A path as written after the id. */
export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((key) => {
      if (typeof key === "number") return `[${key}]`;
      return /^[^.[\]"'\\\p{Cc}]+$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
    })
    .join("")
    .replace(/^\./, "");
}

function pathOf(text: string): readonly (string | number)[] | undefined {
  const path: (string | number)[] = [];
  STEP.lastIndex = 0;
  let at = 0;
  while (at < text.length) {
    STEP.lastIndex = at;
    const [whole, key, index, double, single] = STEP.exec(text) ?? [];
    if (whole === undefined) return undefined;
    const quoted = double ?? single;
    if (index !== undefined) path.push(Number(index));
    else if (quoted !== undefined) path.push(quoted.replace(/\\(.)/gs, "$1"));
    else path.push(key !== undefined && DIGITS.test(key) ? Number(key) : (key ?? ""));
    at += whole.length;
  }
  return path;
}
