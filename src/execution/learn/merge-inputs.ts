/**
 * Decides where the arguments of each step of a merged capability come from. They come from the result of the previous
 * step (by field name if the schemas allow, else as a whole), and otherwise from arguments of the merged capability.
 * Steps that need the same argument share it if one value can serve them all.
 *
 * @module
 */
import { fieldNames, typesAgree, typesAt } from "../../analysis/data/json-types.js";
import { canonicalJson, type Json } from "../../base/canonical-json.js";
import { isJsonObject } from "../../base/json-object.js";
import { PmlError } from "../../base/pml-error.js";
import type { ParametersSchema } from "../../registry/capability.js";
import { foldDisplayName } from "../../registry/display-name.js";
import { isIdentifier, quoted } from "../../registry/schema-type.js";

/** One step of a merged capability. */
export interface MergeStep {
  /** The step's name in messages. */
  readonly label: string;
  /** The step's name in code. */
  readonly callee: string;
  readonly parameters: ParametersSchema;
  /** The JSON Schema of its result, as far as that is known. */
  readonly result?: Json;
}

/** The source of a parameter of a step; `field` is a field of the result of the previous step. */
export type ParameterSource =
  | { readonly kind: "argument"; readonly argument: MergedArgument }
  | { readonly kind: "field"; readonly field: string }
  | { readonly kind: "whole" };

/** `arguments`: all arguments of the merged capability. `whole`: the result of the previous step instead. */
export type StepInput =
  | { readonly kind: "nothing" | "arguments" | "whole" }
  | { readonly kind: "parameters"; readonly parameters: ReadonlyMap<string, ParameterSource> };

export interface MergeInputs {
  readonly inputs: readonly StepInput[];
  /** The names that the merged capability reads from its arguments. */
  readonly argumentNames: readonly string[];
  readonly warnings: readonly string[];
}

export function mergeInputs(steps: readonly MergeStep[]): MergeInputs {
  const warnings: string[] = [];
  const args = new MergedArguments(
    steps.flatMap(({ parameters }) => Object.keys(parameters.properties)),
    (text) => warnings.push(text),
  );
  const inputs = steps.map((step, index): StepInput => {
    const before = index === 0 ? undefined : steps[index - 1];
    const taken = before === undefined ? startOf(step) : takenFrom(before, step, args);
    if (taken.warning !== undefined) warnings.push(taken.warning);
    if (taken.kind !== "parameters") return { kind: taken.kind };
    return { kind: "parameters", parameters: sourcesOf(step, taken.sources, args) };
  });
  return { inputs, argumentNames: args.names(), warnings: [...new Set(warnings)] };
}

/** What the previous step supplies. */
type Taken = (
  | { readonly kind: "nothing" | "arguments" | "whole" }
  | { readonly kind: "parameters"; readonly sources: ReadonlyMap<string, ParameterSource> }
) & { readonly warning?: string };

const NOTHING: ReadonlyMap<string, ParameterSource> = new Map();

function startOf({ label, parameters }: MergeStep): Taken {
  const { properties, additionalProperties } = parameters;
  if (Object.keys(properties).length === 0) return { kind: additionalProperties ? "arguments" : "nothing" };
  if (!additionalProperties) return { kind: "parameters", sources: NOTHING };
  const warning = `${label} takes arguments that it does not declare: the merged capability cannot pass them`;
  return { kind: "parameters", sources: NOTHING, warning };
}

function takenFrom(before: MergeStep, step: MergeStep, args: MergedArguments): Taken {
  const { parameters, label } = step;
  const names = Object.keys(parameters.properties);
  if (names.length === 0 && !parameters.additionalProperties)
    return { kind: "nothing", warning: `${label} takes no input: the result of ${before.label} is not used` };
  const fields = matchingFields(before, step);
  if (fields.size > 0) return { kind: "parameters", sources: fields };
  const sole = soleParameter(before, step, args);
  if (sole !== undefined) {
    const { name, isGuess } = sole;
    const sources = new Map<string, ParameterSource>([[name, { kind: "whole" }]]);
    if (!isGuess) return { kind: "parameters", sources };
    const warning = `The result of ${before.label} becomes ${JSON.stringify(name)} of ${label}, its only parameter of that type`;
    return { kind: "parameters", sources, warning };
  }
  if (names.length === 0 && canBeArguments(before)) return { kind: "whole" };
  throw unclear(before, step);
}

