/**
 * Asks the client's own user about a run that waits, if the client can ask: the answer then comes with the same
 * request, sent once more. Every other client is told that the run waits, and a person decides outside of the client.
 *
 * Each question is asked once. If the client closes it, or declines faster than a person can read it, nothing is
 * decided: the run waits for `pml approve`.
 *
 * @module
 */
import type { InputRequiredResult } from "@modelcontextprotocol/server";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import { shellWord } from "../base/shell-word.js";
import { visible } from "../base/visible-text.js";
import type {
  ApprovalCall,
  ApprovalRequest,
  DryRunAnswer,
  ExecuteAnswer,
} from "../execution/ports/execute-answer.js";
import type { ApprovalDesk, PersonDecision } from "../execution/wait/approvals.js";
import {
  argumentsText,
  callNotes,
  cutText,
  isCut,
  nextStep,
  taskText,
} from "../execution/wait/ask-person.js";
import type { Caller } from "../mcp/real-servers.js";
import type { Scope } from "../registry/scope.js";
import { isElsewhere } from "./decision-gate.js";
import { readMark, signedMark } from "./signed-mark.js";

export interface AskedRun {
  /** On the first request. */
  readonly start: () => Promise<ExecuteAnswer | DryRunAnswer>;
  /** After a decision. */
  readonly resume: (workflowId: string) => Promise<ExecuteAnswer | DryRunAnswer>;
}

export type Asked =
  | { readonly kind: "answer"; readonly answer: ExecuteAnswer | DryRunAnswer }
  | { readonly kind: "question"; readonly result: InputRequiredResult };

const STATE = "approval ";
const QUESTION = "approval";
/** PML's own questions, while they are in use. */
const OURS = new WeakSet<InputRequiredResult>();
const MESSAGE_CHARS = 6_000;
const VALUE_CHARS = 300;
const LINE_CHARS_LEAST = 120;
const CODE_MARK = "  | ";

export async function withApproval(
  run: AskedRun,
  desk: ApprovalDesk,
  scope: Scope,
  caller: Caller,
): Promise<Asked> {
  const said = await decideAsAsked(desk, scope, caller);
  return asked(await (said === undefined ? run.start() : run.resume(said.workflowId)), scope, caller, desk);
}

/**
 * Records the user's answer to a question of PML; returns undefined if this is no such answer. The decision is kept
 * even if the client has cancelled the request; then this throws `RUN_CANCELLED`, and `resume` runs what was approved.
 */
export async function decideAsAsked(
  desk: ApprovalDesk,
  scope: Scope,
  caller: Caller,
): Promise<{ readonly workflowId: string; readonly decision: PersonDecision | undefined } | undefined> {
  const question = questionOf(caller.input?.state, desk.questionSecret);
  if (question === undefined) return undefined;
  const { workflowId, shown, askedAt } = question;
  // The question may have been asked of another client, or before a PIN was set.
  const response = caller.input?.responses[QUESTION];
  let decision = mayDecide(caller) ? decisionOf(response, Date.now() - askedAt) : undefined;
  try {
    if (decision !== undefined) {
      await desk.decide(workflowId, decision, scope, shown);
      await caller.noteDecision?.(decision.kind, workflowId);
    }
  } catch (error) {
    // The run was decided elsewhere, or asks something else now: `resume` finds out.
    if (!(error instanceof PmlError)) throw error;
    if (error.code === "ARGUMENTS_INVALID") decision = undefined;
  }
  if (caller.signal.aborted)
    throw new PmlError("RUN_CANCELLED", `The request was cancelled before the run ${workflowId} continued`, {
      hint: `Continue with pml_execute { "intent": "…", "resume": "${workflowId}" }.`,
    });
  return { workflowId, decision };
}

export function asked(
  answer: ExecuteAnswer | DryRunAnswer,
  scope: Scope,
  caller: Caller,
  desk: Pick<ApprovalDesk, "isFirstQuestion" | "questionSecret">,
): Asked {
  if (answer.status === "dry_run" || answer.approval === undefined) return { kind: "answer", answer };
  const approval = approvalFor(answer.approval, scope, caller);
  if (canAsk(caller) && desk.isFirstQuestion(approval))
    return { kind: "question", result: question(approval, desk.questionSecret) };
  // The code is for the person who decides; an agent would pay for it in every turn. The command is in `next`.
  const { code: _, command: __, ...told } = approval;
  return { kind: "answer", answer: { ...answer, approval: told } };
}

/** The text for this caller: a caller that may be on another machine gets no paths of this one. */
export function approvalFor<Asked extends Omit<ApprovalRequest, "calls">>(
  approval: Asked,
  { org, project }: Scope,
  caller: Pick<Caller, "role" | "via" | "isRemote">,
): Asked {
  if (!isElsewhere(caller)) return approval;
  const words = ["pml", "approve", approval.workflowId, "--scope", `${org}/${project}`];
  const command = words.map(shellWord).join(" ");
  return { ...approval, command, next: nextStep(approval, command, " on the machine of the gateway") };
}

function mayDecide(caller: Caller): boolean {
  return caller.mayDecide?.() === true;
}

