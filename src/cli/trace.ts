import { call, type InputOf } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import type { Command } from "./commands.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printJson, printLine } from "./output.js";
import { runsText, traceText } from "./trace-report.js";

export const trace: Command = {
  help: `Usage: pml trace [WORKFLOW] [OPTIONS]

Shows what happened in a run: what ran, for which user and when, its path through the code, its decisions, every call with
its duration and nested calls, and why it failed. Without WORKFLOW it lists the last runs of the project, newest
first.

  WORKFLOW             workflowId of the answer to a run
  --limit N            runs of the list; 20 by default

${COMMON_HELP}  --json               the whole answer, for scripts

Examples:
  pml trace
  pml trace 5f0c6a3e-9d43-4c1b-9a53-0b6f2f0f9f11
`,
  async run(argv) {
    const { values, positionals } = parseOptions("trace", argv, {
      ...COMMON_OPTIONS,
      limit: { type: "string" },
    });
    const [workflow, extra] = positionals;
    if (extra !== undefined) throw usage("trace", `Unexpected argument "${extra}"`);
    const input = inputOf(workflow, values.limit);
    const answer = await withGateway(settingsOf("trace", values), (client) =>
      call(client, "pml:trace", input),
    );
    if (values.json === true) printJson(answer);
    else printLine("runs" in answer ? runsText(answer) : traceText(answer));
    return 0;
  },
};

function inputOf(workflow: string | undefined, limit: string | undefined): InputOf<"pml:trace"> {
  if (workflow !== undefined) {
    if (limit !== undefined) throw usage("trace", "--limit applies to the list, not to one run");
    return { workflow_id: workflow };
  }
  if (limit === undefined) return {};
  if (!/^[1-9]\d{0,2}$/.test(limit) || Number(limit) > 200)
    throw usage("trace", `--limit is "${limit}": expected a number from 1 to 200`);
  return { limit: Number(limit) };
}
