import { z } from "zod";
import { LIMITS } from "../../base/limits.js";
import { PmlError } from "../../base/pml-error.js";
import type { SaveRequest } from "../../execution/learn/capability-saver.js";
import { type Definition, dagSchema, delegateSchema } from "../../registry/definition.js";
import { isVersionTag } from "../../registry/version-spec.js";
import { BRIEF, operation } from "../operation.js";
import { saveAnswer } from "./answers.js";
import { savedAnswer } from "./capability-view.js";
import type { Parts } from "./parts.js";

const SUMMARY_CHARS = 1_000;

const values = z.record(z.string(), z.unknown());

const schema = z.strictObject({
  intent: z.string().min(1).max(LIMITS.intentChars).describe("What it is for"),
  code: z.string().optional().describe("As for pml_execute"),
  source: z
    .union([
      z.string(),
      z.looseObject({
        type: z.string().describe("code, dag or tool"),
        code: z.string().optional(),
        tasks: z.array(z.looseObject({})).optional().describe("With dag: as in dag.tasks of pml_execute"),
        tool: z.string().optional().describe("With tool: server:tool that calls are forwarded to"),
        arguments: values.optional().describe("With tool: default arguments"),
      }),
    ])
    .optional()
    .meta({
      ...BRIEF,
      description:
        "Instead of code: {type: 'tool', tool: 'server:tool', arguments: {…}} or {type: 'dag', tasks: […]}",
    }),
  name: z.string().optional().describe("namespace:action; if it exists, this is its next version"),
  version_tag: z.string().optional().describe("v1.2.0"),
  change_summary: z.string().max(SUMMARY_CHARS).optional(),
  routing: z.enum(["local", "cloud"]).optional().describe("default: from its tools"),
});

/** `cap_save`: saves code, or a definition from which code is generated, without running it. */
export const capSave = operation({
  id: "cap:save",
  who: "agent",
  title: "Save code as a capability",
  summary: "Save code, a graph of tasks or a tool with default arguments as a capability. Runs nothing.",
  input: schema,
  output: saveAnswer,
  run:
    ({ registry, saver }: Pick<Parts, "registry" | "saver">) =>
    async ({ code, source, ...rest }, scope) => {
      if (rest.version_tag !== undefined && !isVersionTag(rest.version_tag))
        throw new PmlError(
          "ARGUMENTS_INVALID",
          `Cannot call cap_save: version_tag is "${rest.version_tag.slice(0, 100)}", expected one such as v1.2.0`,
        );
      const saved = await saver.save({ ...rest, ...contentOf(code, source) }, scope);
      return await savedAnswer(registry, saved);
    },
});

function contentOf(
  code: string | undefined,
  source: z.infer<typeof schema>["source"],
): Pick<SaveRequest, "code" | "definition"> {
  if (code !== undefined && source !== undefined) throw invalid("give either code or source, not both");
  if (code !== undefined) return { code };
  if (source === undefined) throw invalid("neither code nor source is given");
  if (typeof source === "string") return { code: source };
  const { type, ...given } = source;
  switch (type) {
    case "code":
      if (given.code === undefined) throw invalid("source.code is missing");
      return { code: given.code };
    case "dag":
      return { definition: definitionOf({ tasks: given.tasks }, "tasks") };
    case "tool":
      // The alternative names are those from before the unified API.
      return {
        definition: definitionOf(
          { tool: given.tool ?? given.toolId, arguments: given.arguments ?? given.defaultArgs ?? {} },
          "tool",
        ),
      };
    default:
      throw invalid(`source.type is "${type.slice(0, 100)}", expected code, dag or tool`);
  }
}

function definitionOf(value: Readonly<Record<string, unknown>>, field: "tasks" | "tool"): Definition {
  if (value[field] === undefined) throw invalid(`source.${field} is missing`);
  const parsed = (field === "tasks" ? dagSchema : delegateSchema).safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(
    `source.${issue?.path.map(String).join(".")}: ${issue?.message.replace(/^Invalid input: /, "")}`,
  );
}

function invalid(why: string): PmlError {
  return new PmlError("ARGUMENTS_INVALID", `Cannot call cap_save: ${why}`, {
    hint: 'Give the code as `code`, or as `source`: { "type": "code", "code": "…" }, { "type": "dag", "tasks": [ … ] } or { "type": "tool", "tool": "server:tool", "arguments": { … } }.',
  });
}
