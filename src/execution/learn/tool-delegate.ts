/**
 * Generates a capability that calls one tool, with default arguments. So long work can run in an orchestrator behind an
 * MCP server, under a name that says what it is for.
 *
 * The default arguments are in the code, so two capabilities of one tool differ.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { defined } from "../../base/defined.js";
import { isJsonObject } from "../../base/json-object.js";
import { nearest } from "../../base/nearest.js";
import { PmlError } from "../../base/pml-error.js";
import { referenced } from "../../base/schema-reference.js";
import type { ParametersSchema } from "../../registry/capability.js";
import type { ToolDelegate } from "../../registry/definition.js";
import type { KnownTool } from "../ports/tool-box.js";
import { literalTemplate } from "../prepare/check-dag.js";
import { bracketed, fieldTexts, text } from "../prepare/dag-code.js";
import type { ToolIndex } from "../prepare/tool-index.js";

export interface DelegateCode {
  readonly code: string;
  /** The parameters of the tool; one with a given value is not required, and has that value as its default. */
  readonly parameters: ParametersSchema;
}

const NAME_CHARS = 100;

/** Throws `TOOL_NOT_FOUND`, and `ARGUMENTS_INVALID` for an argument that the tool does not accept. */
export function delegateCode(
  { tool: name, arguments: given = {} }: ToolDelegate,
  tools: ToolIndex,
): DelegateCode {
  const tool = tools.find([name]);
  // Operations that only a person may use must not be revealed.
  if (tool === undefined || typeof tool.operation === "object") throw unknownTool(name, tools);
  const parameters = parametersOf(tool, given);
  const template = literalTemplate(given, (what) => {
    throw new PmlError("ARGUMENTS_INVALID", `Cannot make a capability of ${tool.id}: ${what}`);
  });
  const fields = fieldTexts(template);
  const passed = fields.length === 0 ? "args" : bracketed("{", [...fields, "...args"], "}", "");
  return { code: `return await mcp[${text(tool.id)}](${passed});\n`, parameters };
}

function unknownTool(name: string, tools: ToolIndex): PmlError {
  const like = nearest(
    name,
    tools.tools.flatMap(({ id, operation }) => (operation === undefined ? id : [])),
  );
  return new PmlError("TOOL_NOT_FOUND", `Unknown tool: ${JSON.stringify(name.slice(0, NAME_CHARS))}`, {
    hint:
      like.length === 0
        ? "Expected server:tool of a configured server; `pml tools list` shows them."
        : `Did you mean ${like.join(", ")}?`,
    ...(like.length > 0 && { data: { nearest: like } }),
  });
}

function parametersOf(
  { id, inputSchema }: KnownTool,
  given: Readonly<Record<string, Json>>,
): ParametersSchema {
  const schema = isJsonObject(inputSchema) ? inputSchema : {};
  const own = isJsonObject(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required)
    ? schema.required.filter((one) => typeof one === "string")
    : [];
  const isOpen = schema.additionalProperties !== false && Object.keys(own).length === 0;
  for (const name of Object.keys(given))
    if (!Object.hasOwn(own, name) && schema.additionalProperties === false)
      throw new PmlError("ARGUMENTS_INVALID", `${id} takes no argument ${JSON.stringify(name)}`, {
        hint: `It takes: ${Object.keys(own).join(", ") || "none"}.`,
      });
  const names = [...new Set([...Object.keys(own), ...Object.keys(given)])];
  return {
    type: "object",
    properties: Object.fromEntries(
      names.map((name): [string, Json] => {
        const property = Object.hasOwn(own, name) ? standalone(own[name], schema) : {};
        return [name, Object.hasOwn(given, name) ? { ...property, default: given[name] as Json } : property];
      }),
    ),
    required: required.filter((name) => !Object.hasOwn(given, name)),
    additionalProperties:
      isOpen || isJsonObject(schema.additionalProperties) || schema.additionalProperties === true,
  };
}

/**
 * Makes a field independent of the rest of its schema: inserts what it refers to; if references remain in that, keeps
 * only the type and the description.
 */
function standalone(property: unknown, root: unknown): Readonly<Record<string, Json>> {
  if (!isJsonObject(property)) return {};
  const { $ref, ...rest } = property;
  const target = $ref === undefined ? {} : referenced($ref, root);
  const whole = { ...(isJsonObject(target) ? target : {}), ...rest };
  if (!JSON.stringify(whole).includes('"$ref"')) return whole as Readonly<Record<string, Json>>;
  const { type, description } = whole;
  return defined({ type: type as Json | undefined, description: description as Json | undefined });
}
