/**
 * The text of a configuration file: parses it, and edits PML's entry in it.
 *
 * @module
 */
import { parse as parseToml, TomlError } from "smol-toml";
import { parseDocument } from "yaml";
import { canonicalJson } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { messageOf } from "../base/pml-error.js";
import { BrokenText } from "./broken-text.js";
import type { ConfigFormat, KeyPath } from "./client-table.js";
import { editJsonc } from "./edit-jsonc.js";
import { editToml } from "./edit-toml.js";
import { editYaml } from "./edit-yaml.js";
import { jsonValue, parseJsonc } from "./jsonc.js";
import { type ConfigEdit, withPut } from "./text-change.js";

/** The parsed text; undefined if it has only spaces and comments. Throws {@link BrokenText}. */
export function contentOf(format: ConfigFormat, text: string): unknown {
  const plain = text.replace(/^\uFEFF/, "");
  if (format === "jsonc") {
    const node = parseJsonc(plain);
    return node === undefined ? undefined : jsonValue(node);
  }
  return format === "toml" ? tomlContent(plain) : yamlContent(plain);
}

/**
 * The edited text. Its parsed content is compared with the expected one before it is returned: a wrong result is
 * refused, never written. Throws {@link BrokenText}.
 */
export function editedText(format: ConfigFormat, text: string, edit: ConfigEdit): string {
  const wanted = comparable(expected(contentOf(format, text), edit), edit.path);
  const after = { jsonc: editJsonc, toml: editToml, yaml: editYaml }[format](text, edit);
  if (comparable(contentOf(format, after) ?? {}, edit.path) === wanted) return after;
  throw new BrokenText("its servers are written in a way that PML cannot edit");
}

/** The entries as written, by name. Throws {@link BrokenText} if something else is in their place. */
export function entriesIn(
  content: unknown,
  { path, isList }: Pick<ConfigEdit, "path" | "isList">,
): ReadonlyMap<string, unknown> {
  const servers = serversIn(content, path, isList);
  if (!Array.isArray(servers)) return new Map(Object.entries(servers));
  return new Map(
    servers.filter(isJsonObject).map(({ name, ...entry }): [string, unknown] => [String(name), entry]),
  );
}

function serversIn(
  content: unknown,
  path: KeyPath,
  isList: true | undefined,
): Record<string, unknown> | readonly unknown[] {
  let value = content ?? {};
  for (const [index, key] of path.entries()) {
    if (!isJsonObject(value))
      throw new BrokenText([...path.slice(0, index), "expected keys and values"].join(": "));
    value = value[key] ?? (isList === true && index === path.length - 1 ? [] : {});
  }
  if (isList === true ? Array.isArray(value) : isJsonObject(value))
    return value as Record<string, unknown> | readonly unknown[];
  throw new BrokenText(`${path.join(".")}: expected ${isList === true ? "a list" : "an object"} of servers`);
}

function expected(content: unknown, { path, isList, remove, put }: ConfigEdit): unknown {
  const servers = serversIn(content, path, isList);
  return setAt(content, path, () => {
    if (Array.isArray(servers)) {
      const goes = (item: unknown) => {
        const known = isJsonObject(item) ? item.name : undefined;
        return known !== undefined && (known === put?.name || remove.some((one) => one === known));
      };
      return withPut(servers, goes, put);
    }
    const stays = Object.entries(servers).filter(([key]) => !remove.includes(key));
    return Object.fromEntries([...stays, ...(put === undefined ? [] : [[put.name, put.entry]])]);
  });
}

/** A missing place for servers equals an empty one: TOML has no other way to express it. */
function comparable(content: unknown, path: KeyPath): string {
  const isEmpty = (servers: unknown) =>
    servers === null || (typeof servers === "object" && Object.keys(servers).length === 0);
  return canonicalJson(setAt(content, path, (servers) => (isEmpty(servers) ? undefined : servers)));
}

/** Sets another value there; undefined removes the key. */
function setAt(value: unknown, [key, ...rest]: KeyPath, make: (present: unknown) => unknown): unknown {
  if (key === undefined) return make(value);
  const { [key]: present, ...others } = isJsonObject(value) ? value : {};
  const made = setAt(present, rest, make);
  return made === undefined ? others : { ...others, [key]: made };
}

function tomlContent(text: string): unknown {
  try {
    // Dates and large numbers become texts, so that every content can be compared and shown.
    return JSON.parse(JSON.stringify(parseToml(text, { integersAsBigInt: "asNeeded" }), asText));
  } catch (error) {
    if (!(error instanceof TomlError)) throw new BrokenText(messageOf(error));
    throw new BrokenText(
      /^Invalid TOML document: (.*)$/m.exec(error.message)?.[1] ?? "it is not TOML",
      error.line,
    );
  }
}

function asText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function yamlContent(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: false, logLevel: "error" });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = text.slice(0, error.pos[0]).split("\n").length;
    throw new BrokenText(withoutText(error.message), line);
  }
  try {
    const value: unknown = document.toJS();
    return value === null ? undefined : JSON.parse(JSON.stringify(value, asText));
  } catch (failure) {
    throw new BrokenText(withoutText(messageOf(failure)));
  }
}

/** After a colon such messages quote the text, which may be a secret. */
function withoutText(message: string): string {
  return message.split(/[:\n]/)[0] || "it is not YAML";
}
