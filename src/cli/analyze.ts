import { type AnswerOf, call, errorOf } from "../app/call-operation.js";
import { PmlError } from "../base/pml-error.js";
import { pmlExecute } from "../gateway/own/execute.js";
import { analyzeReport, diagramOf, problemText } from "./analyze-report.js";
import { atGateway } from "./at-gateway.js";
import { CODE, type CodeCommand, execRequest } from "./exec-request.js";
import { action, single } from "./operation-command.js";
import { usage } from "./options.js";
import { printError, printJson, printLine, printNote, printWarnings } from "./output.js";

const EXIT_PROBLEMS = 1;
/** Servers may have to start. */
const WAIT_MS = 120_000;

const WORDS: CodeCommand = { name: "analyze", question: "There is nothing to analyze.", verb: "analyze" };

export const analyze = single(
  "analyze",
  action({
    operation: pmlExecute,
    about: `Analyzes code without running it. Shows its structure in the order of evaluation, where its data comes from,
its parameters, the tools it can call and whether they need approval, the path it will probably take, and every problem
that would stop it, with its line. The code is the same as for \`pml exec\`.`,
    forms: ["analyze [FILE | -] [OPTIONS]", "analyze --capability NAME [OPTIONS]"],
    takes: "file?",
    flags: {
      capability: ["capability", "show a capability, by its name (also NAME@v1), its id or its FQDN", "NAME"],
      name: ["name", "also check whether the code could be saved under this name"],
    },
    without: "others",
    own: { ...CODE, mermaid: ["", "the structure as a Mermaid flowchart, with the predicted path marked"] },
    exits: "0 no problems, 1 problems, 2 wrong usage.",
    examples: [
      "pml analyze read-config.ts",
      "pml analyze --capability fs:read_config --mermaid > read-config.mmd",
      "echo 'return await mcp.filesystem.list_directory({ path: args.path })' | pml analyze --json",
    ],
    complete(input, given, stdin) {
      if (given.json === true && given.mermaid === true)
        throw usage("analyze", "Expected either --json or --mermaid, found both");
      return { ...execRequest(input, given, stdin, WORDS), options: { dry_run: true } };
    },
    async session(input, given, settings) {
      const answer = await atGateway(settings, (client) =>
        call(client, "pml:execute", input, { waitMs: WAIT_MS }),
      );
      return print(answer, given);
    },
  }),
);

interface Form {
  readonly json?: boolean | undefined;
  readonly mermaid?: boolean | undefined;
}

function print(answer: AnswerOf<"pml:execute">, { json, mermaid }: Form): number {
  if (json === true) printJson(answer);
  if (answer.status !== "dry_run") {
    printError(errorOf(answer) ?? new PmlError("RUN_FAILED", "The gateway gave no reason"), false);
    return EXIT_PROBLEMS;
  }
  const { problems } = answer;
  if (json !== true) {
    if (mermaid === true) {
      printLine(diagramOf(answer));
      for (const problem of problems) printNote(problemText(problem));
    } else printLine(analyzeReport(answer));
    printWarnings(answer);
  }
  return problems.length === 0 ? 0 : EXIT_PROBLEMS;
}
