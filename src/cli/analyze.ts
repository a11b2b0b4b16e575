import { type AnswerOf, call, errorOf } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import { PmlError } from "../base/pml-error.js";
import { analyzeReport, diagramOf, problemText } from "./analyze-report.js";
import type { Command } from "./command.js";
import { type CodeCommand, execRequest } from "./exec-request.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printError, printJson, printLine, printNote, printWarnings } from "./output.js";
import { STDIN } from "./stdin.js";

const EXIT_PROBLEMS = 1;
/** Servers may have to start. */
const WAIT_MS = 120_000;

const WORDS: CodeCommand = { name: "analyze", question: "There is nothing to analyze.", verb: "analyze" };

export const analyze: Command = {
  help: `Usage: pml analyze [FILE | -] [OPTIONS]
       pml analyze --capability NAME [OPTIONS]

Analyzes code without running it. Shows its structure in the order of evaluation, where its data comes from, its
parameters, the tools it can call and whether they need approval, the path it will probably take, and every problem
that would stop it, with its line. The code is the same as for \`pml exec\`.

  -                    read the code from stdin (default if stdin is piped and no FILE is given)
  --capability NAME    show a capability, by its name (also NAME@v1), its id or its FQDN
  --args JSON          also check these arguments, a JSON object
  --arg KEY=VALUE      one argument; overrides --args. VALUE is read as JSON if possible, else as text
  --name NAME          also check whether the code could be saved under this name
  --mermaid            the structure as a Mermaid flowchart, with the predicted path marked
  --json               the whole answer, for scripts
${COMMON_HELP}
Exit codes: 0 no problems, 1 problems, 2 wrong usage.

Examples:
  pml analyze read-config.ts
  pml analyze --capability fs:read_config --mermaid > read-config.mmd
  echo 'return await mcp.filesystem.list_directory({ path: args.path })' | pml analyze --json
`,
  async run(argv) {
    const { values, positionals } = parseOptions("analyze", argv, {
      ...COMMON_OPTIONS,
      capability: { type: "string" },
      args: { type: "string" },
      arg: { type: "string", multiple: true },
      name: { type: "string" },
      mermaid: { type: "boolean" },
    });
    const [file, extra] = positionals;
    if (extra !== undefined) throw usage("analyze", `Unexpected argument "${extra}"`);
    if (values.json === true && values.mermaid === true)
      throw usage("analyze", "Expected either --json or --mermaid, found both");
    const request = execRequest(file, values, STDIN, WORDS);
    const answer = await withGateway(settingsOf("analyze", values), (client) =>
      call(client, "pml:execute", { ...request, options: { dry_run: true } }, { waitMs: WAIT_MS }),
    );
    return print(answer, values);
  },
};

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
