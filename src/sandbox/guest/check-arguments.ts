/**
 * Validates the arguments of a capability call inside the sandbox: fills in defaults, and rejects missing and unknown
 * fields and values of another type. Only the `type` of the JSON Schema is checked.
 *
 * @module
 */
import { hasOwn, isArray, isInteger, keys, parse, setOwn, stringify, TypeErrorOf } from "./primordials.js";

type Shape = Readonly<Record<string, unknown>>;

export interface ArgumentRules {
  /** Returns a new arguments object for one call; throws a `TypeError` that names the field. */
  complete(args: object): Readonly<Record<string, unknown>>;
}

/** The rules of a schema, which the host has written. `callee` is the capability's name in messages. */
export function argumentRules(schema: unknown, callee: string): ArgumentRules {
  const whole = shapeOf(schema);
  const properties = shapeOf(whole.properties);
  const required = isArray(whole.required) ? whole.required : [];
  const names = keys(properties);
  const isOpen =
    whole.additionalProperties === true ||
    (typeof whole.additionalProperties === "object" && whole.additionalProperties !== null);

  function complete(given: object): Readonly<Record<string, unknown>> {
    const args: Record<string, unknown> = {};
    const givenNames = keys(given);
    for (let index = 0; index < givenNames.length; index += 1) {
      const name = givenNames[index] as string;
      const value = (given as Record<string, unknown>)[name];
      if (value === undefined) continue;
      if (!hasOwn(properties, name)) {
        if (!isOpen)
          throw new TypeErrorOf(`Cannot call ${callee}: unknown argument ${stringify(name)}${known(names)}`);
      } else {
        checkType(name, value, shapeOf(properties[name]).type, callee);
      }
      setOwn(args, name, value);
    }
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] as string;
      const property = shapeOf(properties[name]);
      // A copy for each call, so that a change by one call does not affect the next.
      if (!hasOwn(args, name) && hasOwn(property, "default")) setOwn(args, name, copy(property.default));
    }
    for (let index = 0; index < required.length; index += 1) {
      const name: unknown = required[index];
      if (typeof name === "string" && !hasOwn(args, name))
        throw new TypeErrorOf(`Cannot call ${callee}: argument ${stringify(name)} is missing`);
    }
    return args;
  }

  return { complete };
}

function copy(value: unknown): unknown {
  return typeof value === "object" && value !== null ? parse(stringify(value)) : value;
}

function shapeOf(value: unknown): Shape {
  return typeof value === "object" && value !== null && !isArray(value) ? (value as Shape) : {};
}

function known(names: readonly string[]): string {
  let list = "";
  for (let index = 0; index < names.length; index += 1) list += (index === 0 ? "" : ", ") + names[index];
  return list === "" ? "; it takes none" : `; it takes ${list}`;
}

function checkType(name: string, value: unknown, type: unknown, callee: string): void {
  const isOne = isArray(type) ? hasAnyType(value, type) : hasType(value, type);
  if (isOne) return;
  const wanted = isArray(type) ? stringify(type) : `${type as string}`;
  throw new TypeErrorOf(
    `Cannot call ${callee}: argument ${stringify(name)} must be ${wanted}, got ${typeName(value)}`,
  );
}

function hasAnyType(value: unknown, types: readonly unknown[]): boolean {
  for (let index = 0; index < types.length; index += 1) if (hasType(value, types[index])) return true;
  return false;
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "string":
    case "boolean":
    case "number":
      return typeof value === type;
    case "integer":
      return isInteger(value);
    case "null":
      return value === null;
    case "array":
      return isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !isArray(value);
    default:
      return true;
  }
}

function typeName(value: unknown): string {
  return value === null ? "null" : isArray(value) ? "array" : typeof value;
}
