/**
 * Small changes of programs, each of which makes a different program, so the canonical form must change.
 *
 * A change looks at one part of a program's tree, and returns the changed part, or undefined if it does not apply.
 *
 * @module
 */
import { ASSIGNMENTS, COMBINATORS, OPERATORS, type Statement, UNARY } from "./programs.js";

/** A part of the tree: a node, an entry, an item, or a list. */
type Part = Readonly<Record<string, unknown>> | readonly unknown[];
type Change = (part: Part) => unknown;

function next<T>(choices: readonly T[], value: unknown): T {
  return choices[(choices.indexOf(value as T) + 1) % choices.length] as T;
}

/** A change that applies to nodes of some kinds. */
function of(
  kinds: string,
  change: (node: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> | undefined,
): Change {
  const all = new Set(kinds.split(" "));
  return (part) => {
    const node = part as Readonly<Record<string, unknown>>;
    if (Array.isArray(part) || !all.has(String(node.kind))) return undefined;
    const fields = change(node);
    return fields === undefined ? undefined : { ...node, ...fields };
  };
}

function withField(name: string, change: (value: unknown) => unknown): Change {
  return (part) => {
    const node = part as Readonly<Record<string, unknown>>;
    return Array.isArray(part) || !(name in node) ? undefined : { ...node, [name]: change(node[name]) };
  };
}

const isTrue = (value: unknown): boolean => value === true;
const NUMBER = { kind: "number", value: 7 };
const isStatements = (part: Part): part is readonly Statement[] =>
  Array.isArray(part) && STATEMENTS.has((part[0] as Statement | undefined)?.kind ?? "");
const STATEMENTS: ReadonlySet<string> = new Set(
  "declare take do set if for while dowhile forin count label try switch function class throw return".split(
    " ",
  ),
);
const isExpression = (part: Part): boolean =>
  !Array.isArray(part) && "kind" in part && !STATEMENTS.has(String(part.kind));

export const CHANGES: Readonly<Record<string, Change>> = {
  "another number": of("number", ({ value }) => ({ value: Number(value) + 1 })),
  "another text": of("text", ({ value }) => ({ value: `${value}y` })),
  "another BigInt": of("bigint", ({ value }) => ({ value: Number(value) + 1 })),
  "another regular expression": of("regex", ({ pattern }) => ({ pattern: `${pattern}z` })),
  "other flags of a regular expression": of("regex", ({ flags }) => ({ flags: flags === "g" ? "gi" : "g" })),
  "another text in a template": of("template", ({ head }) => ({ head: `${head}y` })),
  "another text in a tagged template": of("tagged", ({ tail }) => ({ tail: `${tail}y` })),
  "a template that is tagged": of("tagged", () => ({ kind: "template" })),
  "another parameter": of("argument", ({ name }) => ({ name: name === "p" ? "q" : "p" })),
  "another local": of("local", ({ index }) => ({ index: Number(index) + 1 })),
  "another local that is set": of("set assign update", ({ index }) => ({ index: Number(index) + 1 })),
  "another tool": of("tool", ({ tool }) => ({ tool: Number(tool) + 1 })),
  "a capability instead of a tool": of("tool", () => ({ kind: "capability" })),
  "a member of another name": of("member", ({ key }) => ({ key: key === "a" ? "path" : "a" })),
  "a key of another name": (part) =>
    "form" in part && "key" in part && part.form !== "spread"
      ? { ...part, key: part.key === "a" ? "path" : "a" }
      : undefined,
  "a field of another name": of("class", ({ field }) => ({ field: field === "a" ? "path" : "a" })),
  "another key that is taken": of("take", ({ keys }) => ({ keys: [...(keys as string[])].reverse() })),
  "a member that is optional": of("member", ({ optional }) => ({ optional: !isTrue(optional) })),
  "a call that is optional": of("call", ({ optional }) => ({ optional: !isTrue(optional) })),
  "another operator": of("binary", ({ operator }) => ({ operator: next(OPERATORS, operator) })),
  "operands swapped": of("binary comma", ({ left, right }) => ({ left: right, right: left })),
  "one operand left out": (part) => ("left" in part && "right" in part ? part.left : undefined),
  "another unary operator": of("unary", ({ operator }) => ({ operator: next(UNARY, operator) })),
  "an operator added": (part) =>
    isExpression(part) ? { kind: "unary", operator: "!", inner: part } : undefined,
  "another assignment": of("set assign", ({ operator }) => ({ operator: next(ASSIGNMENTS, operator) })),
  "up instead of down": of("update", ({ operator }) => ({ operator: operator === "++" ? "--" : "++" })),
  "before instead of behind": of("update", ({ isPrefix }) => ({ isPrefix: !isTrue(isPrefix) })),
  "a step of the other kind": of("count", ({ step }) => ({ step: step === "++" ? "--" : "++" })),
  "branches swapped": of("if choice", ({ yes, no }) => (no === undefined ? undefined : { yes: no, no: yes })),
  "an else left out": of("if", ({ no }) => (no === undefined ? undefined : { no: undefined })),
  "an else added": of("if", ({ no }) => (no === undefined ? { no: [] } : undefined)),
  "an await left out": (part) => ("kind" in part && part.kind === "await" ? part.inner : undefined),
  "an await added": (part) => (isExpression(part) ? { kind: "await", inner: part } : undefined),
  "a yield to the whole": of("yield", ({ isDelegate }) => ({ isDelegate: !isTrue(isDelegate) })),
  "another way to wait": of("parallel", ({ method }) => ({ method: next(COMBINATORS, method) })),
  "new left out": of("new", () => ({ kind: "call", optional: false })),
  "items in another order": (part) =>
    "items" in part ? { ...part, items: reversed(part.items) } : undefined,
  "an item left out": (part) => ("items" in part ? { ...part, items: rest(part.items) } : undefined),
  "an item added": (part) =>
    "items" in part
      ? { ...part, items: [...(part.items as unknown[]), { isSpread: false, value: NUMBER }] }
      : undefined,
  "an item spread": withField("isSpread", (value) => !isTrue(value)),
  "entries in another order": of("object", ({ entries }) => ({ entries: reversed(entries) })),
  "an entry left out": of("object", ({ entries }) => ({ entries: rest(entries) })),
  "an entry of another form": withField("form", (form) =>
    next(["value", "computed", "spread", "method", "get"], form),
  ),
  "a statement left out": (part) => (isStatements(part) ? part.slice(1) : undefined),
  "a statement added": (part) =>
    isStatements(part) ? [...part, { kind: "do", value: { kind: "argument", name: "p" } }] : undefined,
  "a statement twice": (part) => (isStatements(part) ? [part[0], ...part] : undefined),
  "statements in another order": (part) =>
    isStatements(part) && part.length > 1 ? reversed(part) : undefined,
  "another word of a declaration": of("declare", ({ word }) => ({
    word: next(["const", "let", "var"], word),
  })),
  "another end of a round": of("for", ({ ending }) => ({
    ending: ending === "break" ? "continue" : "break",
  })),
  "a loop that tests last": of("while", () => ({ kind: "dowhile" })),
  "a function that is async": of("function arrow", ({ isAsync }) => ({ isAsync: !isTrue(isAsync) })),
  "a function that is a generator": of("function", ({ isGenerator }) => ({
    isGenerator: !isTrue(isGenerator),
  })),
  "a default of a parameter": withField("parameters", (parameters) => ({
    ...(parameters as object),
    default: (parameters as { default?: unknown }).default === undefined ? NUMBER : undefined,
  })),
  "a rest of the parameters": withField("hasRest", (value) => !isTrue(value)),
  "another default in a pattern": of("take", () => ({ default: NUMBER })),
  "a finally": of("try", ({ last }) => ({ last: last === undefined ? [] : undefined })),
  "handler and block swapped": of("try", ({ body, caught }) => ({ body: caught, caught: body })),
  "a case that falls through": withField("isEnded", (value) => !isTrue(value)),
  "a default instead of a case": (part) =>
    "isEnded" in part ? { ...part, test: part.test === undefined ? NUMBER : undefined } : undefined,
  "cases in another order": of("switch", ({ cases }) => ({ cases: reversed(cases) })),
  "a field that is static": of("class", ({ isStatic }) => ({ isStatic: !isTrue(isStatic) })),
  "a class that extends": of("class", ({ parent }) => ({
    parent: parent === undefined ? NUMBER : undefined,
  })),
  "a private field of another value": of("class", () => ({ secret: NUMBER })),
  "another start of a class": of("class", ({ start }) => ({
    start: [...(start as unknown[]), { kind: "do", value: NUMBER }],
  })),
  "a getter of another value": of("class", () => ({ getter: NUMBER })),
  "throw instead of return": of("return", () => ({ kind: "throw" })),
  "another label's end": of("label", () => ({ test: NUMBER })),
  "for…in over another object": of("forin", () => ({ object: NUMBER })),
};

function reversed(list: unknown): unknown {
  return [...(list as readonly unknown[])].reverse();
}

function rest(list: unknown): unknown {
  return (list as readonly unknown[]).slice(1);
}

/** The path from the root of the tree to a part. */
type Path = readonly string[];

/** The places in a program where a change applies. */
export function placesOf(program: readonly Statement[], change: Change): readonly Path[] {
  const found: Path[] = [];
  const stack: { readonly part: unknown; readonly path: Path }[] = [{ part: program, path: [] }];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    const { part, path } = top;
    if (typeof part !== "object" || part === null) continue;
    const changed = change(part as Part);
    if (changed !== undefined) found.push(path);
    for (const [key, value] of Object.entries(part)) stack.push({ part: value, path: [...path, key] });
  }
  return found;
}

export function withChange(program: readonly Statement[], path: Path, change: Change): readonly Statement[] {
  const at = (part: unknown, depth: number): unknown => {
    const key = path[depth];
    if (key === undefined) return change(part as Part);
    const inner = at((part as Record<string, unknown>)[key], depth + 1);
    return Array.isArray(part)
      ? part.with(Number(key), inner)
      : { ...(part as Record<string, unknown>), [key]: inner };
  };
  return at(program, 0) as readonly Statement[];
}
