/**
 * Asks the client's own user about a run that waits, where the client can ask: the answer then comes with the same
 * request, sent once more. Every other client is told that the run waits, and a person decides from outside.
 *
 * @module
 */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { InputRequiredResult } from "@modelcontextprotocol/server";
import type { Json } from "../base/canonical-json.js";
import { PmlError } from "../base/pml-error.js";
import { visible } from "../base/visible-text.js";
import type { ApprovalDesk, PersonDecision } from "../execution/approval-desk.js";
import type { ApprovalCall, ApprovalRequest } from "../execution/approval-request.js";
import type { DryRunAnswer, ExecuteAnswer } from "../execution/execute-answer.js";
import type { Caller } from "../mcp/real-servers.js";
import type { Scope } from "../registry/scope.js";

export interface AskedRun {
  /** The first time. */
  readonly start: () => Promise<ExecuteAnswer | DryRunAnswer>;
  /** Once it was decided about. */
  readonly resume: (workflowId: string) => Promise<ExecuteAnswer | DryRunAnswer>;
}

export type Asked =
  | { readonly kind: "answer"; readonly answer: ExecuteAnswer | DryRunAnswer }
  | { readonly kind: "question"; readonly result: InputRequiredResult };

const STATE = "approval ";
const QUESTION = "approval";
/** Who was not asked cannot say what was answered: a question of ours is known by what only this process can write. */
const SECRET = randomBytes(32);
const MESSAGE_CHARS = 6_000;
const VALUE_CHARS = 300;
const CUT = "… (";

export async function withApproval(
  run: AskedRun,
  desk: ApprovalDesk,
  scope: Scope,
  caller: Caller,
): Promise<Asked> {
  const said = await decideAsAsked(desk, scope, caller);
  if (said === undefined) return asked(await run.start(), caller);
  const answer = await run.resume(said.workflowId);
  // Who has said nothing is not asked again at once: the run waits.
  return said.decision === undefined ? { kind: "answer", answer } : asked(answer, caller);
}

/** What the client's user has said to a question of ours; nothing where this is no answer to one. */
export async function decideAsAsked(
  desk: ApprovalDesk,
  scope: Scope,
  caller: Caller,
): Promise<{ readonly workflowId: string; readonly decision: PersonDecision | undefined } | undefined> {
  const question = questionOf(caller.input?.state);
  if (question === undefined) return undefined;
  const { workflowId, shown } = question;
  const decision = decisionOf(caller.input?.responses[QUESTION]);
  try {
    if (decision !== undefined) await desk.decide(workflowId, decision, scope, shown);
  } catch (error) {
    // Somebody else has decided in the meantime, or it asks something else: whoever goes on is told what is so now.
    if (!(error instanceof PmlError)) throw error;
    // An answer that does not fit the question is none: who gives no other is not asked the same for ever.
    if (error.code === "ARGUMENTS_INVALID") return { workflowId, decision: undefined };
  }
  return { workflowId, decision };
}

export function asked(answer: ExecuteAnswer | DryRunAnswer, caller: Caller): Asked {
  const approval = answer.status === "dry_run" ? undefined : answer.approval;
  if (approval === undefined || !canAsk(caller)) return { kind: "answer", answer };
  return { kind: "question", result: question(approval) };
}

function canAsk({ capabilities: { elicitation } }: Caller): boolean {
  if (elicitation === undefined) return false;
  // A client that says nothing further means forms; one that has addresses only cannot show this.
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** What a question of ours was about; a person's answer to another question has another state. */
function questionOf(
  state: string | undefined,
): { readonly workflowId: string; readonly shown: string } | undefined {
  if (state === undefined || !state.startsWith(STATE)) return undefined;
  const [workflowId = "", shown = ""] = state.slice(STATE.length).split(" ");
  const ours = Buffer.from(stateOf(workflowId, shown));
  const given = Buffer.from(state);
  return ours.length === given.length && timingSafeEqual(ours, given) ? { workflowId, shown } : undefined;
}

function stateOf(workflowId: string, shown: string): string {
  const about = `${STATE}${workflowId} ${shown}`;
  return `${about} ${createHmac("sha256", SECRET).update(about).digest("hex")}`;
}

function decisionOf(response: unknown): PersonDecision | undefined {
  const { action, content } = (response ?? {}) as {
    readonly action?: string;
    readonly content?: { readonly decision?: unknown };
  };
  if (action === "decline") return { kind: "reject" };
  if (action !== "accept") return undefined;
  switch (content?.decision) {
    case "no":
    case "give_up":
      return { kind: "reject" };
    case "always":
      return { kind: "always" };
    case "done":
      return { kind: "done", result: null };
    case "repeat":
      return { kind: "repeat" };
    // A client that shows nothing but yes and no has no field to fill in.
    default:
      return { kind: "once" };
  }
}

function question(approval: ApprovalRequest): InputRequiredResult {
  const { workflowId, expiresAt, reason } = approval;
  const choices = reason === "in_doubt" ? DOUBT_CHOICES : CHOICES;
  return {
    resultType: "input_required",
    inputRequests: {
      [QUESTION]: {
        method: "elicitation/create",
        params: {
          mode: "form",
          message: messageOf(approval),
          requestedSchema: {
            type: "object",
            properties: {
              // Clients of all revisions know this form of titled choices.
              decision: {
                type: "string",
                title: "Your decision",
                enum: choices.map(([value]) => value),
                enumNames: choices.map(([, title]) => title),
              },
            },
            required: ["decision"],
          },
        },
      },
    },
    requestState: stateOf(workflowId, expiresAt),
  };
}

type Choice = readonly [value: string, title: string];

const CHOICES: readonly Choice[] = [
  ["once", "Yes, this once"],
  ["always", "Yes, and these tools always"],
  ["no", "No"],
];

const DOUBT_CHOICES: readonly Choice[] = [
  ["done", "It happened: go on"],
  ["repeat", "Call it again"],
  ["give_up", "Give the run up"],
];

function messageOf({ workflowId, message, tools, calls }: ApprovalRequest): string {
  // What needs the person comes first: what is cut off would be approved all the same.
  const ordered = [...calls.filter(needsPerson), ...calls.filter((call) => !needsPerson(call))];
  const lines = [
    message,
    ...tools.map(
      ({ tool, reason, via }) => `- ${tool}${via === undefined ? "" : ` through ${via}`}: ${reason}`,
    ),
    ...(calls.length === 0 ? [] : ["Calls:"]),
    ...ordered.map(callLine),
  ].map(visible);
  const text = lines.join("\n");
  if (text.length <= MESSAGE_CHARS && !lines.some((line) => line.includes(CUT))) return text;
  const note = `Not all of it is shown here: \`pml approve --list ${workflowId} --json\` shows all.`;
  return `${note}\n${text.length <= MESSAGE_CHARS ? text : `${text.slice(0, MESSAGE_CHARS)}…`}`;
}

function needsPerson({ needsApproval }: ApprovalCall): boolean {
  return needsApproval;
}

/** Every argument is there by name, whatever is cut of its value. */
function callLine({ taskId, tool, arguments: args, needsApproval }: ApprovalCall): string {
  const fields = Object.entries(args).map(([name, value]) => `${JSON.stringify(name)}:${shortValue(value)}`);
  return `${needsApproval ? "! " : "  "}${taskId} ${tool} {${fields.join(",")}}`;
}

function shortValue(value: Json): string {
  const text = JSON.stringify(value);
  if (text.length <= VALUE_CHARS) return text;
  return `${text.slice(0, VALUE_CHARS)}${CUT} ${text.length - VALUE_CHARS} characters more)`;
}
