/**
 * The question to a person about a run: built from its plan, or from the calls that it waits with. Its text is
 * formatted so that no part can imitate another.
 *
 * @module
 */
import type { Json } from "../../base/canonical-json.js";
import { visible } from "../../base/visible-text.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import type { ToolId } from "../../registry/tool-id.js";
import type {
  ApprovalCall,
  ApprovalCode,
  ApprovalReason,
  ApprovalRequest,
  ApprovalTool,
  CallNotes,
} from "../ports/execute-answer.js";
import { shownValue } from "../prepare/known-value.js";
import type { ToolNeedingApproval } from "../prepare/plan-run.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import { type ShownCall, shownCalls } from "../prepare/shown-calls.js";
import type { RecordedCall } from "./workflow-store.js";

interface About {
  readonly workflowId: string;
  readonly expiresAt: Date;
  readonly command: string;
}

/** Asks before anything has run. */
export function askBeforeRun(
  prepared: PreparedRun,
  needed: readonly ToolNeedingApproval[],
  about: About & { readonly reason?: ApprovalReason },
): ApprovalRequest {
  const { plan, request } = prepared;
  const tools = needed.map(approvalTool);
  const ids = new Set<string>(tools.map(({ tool }) => tool));
  const calls = callsShown(prepared);
  const { reason = "run" } = about;
  const changed = CHANGED[reason] ?? "";
  return question({
    ...about,
    reason,
    tools,
    calls: calls.flatMap((call) => approvalCalls(call, ids, (ref) => plan.unitOf(ref)?.name ?? ref)),
    ...codeShown(prepared, calls),
    message:
      request.tool === undefined
        ? `${changed}May ${plan.main.name} call ${listed(tools)}? Its purpose, as its sender says: ${firstLine(request.intent)}`
        : `${changed}May ${listed(tools)} be called?`,
  });
}

/** Asks before calls that are pending together. */
export function askBeforeLayer(
  needed: readonly ApprovalTool[],
  held: readonly Pick<RecordedCall, "taskId" | "tool" | "args">[],
  done: number,
  about: About,
): ApprovalRequest {
  const ids = new Set<string>(needed.map(({ tool }) => tool));
  return question({
    ...about,
    reason: "layer",
    tools: needed,
    calls: held.map((call) => exactCall(call, ids)),
    message: `${done === 0 ? "Nothing was called yet" : `${done} ${done === 1 ? "call is" : "calls are"} done`}. May the run continue with ${listed(needed)}?`,
  });
}

/** Asks after a call was sent and its outcome is unknown. */
export function askAboutDoubt(
  approved: readonly ApprovalTool[],
  inDoubt: readonly RecordedCall[],
  about: About,
): ApprovalRequest {
  return question({
    ...about,
    reason: "in_doubt",
    tools: approved,
    calls: inDoubt.map((call) => exactCall(call, new Set([call.tool]))),
    message: `The gateway stopped while ${inDoubt.map(({ tool, taskId }) => `${tool} (${taskId})`).join(", ")} ${inDoubt.length === 1 ? "was" : "were"} in progress. Did the call happen, should it be repeated, or should the run be rejected?`,
  });
}

export function approvalTool({ tool, reason, via, isAskedEachTime }: ToolNeedingApproval): ApprovalTool {
  return {
    tool: tool.id,
    hash: tool.hash,
    reason,
    ...(via !== undefined && { via }),
    ...(isAskedEachTime === true && { isAskedEachTime }),
  };
}

const CHANGED: Partial<Record<ApprovalReason, string>> = {
  changed: "A capability or a tool has changed since the approval. ",
  interrupted: "The run was cancelled before it ended; the calls made so far are not undone. ",
};

function question(asked: About & Omit<ApprovalRequest, keyof About | "next">): ApprovalRequest {
  const { message, expiresAt, command } = asked;
  return {
    ...asked,
    message: visible(message),
    expiresAt: expiresAt.toISOString(),
    next: nextStep(asked, command),
  };
}

/** The instruction for an agent about a waiting run; `where` adds the machine of the command, if that matters. */
export function nextStep(
  { workflowId, reason }: Pick<ApprovalRequest, "workflowId" | "reason">,
  command: string,
  where = "",
): string {
  const how = reason === "in_doubt" ? "--done, --repeat or --reject" : "or with --always or --reject";
  return `A person decides with \`${command}\`${where} (${how}); then continue with pml_execute { "intent": "…", "resume": "${workflowId}" }.`;
}

