/**
 * `pml_execute`: run code or a capability, and remember what worked.
 *
 * @module
 */
import { z } from "zod";
import type { StaticStructure } from "../../analysis/static-structure.js";
import type { Json } from "../../base/canonical-json.js";
import { LIMITS } from "../../base/limits.js";
import { type ErrorShape, errorShape, PmlError } from "../../base/pml-error.js";
import type {
  ApprovalRequest,
  CodePermissions,
  DryRunAnswer,
  DryRunProblem,
  ExecuteAnswer,
  ExecuteRequest,
  RelatedItem,
  Suggestions,
} from "../../execution/ports/execute-answer.js";
import { cleanTexts } from "../../mcp/clean-text.js";
import type { Caller } from "../../mcp/real-servers.js";
import type { ParametersSchema } from "../../registry/capability.js";
import type { Fqdn } from "../../registry/fqdn.js";
import { codeName } from "../../registry/type-signature.js";
import { withApproval } from "../ask-approval.js";
import { given, list, operation, Question, withWarnings } from "../operation.js";
import type { Parts } from "./parts.js";
import { relatedViews } from "./related-view.js";
import { runCaller } from "./run-caller.js";
import { serversBehind } from "./servers-behind.js";

const values = z.record(z.string(), z.unknown());

const schema = z.strictObject({
  intent: z.string().min(1).max(LIMITS.intentChars).describe("What this is for, in a sentence"),
  code: z.string().optional().describe("TypeScript: the body of an async function"),
  dag: z
    .strictObject({
      tasks: z
        .array(
          z.strictObject({
            id: z.string(),
            tool: z.string().optional().describe("server:tool"),
            capability: z.string().optional().describe("Instead of tool: any form of a capability's name"),
            arguments: values
              .optional()
              .describe(
                '{ "$ref": "t1.content" } is a result of another task, { "$arg": "name" } a parameter',
              ),
            dependsOn: z.array(z.string()).optional(),
          }),
        )
        .min(1)
        .max(LIMITS.dagTasks),
    })
    .optional()
    .describe("Instead of code: a graph of tasks; independent tasks run in parallel"),
  capability: z
    .string()
    .optional()
    .describe("Instead of code: the name, id or FQDN of a capability, also name@v1"),
  resume: z
    .string()
    .optional()
    .describe("Instead of code: the workflowId of a run that a person has approved, to continue it"),
  args: values
    .optional()
    .describe(
      "Values for args.x in the code, or for the capability's parameters. With the intent alone: run the match",
    ),
  context: values.optional().describe("Same as args"),
  name: z
    .string()
    .optional()
    .describe("With code or dag: remember it under this name, namespace:action, such as fs:read_json"),
  options: z
    .strictObject({
      timeout: z.int().min(1).max(LIMITS.runTimeMostMs).optional().describe("Milliseconds; 30000 by default"),
      update: z.boolean().optional().describe("Add the code as a new version if the name exists"),
      version_tag: z.string().optional().describe("Semantic tag of that version, such as v1.2.0"),
      dry_run: z
        .boolean()
        .optional()
        .describe("Run nothing: return structure, parameters, permissions, all problems; needs no args"),
      no_cache: z.boolean().optional().describe("Ignore a cached result, and replace it"),
      remember: z.boolean().optional().describe("false: do not learn; the code does not become a capability"),
      per_layer_validation: z
        .boolean()
        .optional()
        .describe("Ask for approval before each layer of calls instead of before the run"),
    })
    .optional(),
});

/** A run that continues has its intent. */
const resumeSchema = schema.partial({ intent: true });

type Input = z.infer<typeof resumeSchema>;

const SUMMARY =
  "Run TypeScript that calls tools of the MCP servers behind PML, in one go. Code that succeeds is remembered as a capability: name it, and next time send only `capability` and `args`.";

/** What an agent has to know to get it right the first time. */
function description(parts: Pick<Parts, "servers">): string {
  return `${SUMMARY}
${serversBehind(parts)}
In \`code\` (the body of an async function):
- \`await mcp.<server>.<tool>({ … })\` gives the tool's structured content, else its text (JSON is parsed); a failed call throws. \`mcp["server:tool"]({ … })\` is the same.
- \`await mcp.<namespace>.<action>({ … })\` calls a capability.
- \`args.x\` for values that change from call to call: pass them in \`args\`, so that the code can be used again.
- \`return\` a JSON value. \`Promise.all\` calls in parallel. \`console.log\` comes back in \`logs\`. There is no import, fetch, file system or process.
Example: { "intent": "read a JSON file", "code": "const f = await mcp.filesystem.read_text_file({ path: args.path });\\nreturn JSON.parse(f.content);", "args": { "path": "/data/a.json" }, "name": "fs:read_json" }
Again: { "intent": "read a JSON file", "capability": "fs:read_json", "args": { "path": "/data/b.json" } }
Start with pml_discover, which finds tools and capabilities with their signatures. { "intent": "read a JSON file" } alone suggests them with schemas.`;
}

