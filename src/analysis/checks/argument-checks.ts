/**
 * Checks the arguments of every call against the schemas of tools and capabilities before the code runs: missing
 * fields, unknown fields, and values of the wrong type.
 *
 * @module
 */
import { isJsonObject } from "../../base/json-object.js";
import { nearest } from "../../base/nearest.js";
import { referenced } from "../../base/schema-reference.js";
import { nameAt } from "../../registry/capability-ref.js";
import { callSignature } from "../../registry/type-signature.js";
import type { CodeProblem } from "../analysis.js";
import { problemAt } from "../code-problem.js";
import type { References } from "../names/references.js";
import type { Node } from "../syntax/ast.js";
import { constantUses } from "../syntax/constant-uses.js";
import { emptyObject, type KnownValue, valuesIn } from "../syntax/known-values.js";
import { WRAPPER_CHARS } from "../syntax/parse-code.js";
import type { Scopes } from "../syntax/scopes.js";
import type { SourceText } from "../syntax/source-text.js";
import type { Meaning } from "../vocabulary.js";
import { type Misfit, SchemaFit, shown } from "./schema-fit.js";

export interface ArgumentProblems {
  readonly problems: readonly CodeProblem[];
  readonly warnings: readonly string[];
}

/** Code with more wrong arguments has larger problems. */
const PROBLEMS = 50;
const WARNINGS = 20;
const SIGNATURE_CHARS = 300;
/** Names that a misspelt one is compared with. */
const NAMES = 1_000;
/** How deep nested schemas are searched for names of fields. */
const NAME_LEVELS = 8;

export function argumentProblems(
  source: SourceText,
  scopes: Scopes,
  references: References,
): ArgumentProblems {
  const calls = new Set<Node>(references.uses.flatMap(({ call }) => call ?? []));
  const constants = constantUses(scopes, calls);
  const read = valuesIn(scopes, (variable) => {
    const binding = scopes.bindingOf(variable);
    return binding !== undefined && !constants.isOnlyRead(binding);
  });
  const fit = new SchemaFit();
  const unnamed = unnamedFinder();
  const problems: CodeProblem[] = [];
  const warnings: string[] = [];
  const offset = (node: Node): number => node.start - WRAPPER_CHARS;
  const place = (node: Node): string => {
    const { line, column } = source.position(offset(node));
    return `(line ${line}, column ${column})`;
  };

  for (const { call, meaning } of references.uses) {
    if (call === undefined) continue;
    const [given, second] = call.arguments as readonly Node[];
    if (given?.type === "SpreadElement") continue;
    const callee = calleeOf(meaning);
    if (second !== undefined)
      warnings.push(`${callee.name} takes one object; further arguments are ignored ${place(second)}`);
    const value: KnownValue = given === undefined ? emptyObject(call) : read(given);
    const args = value.kind === "undefined" ? emptyObject(value.at) : value;
    const misfits = [...misfitsOf(args, callee, fit), ...unnamed(args, callee.schema)];
    for (const misfit of misfits) {
      // A missing argument is reported at the call; a missing field of an argument is reported at that argument.
      const at = misfit.kind === "missing" && misfit.path === "" ? call : misfit.at;
      problems.push(problemAt(source, offset(at), detailsOf(misfit, callee)));
      if (problems.length === PROBLEMS)
        return { problems, warnings: [...warnings.slice(0, WARNINGS), TOO_MANY] };
    }
  }
  return { problems, warnings: warnings.slice(0, WARNINGS) };
}

const TOO_MANY = `More than ${PROBLEMS} arguments are wrong; the rest are not listed`;

interface Callee {
  /** The name in messages. */
  readonly name: string;
  readonly schema: unknown;
  /** PML fills in the defaults of capabilities; a server may fill in those of its tools. */
  readonly hasDefaults: boolean;
}

function calleeOf(meaning: Meaning): Callee {
  return meaning.kind === "tool"
    ? { name: meaning.id, schema: meaning.inputSchema, hasDefaults: false }
    : { name: nameAt(meaning.displayName, meaning.version), schema: meaning.parameters, hasDefaults: true };
}

function misfitsOf(args: KnownValue, callee: Callee, fit: SchemaFit): readonly Misfit[] {
  if (args.kind === "unknown" || args.kind === "object") return fit.misfits(args, callee.schema, callee);
  // Arguments must be an object, even if the tool's schema allows other types.
  return fit.misfits(args, { type: "object" }, callee);
}

function detailsOf(
  { path, kind, text, spelling }: Misfit,
  { name, schema }: Callee,
): Parameters<typeof problemAt>[2] {
  const isWhole = kind !== "missing" && kind !== "field";
  const subject = path !== "" ? `${shown(path)} of ${name}` : isWhole ? `The argument of ${name}` : name;
  const like = spelling === undefined ? [] : nearest(spelling.name, spelling.known().slice(0, NAMES));
  const guess = like[0] === undefined ? "" : `Did you mean ${shown(like[0])}? `;
  const signature = callSignature({ name, inputSchema: schema }, { budget: SIGNATURE_CHARS });
  return {
    code: "ARGUMENTS_INVALID",
    message: `${subject} ${text()}`,
    hint: `${guess}Expected: ${signature}`,
    nearest: like,
  };
}

/**
 * Finds fields that a schema does not name, if it names some and says nothing about others. JSON Schema allows them,
 * but a guessed name is more frequent than a server that reads undeclared fields, and a guessed field would be lost
 * silently.
 */
function unnamedFinder(): (args: KnownValue, schema: unknown) => readonly Misfit[] {
  const known = new Map<unknown, ReadonlySet<string>>();
  return (args, schema) => {
    if (args.kind !== "object" || args.fields.size === 0) return [];
    const names = known.get(schema) ?? openNames(schema);
    known.set(schema, names);
    if (names.size === 0) return [];
    const { fields, partsAt } = args;
    return [...fields].flatMap(([name, { at, value }]): readonly Misfit[] => {
      if (value.kind === "undefined" || names.has(name)) return [];
      const spelling = { name, known: () => [...names].filter((each) => !fields.has(each)) };
      return [
        {
          at: partsAt ?? at,
          kind: "field",
          path: "",
          text: () => `has no argument ${shown(name)}`,
          spelling,
        },
      ];
    });
  };
}

/** The field names of a schema; empty if it says that other fields are allowed or forbidden. */
function openNames(root: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<unknown>();
  let isOpen = true;
  const collect = (schema: unknown, levels: number): void => {
    if (!isJsonObject(schema) || seen.has(schema) || levels < 0) return;
    seen.add(schema);
    if (schema.additionalProperties !== undefined || schema.patternProperties !== undefined) isOpen = false;
    if (isJsonObject(schema.properties)) for (const name of Object.keys(schema.properties)) names.add(name);
    for (const inner of [schema.allOf, schema.anyOf, schema.oneOf])
      if (Array.isArray(inner)) for (const each of inner) collect(each, levels - 1);
    if (schema.$ref !== undefined) collect(referenced(schema.$ref, root), levels - 1);
  };
  collect(root, NAME_LEVELS);
  return isOpen ? names : new Set();
}
