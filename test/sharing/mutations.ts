/** Every way to change one thing of a line of an export, made from the line itself. */

type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };
type Path = readonly (string | number)[];

export interface Mutation {
  readonly kind: "changed" | "removed" | "duplicated" | "reordered" | "replayed" | "added";
  /** `versions.1.code`. */
  readonly where: string;
  readonly line: Line;
}

export interface Line {
  [field: string]: unknown;
  fqdn: string;
  versions: LineVersion[];
}

interface LineVersion {
  [field: string]: unknown;
  version: number;
}

/** `others` are lines that things are taken from. */
export function mutationsOf(line: Line, others: readonly Line[]): readonly Mutation[] {
  const mutations: Mutation[] = [];
  for (const path of pathsIn(line as unknown as JsonValue)) {
    const where = path.join(".");
    const add = (
      kind: Mutation["kind"],
      change: (parent: Record<string | number, JsonValue>, key: string | number) => void,
    ) => {
      const copy = structuredClone(line);
      const parent = at(copy as unknown as JsonValue, path.slice(0, -1)) as Record<
        string | number,
        JsonValue
      >;
      change(parent, path.at(-1) ?? "");
      mutations.push({ kind, where, line: copy });
    };
    const value = at(line as unknown as JsonValue, path);
    for (const other of otherValues(value))
      add("changed", (parent, key) => {
        parent[key] = other;
      });
    // The same field of another author's line.
    for (const source of others) {
      const theirs = at(source as unknown as JsonValue, path);
      if (theirs !== undefined && JSON.stringify(theirs) !== JSON.stringify(value))
        add("changed", (parent, key) => {
          parent[key] = structuredClone(theirs);
        });
    }
    add("removed", (parent, key) => {
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete parent[key];
    });
    if (Array.isArray(value)) {
      if (value.length > 0)
        add("duplicated", (parent, key) => {
          const list = parent[key] as JsonValue[];
          list.push(structuredClone(list[0] as JsonValue));
        });
      if (value.length > 1)
        add("reordered", (parent, key) => {
          (parent[key] as JsonValue[]).reverse();
        });
    }
  }
  const copy = (kind: Mutation["kind"], where: string, change: (fresh: Line) => void) => {
    const fresh = structuredClone(line);
    change(fresh);
    mutations.push({ kind, where, line: fresh });
  };
  copy("added", "a field that nobody knows", (fresh) => {
    fresh.usage_count = 7;
  });
  // Each version once more as the newest, with its number, and with the next one.
  for (const [index, version] of line.versions.entries()) {
    const next = line.versions.length + 1;
    for (const number of [version.version, next])
      copy("replayed", `version ${index + 1} as ${number}`, (fresh) => {
        fresh.versions.push({ ...structuredClone(version), version: number, version_tag: "v9.9.9" });
      });
    // Instead of the newest.
    copy("replayed", `version ${index + 1} instead of the newest`, (fresh) => {
      fresh.versions[fresh.versions.length - 1] = { ...structuredClone(version), version: next - 1 };
    });
  }
  for (const other of others)
    for (const [index, version] of other.versions.entries())
      copy("replayed", `version ${index + 1} of ${other.fqdn}`, (fresh) => {
        fresh.versions.push({ ...structuredClone(version), version: fresh.versions.length + 1 });
      });
  copy("reordered", "versions, renumbered", (fresh) => {
    fresh.versions.reverse();
    for (const [index, version] of fresh.versions.entries()) version.version = index + 1;
  });
  copy("removed", "version 1, renumbered", (fresh) => {
    fresh.versions.shift();
    for (const [index, version] of fresh.versions.entries()) version.version = index + 1;
  });
  return mutations;
}

/** Everything in it, and everything in that. */
function pathsIn(value: JsonValue, path: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return path.length === 0 ? [] : [path];
  const keys: (string | number)[] = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const inner = keys.flatMap((key) =>
    pathsIn((value as Record<string | number, JsonValue>)[key] ?? null, [...path, key]),
  );
  return path.length === 0 ? inner : [path, ...inner];
}

function at(value: JsonValue, path: Path): JsonValue | undefined {
  let found: JsonValue | undefined = value;
  for (const key of path)
    found =
      typeof found === "object" && found !== null
        ? (found as Record<string | number, JsonValue>)[key]
        : undefined;
  return found;
}

/** Of the same form where it has one, so that more than the form is checked. */
function otherValues(value: JsonValue | undefined): readonly JsonValue[] {
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [value + 1, value - 1];
  if (typeof value !== "string") return Array.isArray(value) ? [[]] : [{}];
  if (/^[0-9a-f]{64}$/.test(value)) return [flipped(value)];
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return [value.replace(/^\d{4}/, "2001")];
  if (/^[A-Za-z0-9+/]{43,}={1,2}$/.test(value))
    return [Buffer.from(value, "base64").reverse().toString("base64")];
  const choices = [
    ["private", "project", "org", "public"],
    ["local", "cloud"],
    ["tools", "explicit"],
    ["auto", "none", "memoize", "persistent"],
    ["code", "dag", "tool"],
  ].find((all) => all.includes(value));
  if (choices !== undefined) return choices.filter((choice) => choice !== value);
  // Fits names, code, tags, texts and the hash at the end of an FQDN.
  return [`${value}0`, `other_${value}`];
}

function flipped(hex: string): string {
  return (hex.startsWith("0") ? "1" : "0") + hex.slice(1);
}
