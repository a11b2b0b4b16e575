import { pmlTrace } from "../gateway/own/trace.js";
import { action, single } from "./operation-command.js";
import { usage } from "./options.js";
import { LAST, runIdOf } from "./run-id.js";
import { runningText, runsText, traceText } from "./trace-report.js";

export const trace = single(
  "trace",
  action({
    operation: pmlTrace,
    about: `Explains a run: path through the code, decisions, calls with their times, nested runs, errors. WORKFLOW is
the id of a run or the beginning of it; without WORKFLOW, the command lists the last runs and the runs that have not
ended.`,
    takes: "workflow_id?",
    own: { last: ["", "the newest run"] },
    examples: ["pml trace", "pml trace 5f0c6a3e", "pml trace --last"],
    complete(input, { last }) {
      const id = input.workflow_id;
      if (id !== undefined && last === true) throw usage("trace", "Expected WORKFLOW or --last, found both");
      if ((id !== undefined || last === true) && input.limit !== undefined)
        throw usage("trace", "--limit applies to the list, not to one run");
      return last === true ? { ...input, workflow_id: LAST } : input;
    },
    resolve: async (client, input) =>
      input.workflow_id === undefined
        ? input
        : { ...input, workflow_id: await runIdOf(client, input.workflow_id, "ended") },
    text: (answer) =>
      "runs" in answer ? runsText(answer) : "traceId" in answer ? traceText(answer) : runningText(answer),
  }),
);
