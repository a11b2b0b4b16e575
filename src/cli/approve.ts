import { type AnswerOf, call, type InputOf } from "../app/call-operation.js";
import { type GatewayClient, withGateway } from "../app/gateway-client.js";
import { shellCommand } from "../app/shell-command.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import {
  askedText,
  choiceOf,
  type Decision,
  decidedText,
  decisionText,
  listText,
  questionOf,
  type WaitingView,
} from "./approve-report.js";
import type { Command } from "./command.js";
import { answerTo } from "./confirm.js";
import { Decider, isAtTerminal } from "./decider.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printJson, printLine, printNote } from "./output.js";

const FLAGS = ["always", "reject", "done", "repeat"] as const;

const OPTIONS = {
  always: { type: "boolean" },
  reject: { type: "boolean" },
  done: { type: "boolean" },
  repeat: { type: "boolean" },
  task: { type: "string" },
  result: { type: "string" },
  list: { type: "boolean" },
  revoke: { type: "string" },
} as const;

export const approve: Command = {
  help: `Usage: pml approve ID [--always | --reject] [OPTIONS]
       pml approve ID --done [--result JSON] [--task TASK] [OPTIONS]
       pml approve ID --repeat [--task TASK] [OPTIONS]
       pml approve --list [OPTIONS]
       pml approve --revoke SERVER:TOOL [OPTIONS]

Decides about a run that waits for approval. Without an option it shows the request (the tools, their arguments, what
was done so far) and asks you. Approving runs nothing: the agent continues the run afterwards.
Approving needs a terminal, and your PIN if one is set (pml pin). If the configuration has "approvals":
{ "scripted": true } and no PIN is set, it needs no terminal; a script without an option then approves once.

  ID                   the workflowId of the run, or the beginning of it
  --always             approve, and always allow these tools, as they are now, in this project
  --reject             reject and end the run
  --done               for a call in doubt: it happened. The code gets --result (default: null) as its result
  --repeat             for a call in doubt: call it again
  --task TASK          which call, if several are in doubt
  --result JSON        the result of the call
  --list               list waiting runs and always approved tools; with an ID, show that run
  --revoke SERVER:TOOL ask for approval of this tool again

${COMMON_HELP}  --json               the whole answer, for scripts

Exit codes: 0 done, 1 nothing was decided, 2 wrong usage.

Examples:
  pml approve --list
  pml approve 4f2c
  pml approve 4f2c --reject
  pml approve 4f2c --done --result '{"id": 7}'
  pml approve --revoke filesystem:write_file
`,
  async run(argv) {
    const { values, positionals } = parseOptions("approve", argv, { ...COMMON_OPTIONS, ...OPTIONS });
    const [id, extra] = positionals;
    if (extra !== undefined) throw usage("approve", `Unexpected argument "${extra}"`);
    const request = requestOf(id, values);
    const json = values.json === true;
    const settings = settingsOf("approve", values);
    const resume = (id: string) => shellCommand(settings, ["exec", "--resume", id], values.scope);
    return await withGateway(settings, async (client) => {
      switch (request.kind) {
        case "list":
          return await list(client, request.id, json);
        case "revoke": {
          const answer = await call(client, "pml:approvals", { revoke: request.tool });
          if (json) printJson(answer);
          else printLine(`No longer always approved: ${request.tool}`);
          return 0;
        }
        case "decide":
          return await decide(client, request, json, resume);
      }
    });
  },
};

type Values = ReturnType<typeof parseOptions<typeof OPTIONS>>["values"];

interface DecideRequest {
  readonly kind: "decide";
  readonly id: string;
  /** Nothing where the person is asked. */
  readonly decision: Decision | undefined;
  readonly more: Pick<InputOf<"pml:approve">, "task" | "result">;
}

type Request =
  | { readonly kind: "list"; readonly id: string | undefined }
  | { readonly kind: "revoke"; readonly tool: string }
  | DecideRequest;