/** The calls of a run that a person is shown before it, at every depth. */
export function callsShown({ plan, args }: PreparedRun): readonly ShownCall[] {
  return shownCalls({
    main: plan.main.analysis,
    args,
    unitOf: (ref) => plan.unitOf(ref),
    needsApproval: new Set(plan.needsApproval.map(({ tool }) => tool.id)),
    taskNames: plan.taskNames,
  });
}

/** A call, followed by its inner calls. */
export function approvalCalls(
  call: ShownCall,
  needing: ReadonlySet<string>,
  nameOf: (ref: CapabilityRef) => string,
): readonly ApprovalCall[] {
  const { value, unknown } = shownValue(call.args);
  const needsApproval = [...call.needing].some((tool) => needing.has(tool));
  if (call.caller !== undefined && !needsApproval) return [];
  return [
    {
      taskId: call.taskId,
      tool: call.name,
      arguments: value as Readonly<Record<string, Json>>,
      ...(unknown.length > 0 && { unknown }),
      needsApproval,
      ...(call.caller && { via: nameOf(call.caller) }),
      ...(call.isRepeatable && needsApproval && { isRepeatable: true as const }),
    },
    ...call.inside.flatMap((inner) => approvalCalls(inner, needing, nameOf)),
  ];
}

/** The code of a capability that is run and of its callees, if they make calls that need approval. */
function codeShown({ plan, of }: PreparedRun, calls: readonly ShownCall[]): Pick<ApprovalRequest, "code"> {
  const refs = new Set<CapabilityRef | undefined>(of === undefined ? [] : [undefined]);
  const visit = ({ caller, inside }: ShownCall): void => {
    if (caller !== undefined) refs.add(caller);
    for (const inner of inside) visit(inner);
  };
  for (const call of calls) visit(call);
  const code = [...refs].flatMap((ref): readonly ApprovalCode[] => {
    const source = plan.sourceOf(ref);
    return source === undefined ? [] : [{ capability: source.name ?? plan.main.name, code: source.code }];
  });
  return code.length === 0 ? {} : { code };
}

function exactCall(
  { taskId, tool, args }: Pick<RecordedCall, "taskId" | "tool" | "args">,
  needing: ReadonlySet<string>,
): ApprovalCall {
  return { taskId, tool, arguments: args, needsApproval: needing.has(tool as ToolId) };
}

function listed(tools: readonly ApprovalTool[]): string {
  return tools.map(({ tool, via }) => (via === undefined ? tool : `${tool} (through ${via})`)).join(", ");
}

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}

const PLAIN_TASK = /^[\w.#-]+$/;

/** Notes for a person about a call, in addition to its tool and its known arguments, one note each. */
export function callNotes({ unknown = [], via, isRepeatable }: CallNotes): readonly string[] {
  // Expressions come from the code, so they come last.
  return [
    ...(isRepeatable === true ? ["any number of times"] : []),
    ...(via === undefined ? [] : [`called by ${via}`]),
    ...unknown.map(({ at, expression, isRest }) =>
      isRest === true
        ? `further fields${at === "" ? "" : ` of ${at}`} not known yet: ${expression}`
        : `${at === "" ? "arguments" : at} not known yet: ${expression}`,
    ),
  ];
}

/** The name of a task; quoted if an agent has chosen one that could be read as more than a name. */
export function taskText(taskId: string): string {
  return PLAIN_TASK.test(taskId) ? taskId : JSON.stringify(taskId);
}

/** Arguments as JSON. Every name is included; a value longer than `most` is truncated. */
export function argumentsText(args: Readonly<Record<string, unknown>>, most: number): string {
  const fields = Object.entries(args).map(
    ([name, value]) => `${JSON.stringify(name)}:${cutText(JSON.stringify(value as Json), most)}`,
  );
  return `{${fields.join(",")}}`;
}

/** The beginning of a text, and how many characters follow. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, "")}${CUT}${text.length - most} more characters)`;
}

/** Whether {@link cutText} has truncated the text. A text that imitates its mark counts too. */
export function isCut(text: string): boolean {
  return text.includes(CUT);
}

const CUT = "… (";
