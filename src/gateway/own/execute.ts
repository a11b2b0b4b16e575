/**
 * `pml_execute`: runs code or a capability, and remembers code that worked.
 *
 * @module
 */
import { z } from "zod";
import type { StaticStructure } from "../../analysis/static-structure.js";
import type { Json } from "../../base/canonical-json.js";
import { defined } from "../../base/defined.js";
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
import { BRIEF, given, list, operation, Question, withWarnings } from "../operation.js";
import type { Parts } from "./parts.js";
import { relatedViews } from "./related-view.js";
import { runCaller } from "./run-caller.js";
import { serversBehind } from "./servers-behind.js";

const values = z.record(z.string(), z.unknown());

const schema = z.strictObject({
  intent: z.string().min(1).max(LIMITS.intentChars).describe("What it is for"),
  code: z.string().optional(),
  capability: z.string().optional().describe("Instead of code: its name, or name@v1"),
  args: values.optional(),
  name: z.string().optional().describe("namespace:action to remember it by"),
  dag: z
    .strictObject({
      tasks: z
        .array(
          z.strictObject({
            id: z.string(),
            tool: z.string().optional(),
            capability: z.string().optional(),
            arguments: values.optional(),
            dependsOn: z.array(z.string()).optional(),
          }),
        )
        .min(1)
        .max(LIMITS.dagTasks),
    })
    .optional()
    .meta({
      ...BRIEF,
      description:
        "Instead of code: {tasks: [{id, tool: 'server:tool', arguments: {x: {$arg: 'x'}, y: {$ref: 'id.field'}}}]}",
    }),
  resume: z.string().optional().describe("Instead of code: workflowId of an approved run"),
  options: z
    .strictObject({
      timeout: z.int().min(1).max(LIMITS.runTimeMostMs).optional(),
      update: z.boolean().optional(),
      version_tag: z.string().optional(),
      dry_run: z.boolean().optional(),
      no_cache: z.boolean().optional(),
      remember: z.boolean().optional(),
      per_layer_validation: z.boolean().optional(),
      detail: z.enum(["compact", "full"]).optional(),
    })
    .optional()
    .meta({
      ...BRIEF,
      description:
        "{dry_run: true (analyse only), no_cache, remember: false, update: true (new version of name), version_tag, timeout: ms, detail: 'full'}",
    }),
});

/** `context` is an old name of `args`. */
const acceptedSchema = schema.extend({ context: values.optional() });

/** A continued run already has its intent. */
const resumeSchema = acceptedSchema.partial({ intent: true });

type Input = z.infer<typeof resumeSchema>;

const SUMMARY =
  "Run TypeScript that calls tools of the servers behind PML. Use it for two or more calls, loops over results, or anything that may be needed again: code that succeeds is remembered as a capability.";

/** What an agent must know to call it correctly the first time. */
const description = (
  parts: Pick<Parts, "servers">,
) => `${SUMMARY} Start with pml_discover. ${serversBehind(parts)}
code is an async function body: await mcp.<server>.<tool>({…}) calls a tool (JSON is parsed, failures throw), mcp.<namespace>.<action>({…}) a capability; mcp.cap.list, lookup, whois, history, rename, fork, merge, delete({…}) manage them. Take changing values from args; return JSON. No import, fetch or files.
{"intent":"read a JSON file","code":"const f = await mcp.fs.read_file({ path: args.path });\\nreturn JSON.parse(f.content)","args":{"path":"a.json"},"name":"json:read"}
Later: "capability":"json:read" instead of code. Intent and args alone run what matches.`;

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

/** The schema of the types in `execution`'s `execute-answer.ts`. */
const executeAnswers: z.ZodType<ExecuteAnswer | DryRunAnswer> = z.union([
  z.strictObject({
    ...anyAnswer,
    status: z.enum(["success", "approval_required", "suggestions", "error"]),
    result: given<Json>().exactOptional(),
    callAgain: z.strictObject({ capability: text }).exactOptional(),
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
  refusedInCode: "code cannot start another run; it calls a capability as mcp.<namespace>.<action>({…})",
  accepts: ({ resume }) => (resume === undefined ? acceptedSchema : resumeSchema),
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
  compact,
  failed: ({ status }) => status === "error",
  refused: (error) => ({ status: "error", error: errorShape(error) }),
});

/**
 * A success contains what an agent acts on; the rest of the run is in `_meta`, and in the answer if requested. An agent
 * needs all of the other answers.
 */
function compact(answer: ExecuteAnswer | DryRunAnswer, { options }: Input) {
  const { result, logs, callAgain, ...run } = answer as ExecuteAnswer;
  const meta = { "pml/run": run };
  if (answer.status !== "success" || options?.detail === "full") return { content: answer, meta };
  const { status, workflowId, cacheHit, warnings } = run;
  // Tools are found with pml_discover; a capability saves the agent the code.
  const capabilities = run.related?.filter(({ type }) => type === "capability") ?? [];
  const related = capabilities.length === 0 ? undefined : capabilities;
  // `callAgain` already contains the name.
  const capabilityName = callAgain === undefined ? run.capabilityName : undefined;
  return {
    content: defined({
      ...{ status, result, workflowId, capabilityName, callAgain },
      ...{ cacheHit, logs, warnings, related },
    }),
    meta,
  };
}

/** Suggested texts come from servers and other people. */
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
