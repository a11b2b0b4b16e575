import { type AnswerOf, call } from "../app/call-operation.js";
import type { GatewayClient } from "../app/gateway-client.js";
import type { Settings } from "../app/settings.js";
import { approveCommand, shellCommand } from "../app/shell-command.js";
import { LIMITS } from "../base/limits.js";
import { pmlExecute } from "../gateway/own/execute.js";
import { askPerson } from "./approve.js";
import { atGateway } from "./at-gateway.js";
import { isScreen } from "./colour.js";
import { isAtTerminal } from "./decider.js";
import { type ApprovalCommands, execReport } from "./exec-report.js";
import { type ExecRequest, execRequest, RUN } from "./exec-request.js";
import { action, single } from "./operation-command.js";
import { printError, printJson, printLine, printNote } from "./output.js";
import { runIdOf } from "./run-id.js";
import { RunProgress } from "./run-progress.js";

const EXIT_CANCELLED = 130;
/** In addition to the run itself: its servers may have to start, and it may have to wait for its turn. */
const AROUND_RUN_MS = 120_000;

export const EXEC = action({
  operation: pmlExecute,
  about: `Runs TypeScript in the sandbox, with every tool behind the gateway, and remembers it as a capability if it
succeeds; or runs a capability again. The code is the body of an async function: it calls tools as
mcp.server.tool({ … }), takes its arguments from args, and returns a JSON value. The result goes to stdout; logs,
warnings and the name of the capability go to stderr.

With --intent alone, shows matching tools and capabilities and runs nothing. With --intent and arguments, runs the match
if it is certain and trusted; otherwise explains why not.

If a run needs approval, the command asks for it in a terminal, as pml approve does, and then continues the run. Without
a terminal it exits with code 3 and says how to approve the run.`,
  forms: [
    "exec [FILE | -] [OPTIONS]",
    "exec --dag FILE [OPTIONS]",
    "exec --capability NAME [OPTIONS]",
    "exec --intent TEXT [--arg KEY=VALUE …]",
    "exec --resume WORKFLOW | --last",
  ],
  takes: "file?",
  flags: {
    intent: [
      "intent",
      "what it is for (default: the comment at the start of the code). Alone: see above",
      "TEXT",
    ],
    capability: ["capability", "run a capability, by its name (also NAME@v1), its id or its FQDN", "NAME"],
    name: ["name", "remember the code under this name, such as fs:read_json"],
    resume: [
      "resume",
      "continue a run after it was approved (`pml approve`), by its id or the beginning of it",
      "WORKFLOW",
    ],
    timeout: ["timeout", `time limit (default: sandbox.timeoutMs), at most ${LIMITS.runTimeMostMs}`, "MS"],
    update: ["update", "if other code has the name, add a version"],
    tag: ["version_tag", "tag that version, such as v1.2.0", "TAG"],
    "no-cache": ["no_cache", "ignore a cached result; the new result replaces it"],
    "per-layer": [
      "per_layer_validation",
      "ask for approval before each layer of calls instead of before the run",
    ],
  },
  without: "others",
  own: RUN,
  exits: "0 done, 1 failed or no certain match, 2 wrong usage, 3 approval needed, 130 cancelled with Ctrl-C.",
  examples: [
    "pml exec read-config.ts --arg path=config.json --name fs:read_config",
    "pml exec --capability fs:read_config --arg path=settings.json",
    'pml exec --intent "read a configuration file" --arg path=settings.json',
    `echo 'return (await mcp.filesystem.list_directory({ path: "." })).content' | pml exec --json`,
  ],
  complete: (input, given, stdin) => execRequest(input, given, stdin),
  async session(request, { json, progress, scope }, settings) {
    const cancel = new AbortController();
    // Only the first interrupt: a second one ends the command at once, as by default.
    const onInterrupt = () => cancel.abort();
    process.once("SIGINT", onInterrupt);
    try {
      const answer = await ask(settings, request, cancel.signal, progress === true);
      return print(answer, json === true, request.args ?? {}, {
        approve: (id) => approveCommand(settings, id, settings.scope),
        resume: (id) => shellCommand(settings, ["exec", "--resume", id], scope),
      });
    } catch (error) {
      if (!cancel.signal.aborted) throw error;
      printNote("pml: Cancelled [RUN_CANCELLED]");
      return EXIT_CANCELLED;
    } finally {
      process.off("SIGINT", onInterrupt);
    }
  },
});

export const exec = single("exec", EXEC);

type Answer = AnswerOf<"pml:execute">;

/** Runs it, asks the person at the terminal if it waits for approval, and continues. */
async function ask(
  settings: Settings,
  request: ExecRequest,
  signal: AbortSignal,
  asLines: boolean,
): Promise<Answer> {
  return await atGateway(settings, async (client) => {
    const { resume: given } = request;
    const first =
      given === undefined ? request : { ...request, resume: await runIdOf(client, given, "open") };
    let answer = await execute(client, first, signal, asLines);
    while ("approval" in answer && isAtTerminal()) {
      const resume = answer.workflowId;
      if (!(await askPerson(client, resume))) break;
      answer = await execute(client, { intent: request.intent, resume }, signal, asLines);
    }
    return answer;
  });
}

async function execute(
  client: GatewayClient,
  request: ExecRequest,
  signal: AbortSignal,
  asLines: boolean,
): Promise<Answer> {
  const isTerminal = isScreen(process.stderr);
  const progress = new RunProgress({
    isTerminal,
    columns: process.stderr.columns || 80,
    write: (text) => void process.stderr.write(text),
  });
  try {
    return await call(client, "pml:execute", request, {
      signal,
      waitMs: LIMITS.runTimeMostMs + AROUND_RUN_MS,
      ...(isTerminal || asLines ? { onProgress: (report) => progress.report(report) } : {}),
    });
  } finally {
    progress.end();
  }
}

function print(
  answer: Answer,
  json: boolean,
  args: Readonly<Record<string, unknown>>,
  commands: ApprovalCommands,
): number {
  const isTerminal = process.stdout.isTTY === true;
  const { result, notes, error, code } = execReport(answer, isTerminal, commands, args);
  if (json) printJson(answer);
  else {
    for (const note of notes) printNote(note);
    if (result !== undefined) printLine(result);
  }
  if (error !== undefined) printError(error, false);
  return code;
}