function canAsk(caller: Caller): boolean {
  const { elicitation } = caller.capabilities;
  if (elicitation === undefined || !mayDecide(caller)) return false;
  // A client that declares elicitation without details supports forms; one that supports URLs only cannot show this.
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/**
 * Reads from the state which run a question of PML was about; every question has a different state. A client that was
 * not asked cannot forge an answer, because only gateways of this installation can write the state. Any of them may
 * receive the answer.
 */
function questionOf(
  state: string | undefined,
  secret: string,
): { readonly workflowId: string; readonly shown: string; readonly askedAt: number } | undefined {
  const about = state === undefined ? undefined : readMark(state, secret);
  if (about === undefined || !about.startsWith(STATE)) return undefined;
  const [workflowId = "", shown = "", askedAt = ""] = about.slice(STATE.length).split(" ");
  return { workflowId, shown, askedAt: Number(askedAt) };
}

/** Whether a question is PML's own about a run, and not a server's. */
export function isApprovalQuestion(result: InputRequiredResult): boolean {
  return OURS.has(result);
}

function stateOf(workflowId: string, shown: string, askedAt: number, secret: string): string {
  return signedMark(`${STATE}${workflowId} ${shown} ${askedAt}`, secret);
}

function decisionOf(response: unknown, afterMs: number): PersonDecision | undefined {
  const { action, content } = (response ?? {}) as {
    readonly action?: string;
    readonly content?: { readonly decision?: unknown };
  };
  // Some clients decline automatically, faster than a person could read the question.
  if (action === "decline") return afterMs < LIMITS.quickestDeclineMs ? undefined : { kind: "reject" };
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
    case "once":
    // A client that shows only yes and no has no field to fill in.
    case undefined:
      return { kind: "once" };
    // An unknown word is never a yes: it may be the title of the choice "no".
    default:
      return undefined;
  }
}

function question(approval: ApprovalRequest, secret: string): InputRequiredResult {
  const { workflowId, expiresAt, reason } = approval;
  const choices = reason === "in_doubt" ? DOUBT_CHOICES : CHOICES;
  const result: InputRequiredResult = {
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
    requestState: stateOf(workflowId, expiresAt, Date.now(), secret),
  };
  OURS.add(result);
  return result;
}

type Choice = readonly [value: string, title: string];

const CHOICES: readonly Choice[] = [
  ["once", "Yes, this once"],
  ["always", "Yes, and these tools always"],
  ["no", "No"],
];

const DOUBT_CHOICES: readonly Choice[] = [
  ["done", "It happened: continue"],
  ["repeat", "Call it again"],
  ["give_up", "Reject the run"],
];

/**
 * The text of a question. It contains every call that needs the person, each on its own line: long lines are truncated,
 * but no call is omitted. Other calls and code follow, as far as there is room.
 */
function messageOf({ workflowId, command, message, tools, calls, code = [] }: ApprovalRequest): string {
  const head = [
    message,
    ...tools.map(
      ({ tool, reason, via }) => `- ${tool}${via === undefined ? "" : ` through ${via}`}: ${reason}`,
    ),
    ...(calls.length === 0 ? [] : ["Calls:"]),
  ].map(visible);
  const needed = neededLines(calls.filter(({ needsApproval }) => needsApproval));
  const rest = [
    ...calls
      .filter(({ needsApproval }) => !needsApproval)
      .map((call) => visible(callLine(call, VALUE_CHARS))),
    ...code.flatMap(({ capability, code: text }) => [
      visible(`Code of ${capability}:`),
      // Code must not be able to write a line that looks like one of PML.
      ...text
        .trim()
        .split("\n")
        .map((line) => `${CODE_MARK}${visible(line)}`),
    ]),
  ];
  // A question of a server begins with the server's name, so no server can imitate this one.
  const first = `PML asks: ${[...head, ...needed].join("\n")}`;
  const all = [first, ...rest].join("\n");
  const isShort = all.length <= MESSAGE_CHARS;
  if (isShort && !isCut(all)) return all;
  const show = `${command ?? `pml approve ${workflowId}`} --list --json`;
  const note = `This is truncated: \`${show}\` shows everything.`;
  return `PML: ${note}\n${isShort ? all : `${all.slice(0, Math.max(MESSAGE_CHARS, first.length))}…`}`;
}

/** Values are truncated more if there are many calls, and lines if there are many values. */
function neededLines(calls: readonly ApprovalCall[]): readonly string[] {
  const share = Math.max(LINE_CHARS_LEAST, Math.floor(MESSAGE_CHARS / Math.max(1, calls.length)));
  const lines = (most: number): readonly string[] => calls.map((call) => visible(callLine(call, most)));
  for (const most of [VALUE_CHARS, VALUE_CHARS / 5]) {
    const written = lines(most);
    if (written.join("\n").length <= MESSAGE_CHARS) return written;
  }
  return lines(VALUE_CHARS / 10).map((line) => cutText(line, share));
}

function callLine(call: ApprovalCall, most: number): string {
  const { taskId, tool, arguments: args, needsApproval } = call;
  const notes = callNotes(call).map((note) => `; ${note}`);
  return `${needsApproval ? "! " : "  "}${taskText(taskId)} ${tool} ${argumentsText(args, most)}${notes.join("")}`;
}
