/**
 * Parses sources of a merge: `fs:read(path: string, depth?: integer = 2) -> { data: object } // Read it`.
 *
 * @module
 */
import { analyse } from "../../src/analysis/analyse.js";
import type { Analysis } from "../../src/analysis/analysis.js";
import type { Vocabulary } from "../../src/analysis/vocabulary.js";
import type { Json } from "../../src/base/canonical-json.js";
import type { MergeSource } from "../../src/execution/learn/merge-code.js";
import { testVocabulary } from "./vocabulary.js";

const SOURCE = /^([^(@\s]+)(?:@(\d+))?\((.*?)\)(?: -> (.*?))?(?: \/\/ (.*))?$/s;

/** `...` among the parameters: the code uses its arguments as a whole. */
export function mergeSource(text: string): MergeSource {
  const [, displayName = "", version, parameters = "", result, intent] = SOURCE.exec(text) ?? [];
  const fields = parameters.split(", ").filter((each) => each !== "" && each !== "...");
  const properties = fields.map((field): [string, Json] => {
    const [, name = "", type = "", value] = /^(.*?)\??: (.*?)(?: = (.*))?$/.exec(field) ?? [];
    return [name, { ...typeSchema(type), ...(value === undefined ? {} : { default: JSON.parse(value) }) }];
  });
  return {
    displayName,
    ...(version === undefined ? {} : { version: Number(version) }),
    parameters: {
      type: "object",
      properties: Object.fromEntries(properties),
      required: fields.flatMap((field) => /^([^:?]*):/.exec(field)?.slice(1, 2) ?? []),
      additionalProperties: parameters.includes("..."),
    },
    ...(result === undefined ? {} : { result: typeSchema(result) }),
    ...(intent === undefined ? {} : { intent }),
  };
}

/** `string`, `string|null`, `"a"|"b"`, `{ data: object, size: number }`, `any`. */
function typeSchema(text: string): { readonly [key: string]: Json } {
  if (text === "any") return {};
  if (text.startsWith("{")) {
    const fields = text.slice(1, -1).split(",");
    const properties = fields.flatMap((field): [string, Json][] => {
      const [name = "", type = ""] = field.split(":").map((part) => part.trim());
      return name === "" ? [] : [[name, typeSchema(type)]];
    });
    return { type: "object", properties: Object.fromEntries(properties) };
  }
  const parts = text.split("|");
  if (text.startsWith('"')) return { enum: parts.map((part): Json => JSON.parse(part)) };
  return { type: parts.length === 1 ? text : parts };
}

/** A vocabulary with the sources by their names and versions. */
export function mergeVocabulary(sources: readonly MergeSource[]): Vocabulary {
  const known = sources.map(({ displayName, reference, version, parameters: schema }, index) => {
    const parameters = schema as unknown as Json;
    return {
      name: reference ?? displayName,
      fqdn: `local.default.merged.step${index}.${(0xa000 + index).toString(16)}`,
      parameters,
      ...(version === undefined ? {} : { pins: { [version]: { version, parameters } } }),
    };
  });
  // The last capability with a name counts as the newest, so pinned ones come first.
  return testVocabulary({}, [...known.filter(({ pins }) => pins), ...known.filter(({ pins }) => !pins)]);
}

/** The analysis of the code: its problems, or its arguments and its data flow. */
export function mergeText(code: string, sources: readonly MergeSource[]): string {
  const { problems, parameters, structure, hasComputedCalls } = analyse(code, mergeVocabulary(sources));
  if (problems.length > 0 || hasComputedCalls) return problems.map(({ message }) => message).join("; ");
  const names = Object.keys(parameters.properties).map(
    (name) => name + (parameters.required.includes(name) ? "" : "?"),
  );
  const all = [...names, ...(parameters.additionalProperties ? ["..."] : [])].join(", ");
  return [`(${all})`, ...flowsOf(structure)].join(" ");
}

function flowsOf({ edges }: Analysis["structure"]): readonly string[] {
  return edges.flatMap((edge) =>
    edge.type === "provides"
      ? [
          `${edge.from}>${edge.to} ${edge.fieldMapping.map(({ fromField, toField }) => `${fromField}>${toField}`).join(",")}`,
        ]
      : [],
  );
}
