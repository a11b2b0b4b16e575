/**
 * The output of `pml exec`: the result on stdout, everything else on stderr.
 *
 * @module
 */

import { type AnswerOf, errorOf } from "../app/call-operation.js";
import { PmlError } from "../base/pml-error.js";
import { shellWord } from "../base/shell-word.js";
import { visible, visibleLines } from "./output.js";
import { pastedCommand } from "./pasteable.js";
import { notRunNote, suggestionsText } from "./suggestions-report.js";

export interface ExecReport {
  /** Absent if there is no result. */
  readonly result?: string;
  readonly notes: readonly string[];
  readonly error?: PmlError;
  readonly code: number;
}

const EXIT_FAILED = 1;
const EXIT_APPROVAL = 3;

/** The shell commands that decide about a waiting run, and that continue it. */
export interface ApprovalCommands {
  approve(workflowId: string): string;
  resume(workflowId: string): string;
}

type Answer = AnswerOf<"pml:execute">;
type Ran = Exclude<Answer, { readonly status: "dry_run" }>;

/** With `readable`, a text is shown as it is instead of as JSON. */
export function execReport(
  answer: Answer,
  readable: boolean,
  commands: ApprovalCommands,
  args: Readonly<Record<string, unknown>> = {},
): ExecReport {
  const warnings = texts(answer.warnings).map((text) => `Warning: ${text}`);
  if (answer.status === "dry_run") return { result: written(answer, readable), notes: warnings, code: 0 };
  const notes = [...texts(answer.logs), ...warnings];
  if (answer.status === "approval_required") return approvalReport(answer, notes, commands);
  const error = errorOf(answer);
  if (error !== undefined || answer.status === "error")
    return {
      notes,
      error: error ?? new PmlError("RUN_FAILED", "The run failed and gave no reason"),
      code: isApproval(error) ? EXIT_APPROVAL : EXIT_FAILED,
    };
  if (answer.status === "suggestions") return suggestionsReport(answer, notes);
  return {
    result: written(answer.result, readable),
    notes: [...notes, ...cacheNotes(answer), ...again(answer, args)],
    code: 0,
  };
}

/** A user who requested a run must see that nothing ran. */
function suggestionsReport(answer: Ran, notes: readonly string[]): ExecReport {
  const notRun = notRunNote(answer);
  return {
    result: suggestionsText(answer),
    notes: notRun === undefined ? notes : [...notes, notRun],
    code: notRun === undefined ? 0 : EXIT_FAILED,
  };
}

function approvalReport(
  { workflowId: id, approval }: Ran,
  notes: readonly string[],
  commands: ApprovalCommands,
): ExecReport {
  const { message, tools = [] } = approval ?? {};
  const error = new PmlError("APPROVAL_REQUIRED", `The run ${id} waits for approval`, {
    hint: `\`${commands.approve(id)}\` shows it and asks; then continue with \`${commands.resume(id)}\`.`,
  });
  return {
    notes: [
      ...notes,
      ...(message === undefined ? [] : [visibleLines(message)]),
      ...tools.map(({ tool, reason }) => `  ${visibleLines(`${tool}: ${reason}`)}`),
    ],
    error,
    code: EXIT_APPROVAL,
  };
}

function isApproval(error: PmlError | undefined): boolean {
  return error?.code === "APPROVAL_REQUIRED";
}

/** The cache that the result comes from. */
const FROM: Readonly<Record<string, string>> = {
  execution: "an earlier run with the same code and arguments",
  capability: "an earlier run of this capability with the same arguments",
  intent: "an earlier run for nearly the same intent",
};

function cacheNotes({ cacheHit }: Ran): readonly string[] {
  const from = cacheHit === undefined ? undefined : FROM[cacheHit];
  return from === undefined ? [] : [`From the cache: the result of ${from}; --no-cache runs it`];
}

/** The command that runs the same again. */
function again(
  { mode, capabilityName: name, capabilityVersion: version = 1 }: Ran,
  args: Readonly<Record<string, unknown>>,
): readonly string[] {
  if (name !== undefined && mode === "speculation") return [`Ran ${name}, which matches the intent`];
  if (name === undefined || mode !== "direct") return [];
  const which = version > 1 ? `${name}, version ${version}` : name;
  const isUnnamed = /^unnamed_[0-9a-f]+$/.test(name);
  return [
    `Remembered as ${which}`,
    `  again:  ${pastedCommand(`exec --capability ${name}${argumentWords(args)}`)}`,
    ...(isUnnamed ? [`  name:   ${pastedCommand(`cap rename ${name} NAMESPACE:ACTION`)}`] : []),
  ];
}

const ARGUMENTS_CHARS_MOST = 120;

/** The arguments of the run, so that the command is complete; long values are omitted. */
function argumentWords(args: Readonly<Record<string, unknown>>): string {
  const words = (shownAs: (value: unknown) => string) =>
    Object.entries(args)
      .map(([key, value]) => ` --arg ${shellWord(key)}=${shownAs(value)}`)
      .join("");
  const whole = words((value) =>
    shellWord(typeof value === "string" && !isJson(value) ? value : JSON.stringify(value)),
  );
  return visible(whole.length > ARGUMENTS_CHARS_MOST ? words(() => "…") : whole);
}

/** Whether `--arg` would parse this text as JSON. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function written(value: unknown, readable: boolean): string {
  if (typeof value === "string" && readable) return visibleLines(value);
  return JSON.stringify(value ?? null, undefined, 2);
}

function texts(lines: readonly string[] = []): readonly string[] {
  return lines.map(visibleLines);
}
