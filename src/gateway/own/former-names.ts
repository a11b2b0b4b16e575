/**
 * Names that tools had before the unified API: nobody is shown them, and who still calls one is answered by the tool that
 * took its place, and told its name.
 *
 * @module
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { isJsonObject } from "../../base/json-object.js";
import type { OwnTool } from "../own-tool.js";
import { structuredResult } from "../structured-result.js";

type Input = Readonly<Record<string, unknown>>;

interface FormerName {
  /** On the wire; with `:` instead of its first `_` it was the id. */
  readonly name: string;
  /** The id of the tool that answers now. */
  readonly now: string;
  /** What an argument of then is now. */
  readonly renamed?: Readonly<Record<string, (value: unknown) => Input>>;
}

const FORMER_NAMES: readonly FormerName[] = [
  { name: "pml_execute_code", now: "pml:execute" },
  { name: "pml_execute_dag", now: "pml:execute" },
  {
    name: "pml_list_capabilities",
    now: "cap:list",
    renamed: { namespace: (value) => ({ pattern: `${String(value)}:*` }) },
  },
];

/** Of the tools that there are, under every name that one of them had. */
export function formerTools(tools: readonly OwnTool[]): readonly OwnTool[] {
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  return FORMER_NAMES.flatMap((former) => {
    const now = byId.get(former.now);
    return now === undefined ? [] : [formerTool(former, now)];
  });
}

function formerTool({ name, renamed = {} }: FormerName, now: OwnTool): OwnTool {
  const warning = `${name} is deprecated: call ${now.tool.name}`;
  return {
    id: name.replace("_", ":"),
    unlisted: true,
    tool: { ...now.tool, name },
    async run(input, scope, caller) {
      const answer = await now.run(inputOf(input, renamed), scope, caller);
      if (answer.kind !== "result") return answer;
      return { kind: "result", result: warned(answer.result as CallToolResult, warning) };
    },
  };
}

function inputOf(input: Input, renamed: NonNullable<FormerName["renamed"]>): Input {
  return Object.assign(
    {},
    ...Object.entries(input).map(([key, value]) =>
      Object.hasOwn(renamed, key) ? renamed[key]?.(value) : { [key]: value },
    ),
  ) as Input;
}

/** Among the warnings of the answer, where agents look for them. */
function warned(result: CallToolResult, warning: string): CallToolResult {
  const { structuredContent, isError = false, ...rest } = result;
  if (!isJsonObject(structuredContent)) return result;
  const { warnings } = structuredContent;
  const told = { ...structuredContent, warnings: [warning, ...(Array.isArray(warnings) ? warnings : [])] };
  return { ...rest, ...structuredResult(told, isError) };
}
