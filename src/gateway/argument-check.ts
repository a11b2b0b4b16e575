/**
 * Checks the arguments of a call against the tool's schema, so that the error names the wrong field before the call is
 * sent.
 *
 * A schema is compiled only when a value does not pass the quick check, and cached by the hash of the tool. A schema
 * that cannot be compiled checks nothing: the server is the authority on its own tools.
 *
 * @module
 */
import type { Tool } from "@modelcontextprotocol/server";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { PmlError } from "../base/pml-error.js";
import { fitsPlainly } from "./plain-fit.js";

type Schema = Parameters<AjvJsonSchemaValidator["getValidator"]>[0];
type Check = (value: unknown) => string | undefined;

const CHECKS_KEPT = 2_000;

export class ArgumentCheck {
  #validator = new AjvJsonSchemaValidator();
  readonly #checks = new Map<string, Check>();

  /** Throws `ARGUMENTS_INVALID` with every field that is wrong. */
  check(tool: Tool, hash: string, args: unknown): void {
    const problem = this.problem(tool.inputSchema, hash, args ?? {});
    if (problem === undefined) return;
    throw new PmlError("ARGUMENTS_INVALID", `Cannot call "${tool.name}": ${problem}`, {
      hint: `Expected arguments: ${JSON.stringify(tool.inputSchema).slice(0, 1_000)}`,
    });
  }

  /** What is wrong with `value`, field by field; `key` is the same for the same schema. */
  problem(schema: object, key: string, value: unknown): string | undefined {
    const known = this.#checks.get(key);
    if (known !== undefined) return known(value);
    return fitsPlainly(schema, value) ? undefined : this.#checkFor(schema, key)(value);
  }

  #checkFor(schema: object, key: string): Check {
    if (this.#checks.size >= CHECKS_KEPT) {
      // The validator never frees compiled schemas, so it is replaced too.
      this.#checks.clear();
      this.#validator = new AjvJsonSchemaValidator();
    }
    const check = this.#compile(schema);
    this.#checks.set(key, check);
    return check;
  }

  #compile(given: object): Check {
    try {
      // The validator treats schemas with the same `$id` as one schema, even if they belong to different tools.
      const { $id, ...anonymous } = given as { readonly $id?: unknown };
      const schema = withoutTraps(anonymous);
      const cost = costOf(schema);
      if (schema === undefined || !isAffordable(cost, {})) return checkNothing;
      const validate = this.#validator.getValidator(schema as Schema);
      return (value) => (isAffordable(cost, value) ? problemOf(validate, value) : undefined);
    } catch {
      return checkNothing;
    }
  }
}

function checkNothing(): undefined {}

function problemOf(
  validate: ReturnType<AjvJsonSchemaValidator["getValidator"]>,
  value: unknown,
): string | undefined {
  try {
    const outcome = validate(value);
    return outcome.valid ? undefined : readable(outcome.errorMessage ?? "data do not match its schema");
  } catch {
    // A schema that only refers to itself never terminates.
    return undefined;
  }
}

/** The validator calls the arguments "data", and a field of them "data/path". */
function readable(problems: string): string {
  return problems.replace(/(^|, )data\//g, "$1").replace(/(^|, )data /g, "$1the arguments ");
}

/**
 * The schema without keywords that can take exponential or quadratic time: regular expressions that backtrack, and
 * `uniqueItems`, which compares every pair. The schema comes from the server, which checks these keywords itself; here
 * they would block the gateway for all clients. Returns undefined if the rest would have another meaning.
 */
function withoutTraps(schema: unknown): unknown {
  if (JSON.stringify(schema).includes('"patternProperties"')) return undefined;
  return strip(schema);
}

function strip(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strip);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => !isTrap(key, item))
      .map(([key, item]) => [key, strip(item)]),
  );
}

function isTrap(key: string, item: unknown): boolean {
  return (
    (key === "pattern" && typeof item === "string") || (key === "uniqueItems" && typeof item === "boolean")
  );
}

interface SchemaCost {
  /** Nodes of the schema with its references followed; a reference back into itself counts once. */
  readonly nodes: number;
  /** References that lead back into the schema that contains them. */
  readonly loops: number;
}

const NODES_MOST = 20_000;
const STEPS_MOST = 1_000_000;

/** Whether a value may be checked: neither the schema nor the combination of schema and value is too expensive. */
export function isAffordable(cost: SchemaCost, value: unknown): boolean {
  if (cost.nodes > NODES_MOST) return false;
  if (cost.loops <= 1) return true;
  // Each cycle may visit each level of the value once.
  return (
    cost.loops ** depthOf(value, Math.ceil(Math.log(STEPS_MOST) / Math.log(cost.loops)) + 1) <= STEPS_MOST
  );
}

/**
 * Estimates the work of a check against a schema, without doing it.
 *
 * References let a schema of two kilobytes stand for billions of nodes, and a schema that refers to itself several
 * times multiplies with every level of the value. Schemas come from servers, and checks run on the thread that serves
 * all clients.
 */
export function costOf(schema: unknown): SchemaCost {
  const known = new Map<unknown, number>();
  const open = new Set<unknown>();
  let loops = 0;

  function count(node: unknown): number {
    if (typeof node !== "object" || node === null) return 1;
    const before = known.get(node);
    if (before !== undefined) return before;
    if (open.has(node)) {
      loops += 1;
      return 1;
    }
    open.add(node);
    let nodes = 1;
    for (const [key, child] of Object.entries(node)) {
      nodes += key === "$ref" && typeof child === "string" ? count(targetOf(schema, child)) : count(child);
      if (nodes > NODES_MOST) break;
    }
    open.delete(node);
    known.set(node, nodes);
    return nodes;
  }

  return { nodes: count(schema), loops };
}

/** The target of a local reference: `#`, `#/$defs/x`. Other references cannot be followed, and checks ignore them. */
function targetOf(schema: unknown, reference: string): unknown {
  if (!reference.startsWith("#")) return undefined;
  let node = schema;
  for (const part of reference
    .slice(1)
    .split("/")
    .filter((text) => text !== "")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    node = (node as Record<string, unknown> | undefined)?.[key];
  }
  return node;
}

/** How deep objects and lists are nested, counted up to `most`. */
function depthOf(value: unknown, most: number): number {
  if (most <= 0 || typeof value !== "object" || value === null) return 0;
  let deepest = 0;
  for (const child of Object.values(value)) {
    deepest = Math.max(deepest, depthOf(child, most - 1));
    if (deepest >= most - 1) break;
  }
  return deepest + 1;
}
