import { isIdentifier, quoted } from "../../registry/schema-type.js";

/** A field as an object literal names it. In brackets, `__proto__` is a field like any other. */
export function keyText(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return isIdentifier(name) ? name : quoted(name);
}