function requestOf(id: string | undefined, values: Values): Request {
  const given = FLAGS.filter((flag) => values[flag] === true);
  const actions = [
    ...(values.list === true ? ["list"] : []),
    ...(values.revoke === undefined ? [] : ["revoke"]),
    ...given,
  ];
  if (actions.length > 1)
    throw usage("approve", `Expected one of them, found ${actions.map((one) => `--${one}`).join(" and ")}`);
  const [action] = actions;
  const [decision] = given;
  const misfit =
    values.task !== undefined && decision !== "done" && decision !== "repeat"
      ? "--task needs --done or --repeat"
      : values.result !== undefined && decision !== "done"
        ? "--result needs --done"
        : action === "revoke" && id !== undefined
          ? `Unexpected argument "${id}"`
          : undefined;
  if (misfit !== undefined) throw usage("approve", misfit);
  if (values.revoke !== undefined) return { kind: "revoke", tool: values.revoke };
  if (values.list === true) return { kind: "list", id };
  if (id === undefined || id === "")
    throw usage("approve", "The run is missing: expected ID; pml approve --list shows waiting runs");
  const more = { task: values.task, result: values.result === undefined ? undefined : parsed(values.result) };
  return { kind: "decide", id, decision, more };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usage("approve", `--result is not JSON: ${messageOf(error)}`);
  }
}

async function list(client: GatewayClient, id: string | undefined, json: boolean): Promise<number> {
  if (id === undefined) {
    const answer = await call(client, "pml:approvals", {});
    if (json) printJson(answer);
    else printLine(listText(answer));
    return 0;
  }
  const run = await find(client, id);
  if (run === undefined) throw notWaiting(id);
  if (json) printJson(run);
  else printLine(askedText(run).trimEnd());
  return 0;
}

async function decide(
  client: GatewayClient,
  request: DecideRequest,
  json: boolean,
  resume: (id: string) => string,
): Promise<number> {
  const answer = await decided(client, request);
  if (answer === undefined) {
    printNote("Nothing was decided; the run still waits.");
    return 1;
  }
  if (json) printJson(answer);
  else printLine(decidedText(answer, resume(answer.workflowId)));
  return 0;
}

/** Shows a run that waits to the person at the terminal and asks; answers whether the person has decided. */
export async function askPerson(client: GatewayClient, id: string): Promise<boolean> {
  const answer = await decided(client, { kind: "decide", id, decision: undefined, more: {} });
  if (answer !== undefined) printNote(decisionText(answer));
  return answer !== undefined;
}

async function decided(
  client: GatewayClient,
  { id, decision, more }: DecideRequest,
): Promise<AnswerOf<"pml:approve"> | undefined> {
  const run = await find(client, id);
  const said = decision ?? (isAtTerminal() && run !== undefined ? await asked(run) : "once");
  if (said === undefined) return undefined;
  return await new Decider(client).decide("pml:approve", {
    // One that does not wait is asked for all the same: the gateway says what became of it.
    workflow_id: run?.workflowId ?? id,
    decision: said,
    shown: run?.approval.expiresAt,
    ...more,
  });
}

/** The run of that id, or the one whose id begins so; nothing where none does. */
async function find(client: GatewayClient, id: string): Promise<WaitingView | undefined> {
  const { waiting: found = [] } = await call(client, "pml:approvals", { workflow_id: id });
  const exact = found.find(({ workflowId }) => workflowId === id);
  if (exact === undefined && found.length > 1)
    throw new PmlError("ARGUMENTS_INVALID", `Several runs begin with ${id}`, {
      hint: `Write more of it: ${found.map(({ workflowId }) => workflowId).join(", ")}.`,
    });
  return exact ?? found[0];
}

function notWaiting(id: string): PmlError {
  return new PmlError("RUN_NOT_FOUND", `No run ${id} waits for approval in this project`, {
    hint: "`pml approve --list` shows what waits.",
  });
}

async function asked(run: WaitingView): Promise<Decision | undefined> {
  printNote(askedText(run));
  return choiceOf(await answerTo(questionOf(run), process.stdin, process.stderr), run);
}
