/**
 * The text of a configuration file: what it says, and the same text with PML in it.
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
import type { ConfigEdit } from "./text-change.js";

/** What the text says; nothing where it has only spaces and comments. Throws {@link BrokenText}. */
export function contentOf(format: ConfigFormat, text: string): unknown {
  const plain = text.replace(/^\uFEFF/, "");
  if (format === "jsonc") {
    const node = parseJsonc(plain);
    return node === undefined ? undefined : jsonValue(node);
  }
  return format === "toml" ? tomlContent(plain) : yamlContent(plain);
}

/**
 * The text with the edit made. What it says is compared with what it should say before it is returned: a text that an
 * edit gets wrong is refused, never written. Throws {@link BrokenText}.
 */
export function editedText(format: ConfigFormat, text: string, edit: ConfigEdit): string {
  const wanted = canonicalJson(expected(contentOf(format, text), edit));
  const after = { jsonc: editJsonc, toml: editToml, yaml: editYaml }[format](text, edit);
  if (canonicalJson(contentOf(format, after) ?? null) === wanted) return after;
  throw new BrokenText("its servers are written in a way that PML cannot edit");
}

function expected(content: unknown, { path, isList, remove, name, entry }: ConfigEdit): unknown {
  if (content !== undefined && content !== null && !isJsonObject(content))
    throw new BrokenText("expected keys and values");
  return setAt(content ?? {}, path, (servers) => {
    if (isList !== true) {
      const known = Object.entries(isJsonObject(servers) ? servers : {});
      return Object.fromEntries([...known.filter(([key]) => !remove.includes(key)), [name, entry]]);
    }
    const items: readonly unknown[] = Array.isArray(servers) ? servers : [];
    const goes = (item: unknown) => {
      const known = isJsonObject(item) ? item.name : undefined;
      return known === name || remove.some((one) => one === known);
    };
    const added = { name, ...(entry as object) };
    const place = items.findIndex(goes);
    if (place < 0) return [...items, added];
    return [...items.slice(0, place), added, ...items.slice(place).filter((item) => !goes(item))];
  });
}

function setAt(value: unknown, [key, ...rest]: KeyPath, make: (present: unknown) => unknown): unknown {
  if (key === undefined) return make(value);
  const known = isJsonObject(value) ? value : {};
  return { ...known, [key]: setAt(known[key], rest, make) };
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
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = text.slice(0, error.pos[0]).split("\n").length;
    throw new BrokenText(error.message.split("\n")[0] ?? "it is not YAML", line);
  }
  try {
    const value: unknown = document.toJS();
    return value === null ? undefined : JSON.parse(JSON.stringify(value, asText));
  } catch (failure) {
    throw new BrokenText(messageOf(failure));
  }
}
