/**
 * Data flow of code as short text, for tests: the arguments of calls, and what flows from one call into another.
 *
 * @module
 */
import { argumentsOf } from "../../src/analysis/data/argument-values.js";
import { dataFlow } from "../../src/analysis/data/data-flow.js";
import { providesEdges } from "../../src/analysis/data/provides-edges.js";
import { findReferences, type Use } from "../../src/analysis/names/references.js";
import { findReads } from "../../src/analysis/parameters/parameter-reads.js";
import type { Arguments, ArgumentValue } from "../../src/analysis/static-structure.js";
import { valuesIn } from "../../src/analysis/syntax/known-values.js";
import { parseCode } from "../../src/analysis/syntax/parse-code.js";
import { resolveScopes } from "../../src/analysis/syntax/scopes.js";
import { SourceText } from "../../src/analysis/syntax/source-text.js";
import { testVocabulary } from "./vocabulary.js";

const TEXT = { type: "string" };
const WHOLE_NUMBER = { type: "integer" };
const LIST_OF_TEXT = { type: "array", items: TEXT };

function object(properties: Record<string, object>, ...required: string[]): Record<string, never> {
  return { type: "object", properties, required } as unknown as Record<string, never>;
}

/** Tools with different schemas. `t:any` has none. */
const vocabulary = testVocabulary(
  {
    fs: {
      read: {
        inputSchema: object({ path: TEXT, encoding: TEXT }, "path"),
        outputSchema: object({ content: TEXT, size: WHOLE_NUMBER }),
      },
      write: {
        inputSchema: object({ path: TEXT, content: TEXT }, "path", "content"),
        outputSchema: object({ bytes: WHOLE_NUMBER }),
      },
      list: {
        inputSchema: object({ path: TEXT }, "path"),
        outputSchema: object({ entries: LIST_OF_TEXT }),
      },
      stat: {
        inputSchema: object({ path: TEXT }, "path"),
        outputSchema: object({ path: TEXT, size: WHOLE_NUMBER, owner: object({ name: TEXT }) }),
      },
    },
    json: {
      parse: {
        inputSchema: object({ json: TEXT }, "json"),
        outputSchema: object({ value: { type: "object" } }),
      },
    },
    http: {
      get: {
        inputSchema: object({ url: TEXT }, "url"),
        outputSchema: object({ status: WHOLE_NUMBER, body: TEXT }),
      },
      post: {
        inputSchema: object(
          { url: TEXT, body: object({ page: TEXT, count: WHOLE_NUMBER, tags: LIST_OF_TEXT }) },
          "url",
          "body",
        ),
        outputSchema: object({ status: WHOLE_NUMBER }),
      },
    },
    db: {
      query: {
        inputSchema: object({ sql: TEXT, limit: { type: "number" } }, "sql"),
        outputSchema: object({
          rows: { type: "array", items: object({ id: WHOLE_NUMBER, name: TEXT }) },
        }),
      },
    },
    t: { any: { inputSchema: { type: "object" } } },
  },
  [{ name: "text:sum", parameters: object({ text: TEXT, language: TEXT }, "text") as never }],
);

export interface FlowText {
  /** `n2 json=n1 (file.content)`: literals as JSON, parameters as `@name`. */
  readonly given: string;
  /** `n1>n2 strict content>json`, with `!` after a field whose types cannot agree. */
  readonly edges: string;
}

export function flowText(code: string): FlowText {
  const source = new SourceText(code);
  const { body } = parseCode(source);
  if (body === undefined) throw new Error("The code of the test cannot be parsed");
  const scopes = resolveScopes(body);
  const references = findReferences(scopes, vocabulary);
  const flow = dataFlow(scopes, references, findReads(scopes));
  const ids = new Map(references.uses.map((use, index) => [use, `n${index + 1}`]));
  const nodeOf = (use: Use): string | undefined => ids.get(use);
  const knownOf = valuesIn(scopes, flow.isChanged);
  const given = references.uses.flatMap((use) => {
    const found = argumentsOf(use, { source, scopes, flow, nodeOf, knownOf });
    return found === undefined ? [] : [`${nodeOf(use)} ${fieldsText(found)}`.trimEnd()];
  });
  const edges = providesEdges({
    uses: references.uses,
    scopes,
    flow,
    nodeOf,
    orderOf: (id) => Number(id.slice(1)),
  });
  return {
    given: given.join("; "),
    edges: edges
      .map(({ from, to, coverage, fieldMapping }) => {
        const mapping = fieldMapping.map(
          ({ fromField, toField, typeCompatible }) => `${fromField}>${toField}${typeCompatible ? "" : "!"}`,
        );
        return `${from}>${to} ${coverage} ${mapping.join(",")}`;
      })
      .join("; "),
  };
}

function fieldsText(fields: Arguments): string {
  return Object.entries(fields)
    .map(([key, value]) => `${key}=${valueText(value)}`)
    .join(" ");
}

function valueText(value: ArgumentValue): string {
  if (value.type === "literal") return JSON.stringify(value.value);
  const origin =
    value.type === "parameter"
      ? `@${value.parameterName}`
      : (value.producers?.join("+") ?? value.producer ?? "?");
  return value.fields === undefined
    ? `${origin} (${value.expression})`
    : `${origin} {${fieldsText(value.fields)}}`;
}
