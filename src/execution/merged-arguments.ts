/**
 * The arguments of a merged capability: steps that ask for the same get the same, where one value can serve them all.
 *
 * @module
 */
import { typesAgree, typesAt } from "../analysis/data/json-types.js";
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import type { ParametersSchema } from "../registry/capability.js";

/** Read when all steps have asked: a step that comes later may require it. */
export interface MergedArgument {
  readonly name: string;
  readonly isRequired: boolean;
}

/** A parameter of a step. */
export interface WantedArgument {
  readonly name: string;
  /** The step, as messages call it. */
  readonly label: string;
  /** Of all the parameters of the step. */
  readonly schema: ParametersSchema;
  readonly isRequired: boolean;
}

interface Shared {
  readonly name: string;
  isRequired: boolean;
  readonly users: WantedArgument[];
}

export class MergedArguments {
  readonly #shared = new Map<string, Shared[]>();
  readonly #taken: Set<string>;
  readonly #warn: (text: string) => void;

  /** `names` are those of the parameters of all steps: an argument that needs a name of its own gets none of them. */
  constructor(names: Iterable<string>, warn: (text: string) => void) {
    this.#taken = new Set(names);
    this.#warn = warn;
  }

  /** Whether a step has asked for a parameter of this name. */
  has(name: string): boolean {
    return this.#shared.has(name);
  }

  /** In the order in which they were asked for first. */
  names(): readonly string[] {
    return [...this.#shared.values()].flat().map(({ name }) => name);
  }

  /** `undefined` where the step has to do without it. */
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

/** Every object has something of such a name: whether it was given cannot be told by reading it. */
export function isInherited(name: string): boolean {
  return name in Object.prototype;
}

function typesOf({ schema, name }: WantedArgument): ReadonlySet<string> | undefined {
  return typesAt(schema as unknown as Json, [name]);
}

const TYPES = ["string", "number", "boolean", "array", "object", "null"];

/** `string or null`, however the schema orders them; `anything` where it does not say. */
function typeNames(wanted: WantedArgument): string {
  const types = typesOf(wanted);
  return types === undefined ? "anything" : TYPES.filter((type) => types.has(type)).join(" or ");
}

/** Whether there can be a value that both take. */
function canShare(one: WantedArgument, other: WantedArgument): boolean {
  if (!typesAgree(typesOf(one), typesOf(other))) return false;
  const [ofOne, ofOther] = [valuesOf(one), valuesOf(other)];
  return ofOne === undefined || ofOther === undefined || [...ofOne].some((value) => ofOther.has(value));
}

/** The only values that a parameter takes, where its schema lists them. */
function valuesOf({ schema, name }: WantedArgument): ReadonlySet<string> | undefined {
  const property = schema.properties[name];
  if (!isJsonObject(property)) return undefined;
  if (Object.hasOwn(property, "const")) return new Set([canonicalJson(property.const)]);
  return Array.isArray(property.enum) ? new Set(property.enum.map(canonicalJson)) : undefined;
}
