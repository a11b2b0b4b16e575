/**
 * Shows runs that wait for a person, and reads the answer, for `pml approve`.
 *
 * Everything shown comes from agents and servers, so no text may be able to hide a part. Tables are never truncated,
 * because an approval also covers what is not shown.
 *
 * @module
 */
import { type AnswerOf, argumentsText, callNotes, taskText } from "../app/call-operation.js";
import { isJsonObject } from "../base/json-object.js";
import { ANY_WIDTH, brokenLines, table, visible, visibleLines } from "./output.js";
import { localTime } from "./when.js";

/** Longer arguments are truncated, with a note. */
const ARGUMENTS_CHARS_SHOWN = 2_000;
/** A single value is limited, so that it cannot push the next one out of view. */
const VALUE_CHARS_SHOWN = 500;
const CODE_LINES_SHOWN = 60;

export type Decision = "once" | "always" | "reject" | "done" | "repeat";

type Listed = AnswerOf<"pml:approvals">;
/** A waiting run, as the gateway returns it. */
export type WaitingView = NonNullable<Listed["waiting"]>[number];
type CallView = WaitingView["approval"]["calls"][number];

/** All waiting runs, a few lines each, and the permanent approvals. */
export function listText({ waiting = [], standing: tools = [] }: Listed): string {
  const standing = tools.map(({ tool, approvedBy, approvedAt }) =>
    ["", tool, `by ${approvedBy}, ${minuteOf(approvedAt)}`].map(visible),
  );
  const runs =
    waiting.length === 0 ? ["Nothing waits for approval"] : waiting.map((run) => shortLines(run).join("\n"));
  return [...runs, ...(standing.length === 0 ? [] : ["Always approved:", table(standing, ANY_WIDTH)])].join(
    "\n",
  );
}

/** Everything that a person needs to decide about one run, for a terminal with that many columns. */
export function askedText(run: WaitingView, width = process.stderr.columns): string {
  const { approval, code, capability, args = {}, done = [] } = run;
  const tools = approval.tools.map(({ tool, reason, via }) =>
    ["", tool, `${reason}${via === undefined ? "" : ` (through ${via})`}`].map(visible),
  );
  const calls = approval.calls.map((call) => [
    call.needsApproval ? "!" : "",
    visible(taskText(call.taskId)),
    visible(call.tool),
    [argumentsOf(call), ...callNotes(call).map(visible)].join("; "),
  ]);
  const called = (approval.code ?? []).flatMap((one) => [
    "",
    `Code of ${visible(one.capability)}:`,
    codeText(one.code),
  ]);
  const made = done.map(({ taskId, tool, success }) => [
    "",
    visible(taskText(taskId)),
    visible(tool),
    success ? "ok" : "failed",
  ]);
  const exactly = approval.reason === "layer" || approval.reason === "in_doubt";
  const lines = [
    ...headLines(run),
    "",
    visible(approval.message),
    ...(capability === undefined ? [] : ["", `Capability: ${visible(capability)}`]),
    ...(code === undefined ? [] : ["", "Code:", codeText(code)]),
    ...(Object.keys(args).length === 0 ? [] : ["", `Arguments: ${shortened(JSON.stringify(args))}`]),
    ...(tools.length === 0 ? [] : ["", "Tools that need approval:", table(tools, ANY_WIDTH)]),
    ...(calls.length === 0
      ? []
      : [
          "",
          exactly ? "Calls:" : "Calls, as far as they are known before the run:",
          table(calls, ANY_WIDTH),
        ]),
    ...called,
    ...(made.length === 0 ? [] : ["", "Done so far:", table(made, ANY_WIDTH)]),
    "",
  ];
  return brokenLines(lines.join("\n"), width);
}

/** The question at the terminal. */
export function questionOf({ approval }: WaitingView): string {
  return approval.reason === "in_doubt"
    ? "Did the call happen? [d]one, [r]epeat the call, [n]o: reject the run: "
    : "Approve? [o]nce, [a]lways for these tools, [n]o: ";
}

const ANSWERS: Readonly<Record<string, Decision>> = {
  o: "once",
  once: "once",
  y: "once",
  yes: "once",
  a: "always",
  always: "always",
};
const DOUBT_ANSWERS: Readonly<Record<string, Decision>> = {
  d: "done",
  done: "done",
  r: "repeat",
  repeat: "repeat",
};

/** Undefined if the person's input is not one of the answers. */
export function choiceOf(typed: string | undefined, { approval }: WaitingView): Decision | undefined {
  const word = typed?.trim().toLowerCase() ?? "";
  if (["n", "no", "reject"].includes(word)) return "reject";
  const answers = approval.reason === "in_doubt" ? DOUBT_ANSWERS : ANSWERS;
  return Object.hasOwn(answers, word) ? answers[word] : undefined;
}

type Decided = AnswerOf<"pml:approve">;

export function decidedText(answer: Decided, resume: string): string {
  if (answer.state === "rejected") return decisionText(answer);
  const id = visible(answer.workflowId);
  return `${decisionText(answer)}\nTo continue it, tell the agent to resume the run ${id}.\nA run of pml exec continues with \`${resume}\`.`;
}

/** The decision, in one line. */
export function decisionText({ workflowId, state, decision, always = [] }: Decided): string {
  const id = visible(workflowId);
  if (state === "rejected") return `Rejected: ${id}`;
  const tools = always.length > 0 ? `, and always: ${always.join(", ")}` : "";
  const how =
    decision === "done"
      ? "Marked as done"
      : decision === "repeat"
        ? "Will be called again"
        : `Approved${decision === "once" ? ", this once" : ""}`;
  return `${how}: ${id}${visible(tools)}`;
}

function headLines({ workflowId, askedBy, createdAt, approval }: WaitingView): readonly string[] {
  return [
    visible(`${workflowId}  ${approval.reason}`),
    visible(`  asked by ${askedBy}, ${minuteOf(createdAt)}; expires ${minuteOf(approval.expiresAt)}`),
  ];
}

function shortLines(run: WaitingView): readonly string[] {
  const { message, tools } = run.approval;
  return [
    ...headLines(run),
    `  ${visible(message)}`,
    ...(tools.length === 0 ? [] : [`  tools: ${visible(tools.map(({ tool }) => tool).join(", "))}`]),
  ];
}

function codeText(code: string): string {
  const lines = code.trim().split("\n");
  const shown = lines.slice(0, CODE_LINES_SHOWN).map((line) => `  ${visibleLines(line)}`);
  const more = lines.length - shown.length;
  return [
    ...shown,
    ...(more > 0 ? [`  … ${more} more lines (pml approve --list ID --json shows all)`] : []),
  ].join("\n");
}

function argumentsOf({ arguments: given, argumentsPreview }: CallView): string {
  if (argumentsPreview !== undefined) return shortened(argumentsPreview);
  const text = JSON.stringify(given ?? {});
  const isShort = text.length <= ARGUMENTS_CHARS_SHOWN || !isJsonObject(given);
  return isShort
    ? shortened(text)
    : `${visible(argumentsText(given, VALUE_CHARS_SHOWN))} (pml approve --list ID --json shows all)`;
}

function shortened(text: string): string {
  return text.length <= ARGUMENTS_CHARS_SHOWN
    ? visible(text)
    : `${visible(text.slice(0, ARGUMENTS_CHARS_SHOWN))}… ${text.length - ARGUMENTS_CHARS_SHOWN} more characters (pml approve --list ID --json shows all)`;
}

function minuteOf(iso: string): string {
  return localTime(iso).slice(0, "2026-11-16 01:02".length);
}