/** A guess would be wrong as often as right, and the error would appear only in a run. */
function unclear(before: MergeStep, { label, callee, parameters }: MergeStep): PmlError {
  const isUnknown = typesAt(before.result, []) === undefined;
  const why = isUnknown
    ? `the result of ${before.label} is unknown`
    : `no field of the result of ${before.label} certainly matches a parameter of ${label}`;
  const given = Object.keys(parameters.properties).map((name) => `${keyText(name)}: …`);
  const sample = `const first = await ${before.callee}(args);\nreturn await ${callee}({ ${given.join(", ")} });`;
  const run = isUnknown ? `Run ${before.label} once, so that its result is known, or pass` : "Pass";
  return new PmlError("MERGE_UNCLEAR", `Cannot merge ${before.label} and ${label}: ${why}`, {
    hint: `${run} \`code\` with the arguments of ${label}, such as:\n${sample}`,
  });
}

/** Matches fields by the parameter's name. An identical name goes first; for others, only the spelling may differ. */
function matchingFields(before: MergeStep, { parameters }: MergeStep): ReadonlyMap<string, ParameterSource> {
  const found = new Map<string, ParameterSource>();
  if (!isOnly(before.result, "object")) return found;
  const fields = fieldNames(before.result).filter((field) => !isInherited(field));
  const byFold = new Map(fields.toReversed().map((field) => [foldDisplayName(field), field]));
  for (const name of Object.keys(parameters.properties)) {
    const field = fields.includes(name) ? name : byFold.get(foldDisplayName(name));
    if (field === undefined) continue;
    const fits = typesAgree(typesAt(before.result, [field]), typesOf(parameters, name));
    if (fits) found.set(name, { kind: "field", field });
  }
  return found;
}

interface SoleParameter {
  readonly name: string;
  /** Whether only the type suggests this match. */
  readonly isGuess: boolean;
}

/** The only parameter that can take the whole result of the previous step. */
function soleParameter(
  before: MergeStep,
  { parameters }: MergeStep,
  args: MergedArguments,
): SoleParameter | undefined {
  const names = Object.keys(parameters.properties);
  const required = names.filter((name) => isRequired(parameters, name));
  const all = required.length > 0 ? required : names;
  // The caller gives the parameters that earlier steps already need.
  const open = all.length > 1 ? all.filter((name) => !args.has(name)) : all;
  const types = typesAt(before.result, []);
  if (types === undefined) return undefined;
  const isGuess = open.length > 1;
  const [name, another] = open.filter((each) => typesAgree(types, typesOf(parameters, each)));
  return name === undefined || another !== undefined ? undefined : { name, isGuess };
}

/** Whether a step's result may be the arguments of a step that accepts any arguments. */
function canBeArguments({ result }: MergeStep): boolean {
  return typesAt(result, []) === undefined || isOnly(result, "object");
}

/** Sources for all parameters of a step: those that are not supplied yet come from the arguments. */
function sourcesOf(
  { label, parameters }: MergeStep,
  supplied: ReadonlyMap<string, ParameterSource>,
  args: MergedArguments,
): ReadonlyMap<string, ParameterSource> {
  const sources = new Map<string, ParameterSource>();
  for (const name of Object.keys(parameters.properties)) {
    const source = supplied.get(name);
    if (source !== undefined) {
      sources.set(name, source);
      continue;
    }
    const wanted = { name, label, schema: parameters, isRequired: isRequired(parameters, name) };
    const argument = args.take(wanted);
    if (argument !== undefined) sources.set(name, { kind: "argument", argument });
  }
  return sources;
}

/** Defaults are filled in before missing fields are checked, so a parameter with a default is not required. */
function isRequired({ properties, required }: ParametersSchema, name: string): boolean {
  const schema = properties[name];
  const hasDefault = typeof schema === "object" && schema !== null && Object.hasOwn(schema, "default");
  return required.includes(name) && !hasDefault;
}

function isOnly(schema: Json | undefined, type: string): boolean {
  const types = typesAt(schema, []);
  return types?.size === 1 && types.has(type);
}