const text = z.string();
const anyAnswer = {
  mode: z.enum(["direct", "call_by_name", "speculation", "suggestion"]),
  capabilityId: text.exactOptional(),
  capabilityName: text.exactOptional(),
  capabilityFqdn: given<Fqdn>().exactOptional(),
  capabilityVersion: z.int().exactOptional(),
  workflowId: text,
  executionTimeMs: z.number(),
  tasks: list(
    z.strictObject({
      taskId: text,
      tool: text,
      success: z.boolean(),
      status: z.enum(["success", "failed", "skipped"]).exactOptional(),
      durationMs: z.number(),
      resultPreview: text,
    }),
  ),
  ...withWarnings,
};

/** What `execute-answer.ts` in `execution` describes, field by field. */
const executeAnswers: z.ZodType<ExecuteAnswer | DryRunAnswer> = z.union([
  z.strictObject({
    ...anyAnswer,
    status: z.enum(["success", "approval_required", "suggestions", "error"]),
    result: given<Json>().exactOptional(),
    callAgain: text.exactOptional(),
    executedPath: list(text).exactOptional(),
    logs: list(text).exactOptional(),
    cacheHit: z.enum(["execution", "capability", "intent"]).exactOptional(),
    approval: given<ApprovalRequest>().exactOptional(),
    dag: given<StaticStructure>().exactOptional(),
    suggestions: given<Suggestions>().exactOptional(),
    related: list(given<RelatedItem>()).exactOptional(),
    error: given<ErrorShape>().exactOptional(),
  }),
  z.strictObject({
    ...anyAnswer,
    status: z.literal("dry_run"),
    dag: given<StaticStructure>(),
    taskIds: z.record(text, text).exactOptional(),
    parameters: given<ParametersSchema>(),
    liftedParameters: list(text).exactOptional(),
    permissions: given<CodePermissions>(),
    problems: list(given<DryRunProblem>()),
    predictedPath: list(text),
    predictedBy: z.enum(["runs", "structure"]),
  }),
]);

export const pmlExecute = operation({
  id: "pml:execute",
  who: "agent",
  title: "Run code or a capability",
  summary: SUMMARY,
  shown: (parts: Pick<Parts, "executor" | "servers">) => ({ description: description(parts) }),
  input: schema,
  output: executeAnswers,
  hints: { openWorldHint: true },
  isAlwaysLoaded: true,
  accepts: ({ resume }) => (resume === undefined ? schema : resumeSchema),
  run:
    ({ executor }) =>
    async (input, scope, caller) => {
      const request = requestOf(input);
      const { intent } = request;
      const from = runCaller(scope, caller);
      const asked = await withApproval(
        {
          start: () => executor.execute(request, from),
          resume: (resume) => executor.execute({ intent, resume }, from),
        },
        executor.desk,
        scope,
        caller,
      );
      return asked.kind === "question" ? new Question(asked.result) : shown(asked.answer, caller);
    },
  failed: ({ status }) => status === "error",
  refused: (error) => ({ status: "error", error: errorShape(error) }),
});

/** What is suggested is written by servers and by other people. */
function shown(answer: ExecuteAnswer | DryRunAnswer, { isLean }: Caller): ExecuteAnswer | DryRunAnswer {
  if (answer.status === "suggestions") {
    const { suggestions } = answer;
    if (isLean !== true || suggestions === undefined) return cleanTexts(answer);
    const tools = suggestions.tools.map((tool) => ({ ...tool, name: codeName(tool.id) }));
    return cleanTexts({ ...answer, suggestions: { ...suggestions, tools } });
  }
  return answer.status === "success" && answer.related !== undefined
    ? { ...answer, related: relatedViews(answer.related, isLean) }
    : answer;
}

function requestOf({ context, args, intent = "", ...rest }: Input): ExecuteRequest {
  const { code, dag, capability, resume, name } = rest;
  const given = Object.entries({ code, dag, capability, resume }).filter(([, value]) => value !== undefined);
  if (given.length > 1) throw invalid(`give only one of ${given.map(([key]) => key).join(" and ")}`);
  if (args !== undefined && context !== undefined) throw invalid("args and context are the same; give one");
  const isNew = code !== undefined || dag !== undefined;
  const { update, version_tag } = rest.options ?? {};
  if (!isNew && (update !== undefined || version_tag !== undefined))
    throw invalid("options.update and options.version_tag need code or dag");
  if (rest.options?.remember === false && (name ?? update ?? version_tag) !== undefined)
    throw invalid(
      "options.remember: false cannot be combined with name, options.update or options.version_tag",
    );
  if (update === true && name === undefined) throw invalid("options.update needs the name to update");
  if (name !== undefined && !isNew)
    throw invalid("name needs code or dag", "cap_rename gives a capability another name.");
  if (resume !== undefined && (args !== undefined || context !== undefined || rest.options !== undefined))
    throw invalid(
      "resume takes neither args nor options: the run continues as it was approved",
      "Send the code again to run it with other arguments.",
    );
  const values = (args ?? context) as Readonly<Record<string, Json>> | undefined;
  return { ...rest, intent, args: values } as ExecuteRequest;
}

function invalid(why: string, hint?: string): PmlError {
  return new PmlError(
    "ARGUMENTS_INVALID",
    `Cannot call pml_execute: ${why}`,
    hint === undefined ? {} : { hint },
  );
}
