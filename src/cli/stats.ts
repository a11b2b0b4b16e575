import { call } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import type { Command } from "./commands.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, refuseArguments, settingsOf } from "./options.js";
import { printJson, printLine } from "./output.js";
import { statsReport } from "./stats-report.js";

export const stats: Command = {
  help: `Usage: pml stats [OPTIONS]

Shows statistics of a project: capabilities by trust, the most used ones and their success rates, runs of today, runs that
wait for approval, cache hits, and the most called tools. A gateway that serves HTTP has the same for Prometheus at
/metrics.

${COMMON_HELP}  --json               the whole answer, for scripts

Examples:
  pml stats
  pml stats --json --scope acme/webapp
`,
  async run(argv) {
    const { values, positionals } = parseOptions("stats", argv, COMMON_OPTIONS);
    refuseArguments("stats", positionals);
    const answer = await withGateway(settingsOf("stats", values), (client) => call(client, "pml:stats", {}));
    if (values.json === true) printJson(answer);
    else printLine(statsReport(answer));
    return 0;
  },
};