function typesOf(parameters: ParametersSchema, name: string): ReadonlySet<string> | undefined {
  return typesAt(parameters, [name]);
}

/** A field name in an object literal. In brackets, `__proto__` is an ordinary field. */
export function keyText(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return isIdentifier(name) ? name : quoted(name);
}

/** Read only after all steps are processed: a later step may require it. */
interface MergedArgument {
  readonly name: string;
  readonly isRequired: boolean;
}

interface WantedArgument {
  readonly name: string;
  /** The step's name in messages. */
  readonly label: string;
  readonly schema: ParametersSchema;
  readonly isRequired: boolean;
}

interface Shared {
  readonly name: string;
  isRequired: boolean;
  readonly users: WantedArgument[];
}

class MergedArguments {
  readonly #shared = new Map<string, Shared[]>();
  readonly #taken: Set<string>;
  readonly #warn: (text: string) => void;

  /** `names` are those of the parameters of all steps: a generated name of an argument must differ from all of them. */
  constructor(names: Iterable<string>, warn: (text: string) => void) {
    this.#taken = new Set(names);
    this.#warn = warn;
  }

  /** Whether a step already needs a parameter of this name. */
  has(name: string): boolean {
    return this.#shared.has(name);
  }

  /** In the order in which they were first needed. */
  names(): readonly string[] {
    return [...this.#shared.values()].flat().map(({ name }) => name);
  }

  /** Returns `undefined` if the step cannot have it. */
  take(wanted: WantedArgument): MergedArgument | undefined {
    const { name, label, isRequired } = wanted;
    if (!isRequired && isInherited(name)) {
      this.#warn(
        `${JSON.stringify(name)} of ${label} cannot be passed: its name is a property of every object`,
      );
      return undefined;
    }
    const known = this.#shared.get(name) ?? [];
    this.#shared.set(name, known);
    let shared = known.find(({ users }) => users.every((user) => canShare(user, wanted)));
    if (shared === undefined) {
      shared = { name: known.length === 0 ? name : this.#newName(name), isRequired: false, users: [] };
      known.push(shared);
      const first = known[0]?.users[0];
      if (first !== undefined)
        this.#warn(
          `${JSON.stringify(name)} of ${label} is the argument ${JSON.stringify(shared.name)}: ${first.label} allows other values`,
        );
    }
    const unlike = shared.users.find((user) => typeNames(user) !== typeNames(wanted));
    if (unlike !== undefined)
      this.#warn(
        `${JSON.stringify(name)} is ${typeNames(unlike)} for ${unlike.label} and ${typeNames(wanted)} for ${label}: both get the same argument`,
      );
    shared.users.push(wanted);
    shared.isRequired ||= isRequired;
    return shared;
  }

  #newName(name: string): string {
    let count = 2;
    while (this.#taken.has(`${name}_${count}`)) count += 1;
    const found = `${name}_${count}`;
    this.#taken.add(found);
    return found;
  }
}

/** Every object inherits a property of this name, so reading it does not show whether it was given. */
function isInherited(name: string): boolean {
  return name in Object.prototype;
}

const TYPES = ["string", "number", "boolean", "array", "object", "null"];

/** `string or null`, in any order of the schema; `anything` if the schema has no types. */
function typeNames(wanted: WantedArgument): string {
  const types = typesOf(wanted.schema, wanted.name);
  return types === undefined ? "anything" : TYPES.filter((type) => types.has(type)).join(" or ");
}

/** Whether a value can exist that both accept. */
function canShare(one: WantedArgument, other: WantedArgument): boolean {
  if (!typesAgree(typesOf(one.schema, one.name), typesOf(other.schema, other.name))) return false;
  const [ofOne, ofOther] = [valuesOf(one), valuesOf(other)];
  return ofOne === undefined || ofOther === undefined || [...ofOne].some((value) => ofOther.has(value));
}

/** The only values that a parameter accepts, if its schema lists them. */
function valuesOf({ schema, name }: WantedArgument): ReadonlySet<string> | undefined {
  const property = schema.properties[name];
  if (!isJsonObject(property)) return undefined;
  if (Object.hasOwn(property, "const")) return new Set([canonicalJson(property.const)]);
  return Array.isArray(property.enum) ? new Set(property.enum.map(canonicalJson)) : undefined;
}
