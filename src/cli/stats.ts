import { call } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import type { Command } from "./commands.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, refuseArguments, settingsOf } from "./options.js";
import { printJson, printLine } from "./output.js";
import { statsReport } from "./stats-report.js";

export const stats: Command = {
  help: `Usage: pml stats [OPTIONS]

Shows the numbers of a project: how many capabilities there are and how far they are trusted, which are used most and how
often they succeed, runs of today, what waits for approval, how often a cache has answered, and which tools are called
most. A gateway that serves HTTP has the same for Prometheus at /metrics.

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
