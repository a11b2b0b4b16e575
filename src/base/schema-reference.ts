/**
 * Local references of a JSON Schema: `{ "$ref": "#/$defs/filter" }`.
 *
 * @module
 */

const KEYS = 20;

/** The target of `ref` within `root`; undefined if it is external or missing. */
export function referenced(ref: unknown, root: unknown): unknown {
  if (ref === "#") return root;
  if (typeof ref !== "string" || !ref.startsWith("#/")) return undefined;
  const keys = ref.slice(2).split("/", KEYS + 1);
  if (keys.length > KEYS) return undefined;
  let target: unknown = root;
  for (const key of keys) {
    const name = decoded(key).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, name)) return undefined;
    target = (target as Readonly<Record<string, unknown>>)[name];
  }
  return target;
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
