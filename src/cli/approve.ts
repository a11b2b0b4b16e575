import { type AnswerOf, call, type InputOf } from "../app/call-operation.js";
import type { GatewayClient } from "../app/gateway-client.js";
import { shellCommand } from "../app/shell-command.js";
import { PmlError } from "../base/pml-error.js";
import { pmlApprove } from "../gateway/own/approvals.js";
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
import { atGateway } from "./at-gateway.js";
import type { GivenOf } from "./command-line.js";
import { answerTo } from "./confirm.js";
import { Decider, isAtTerminal } from "./decider.js";
import { parseGiven } from "./given-file.js";
import { action, single } from "./operation-command.js";
import { usage } from "./options.js";
import { printJson, printLine, printNote } from "./output.js";
import { LAST, meantId } from "./run-id.js";

const FLAGS = ["always", "reject", "done", "repeat"] as const;

const OWN = {
  id: ["ID", "the workflowId of the run, or the beginning of it"],
  last: ["", "the newest run that waits"],
  always: ["", "approve, and always allow these tools, as they are now, in this project"],
  reject: ["", "reject and end the run"],
  done: ["", "for a call in doubt: it happened. The code gets --result (default: null) as its result"],
  repeat: ["", "for a call in doubt: call it again"],
  result: ["JSON", "the result of the call"],
  list: ["", "list waiting runs and always approved tools; with an ID, show that run"],
  revoke: ["SERVER:TOOL", "ask for approval of this tool again"],
} as const;

export const approve = single(
  "approve",
  action({
    operation: pmlApprove,
    about: `Decides about a run that waits for approval. Without an option it shows the request (the tools, their
arguments, what was done so far) and asks you. Approving runs nothing: the agent continues the run afterwards.

Approving needs a terminal, and your PIN if one is set (pml pin). If the configuration has "approvals":
{ "scripted": true } and no PIN is set, it needs no terminal; a script without an option then approves once.`,
    forms: [
      "approve ID | --last [--always | --reject] [OPTIONS]",
      "approve ID --done [--result JSON] [--task TASK] [OPTIONS]",
      "approve ID --repeat [--task TASK] [OPTIONS]",
      "approve --list [OPTIONS]",
      "approve --revoke SERVER:TOOL [OPTIONS]",
    ],
    takes: "id?",
    flags: { task: ["task", "which call, if several are in doubt"] },
    without: "others",
    own: OWN,
    exits: "0 done, 1 nothing was decided, 2 wrong usage.",
    examples: [
      "pml approve --list",
      "pml approve 4f2c",
      "pml approve --last",
      "pml approve 4f2c --reject",
      `pml approve 4f2c --done --result '{"id": 7}'`,
      "pml approve --revoke filesystem:write_file",
    ],
    complete: completed,
    async session(input, { id, list, revoke, json, scope, ...given }, settings) {
      return await atGateway(settings, async (client) => {
        if (revoke !== undefined) {
          const answer = await call(client, "pml:approvals", { revoke });
          if (json === true) printJson(answer);
          else printLine(`No longer always approved: ${revoke}`);
          return 0;
        }
        if (list === true) return await showWaiting(client, id, json === true);
        const answer = await decided(
          client,
          input,
          FLAGS.some((flag) => given[flag] === true),
        );
        if (answer === undefined) {
          printNote("Nothing was decided; the run still waits.");
          return 1;
        }
        const resume = shellCommand(settings, ["exec", "--resume", answer.workflowId], scope);
        if (json === true) printJson(answer);
        else printLine(decidedText(answer, resume));
        return 0;
      });
    },
  }),
);

type Decide = InputOf<"pml:approve">;

/** Rejects contradictory flags. Without a flag the decision is `once`, unless the person can be asked. */
function completed(read: Decide, given: GivenOf<typeof OWN>): Decide {
  const { list, revoke, result, last } = given;
  if (given.id !== undefined && last === true) throw usage("approve", "Expected ID or --last, found both");
  const id = last === true ? LAST : (given.id ?? "");
  const flags = FLAGS.filter((flag) => given[flag] === true);
  const actions = [...(list === true ? ["list"] : []), ...(revoke === undefined ? [] : ["revoke"]), ...flags];
  if (actions.length > 1)
    throw usage("approve", `Expected one of them, found ${actions.map((one) => `--${one}`).join(" and ")}`);
  const [decision = "once"] = flags;
  if (read.task !== undefined && decision !== "done" && decision !== "repeat")
    throw usage("approve", "--task needs --done or --repeat");
  if (result !== undefined && decision !== "done") throw usage("approve", "--result needs --done");
  if (revoke !== undefined && id !== "") throw usage("approve", `Unexpected argument "${id}"`);
  if (actions.length === flags.length && id === "")
    throw usage(
      "approve",
      "The run is missing: expected ID or --last; pml approve --list shows waiting runs",
    );
  return {
    ...read,
    workflow_id: id,
    decision,
    ...(result === undefined ? {} : { result: parseGiven("approve", "--result", result) }),
  };
}

async function showWaiting(client: GatewayClient, id: string | undefined, json: boolean): Promise<number> {
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

/** Shows a waiting run to the person at the terminal and asks; returns whether the person has decided. */
export async function askPerson(client: GatewayClient, id: string): Promise<boolean> {
  const answer = await decided(client, { workflow_id: id, decision: "once" }, false);
  if (answer !== undefined) printNote(decisionText(answer));
  return answer !== undefined;
}

/** Asks the person at the terminal, unless the command line contains the decision. */
async function decided(
  client: GatewayClient,
  input: Decide,
  isSaid: boolean,
): Promise<AnswerOf<"pml:approve"> | undefined> {
  const run = await find(client, input.workflow_id);
  const decision = !isSaid && isAtTerminal() && run !== undefined ? await asked(run) : input.decision;
  if (decision === undefined) return undefined;
  return await new Decider(client).decide("pml:approve", {
    ...input,
    // A run that does not wait is requested too: the gateway's error says what happened to it.
    workflow_id: run?.workflowId ?? input.workflow_id,
    decision,
    shown: run?.approval.expiresAt,
  });
}

/** The run with that id, or with an id that begins with it; undefined if there is none. */
async function find(client: GatewayClient, given: string): Promise<WaitingView | undefined> {
  const id = given === LAST ? await lastWaiting(client) : given;
  const { waiting: found = [] } = await call(client, "pml:approvals", { workflow_id: id });
  const ids = found.map(({ workflowId }) => workflowId);
  const meant = meantId(id, ids, "runs");
  return found.find(({ workflowId }) => workflowId === meant);
}

async function lastWaiting(client: GatewayClient): Promise<string> {
  const { waiting = [] } = await call(client, "pml:approvals", {});
  const last = waiting.at(-1);
  if (last === undefined) throw new PmlError("RUN_NOT_FOUND", "No run waits for approval in this project");
  return last.workflowId;
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
