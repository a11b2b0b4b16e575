/**
 * Names that tools had before the unified API. They are not listed. A call of a former name is answered by the tool
 * that replaced it, and the answer gives the new name.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { isJsonObject } from "../../base/json-object.js";
import type { Operation } from "../operation.js";
import { structuredResult } from "../tool-result.js";

type Input = Readonly<Record<string, unknown>>;

interface FormerName {
  /** The wire name; the former id has `:` instead of `_` after `pml_`. */
  readonly name: string;
  /** The id of the tool that replaces it. */
  readonly now: string;
  /** Translates former arguments; undefined if an argument has no meaning any more. */
  readonly renamed?: Readonly<Record<string, (value: unknown) => Input>>;
  /** Arguments that the former tool implied. */
  readonly implied?: Input;
}

/** The arguments of the former search tools. */
const SEARCHED: NonNullable<FormerName["renamed"]> = {
  query: (value) => ({ intent: value }),
  threshold: (value) => ({ filter: { minScore: value } }),
  namespace: (value) => ({ filter: { namespace: value } }),
  include_related: (value) => ({ include_suggestions: value }),
  context_tools: () => ({}),
};

function formerSearch(name: string, type: "tool" | "capability"): FormerName {
  return { name, now: "pml:discover", renamed: SEARCHED, implied: { filter: { type } } };
}

const FORMER_NAMES: readonly FormerName[] = [
  formerSearch("pml_search_tools", "tool"),
  formerSearch("pml_search_capabilities", "capability"),
  formerSearch("pml_find_capabilities", "capability"),
  formerSearch("search_capabilities", "capability"),
  { name: "pml_execute_code", now: "pml:execute", implied: { intent: "Run code" } },
  {
    name: "pml_execute_dag",
    now: "pml:execute",
    renamed: { workflow: (value) => ({ dag: value }), tasks: (value) => ({ dag: { tasks: value } }) },
    implied: { intent: "Run a graph of tasks" },
  },
  {
    name: "pml_list_capabilities",
    now: "cap:list",
    renamed: { namespace: (value) => ({ pattern: `${String(value)}:*` }) },
  },
  {
    name: "pml_curate_capabilities",
    now: "cap:curate",
    renamed: { strategy: (value) => ({ mode: value }) },
  },
];

/** For each former name, an operation that calls its replacement, if that exists. */
export function formerTools(tools: readonly Operation[]): readonly Operation[] {
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  return FORMER_NAMES.flatMap((former) => {
    const now = byId.get(former.now);
    return now === undefined ? [] : [formerTool(former, now)];
  });
}

function formerTool({ name, renamed = {}, implied = {} }: FormerName, now: Operation): Operation {
  const warning = `${name} is deprecated: call ${now.tool.name}`;
  // The rights are those of the current name.
  return {
    ...now,
    id: name.replace(/^pml_/, "pml:"),
    unlisted: true,
    tool: { ...now.tool, name },
    async answer(input, scope, caller) {
      const answer = await now.answer(inputOf(input, renamed, implied), scope, caller);
      if (answer.kind !== "result") return answer;
      return { kind: "result", result: warned(answer.result as CallToolResult, warning) };
    },
  };
}

function inputOf(input: Input, renamed: NonNullable<FormerName["renamed"]>, implied: Input): Input {
  const parts = Object.entries(input).map(([key, value]): Input => {
    return (Object.hasOwn(renamed, key) ? renamed[key]?.(value) : undefined) ?? { [key]: value };
  });
  return [implied, ...parts].reduce(joined, {});
}

/** Merges two inputs; an object in both, such as `filter`, gets the fields of both. */
function joined(one: Input, other: Input): Input {
  const entries = Object.entries(other).map(([key, value]) => {
    const known = Object.hasOwn(one, key) ? one[key] : undefined;
    return [key, isJsonObject(known) && isJsonObject(value) ? { ...known, ...value } : value] as const;
  });
  return { ...one, ...Object.fromEntries(entries) };
}

/** Adds a warning to the answer, where agents look for it. */
function warned(result: CallToolResult, warning: string): CallToolResult {
  const { structuredContent, isError = false, ...rest } = result;
  if (!isJsonObject(structuredContent)) return result;
  const { warnings } = structuredContent;
  const told = { ...structuredContent, warnings: [warning, ...(Array.isArray(warnings) ? warnings : [])] };
  return { ...rest, ...structuredResult(told, isError) };
}
