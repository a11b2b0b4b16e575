import { pmlTrace } from "../gateway/own/trace.js";
import { action, single } from "./operation-command.js";
import { usage } from "./options.js";
import { runsText, traceText } from "./trace-report.js";

export const trace = single(
  "trace",
  action({
    operation: pmlTrace,
    takes: "workflow_id?",
    examples: ["pml trace", "pml trace 5f0c6a3e-9d43-4c1b-9a53-0b6f2f0f9f11"],
    complete(input) {
      if (input.workflow_id !== undefined && input.limit !== undefined)
        throw usage("trace", "--limit applies to the list, not to one run");
      return input;
    },
    text: (answer) => ("runs" in answer ? runsText(answer) : traceText(answer)),
  }),
);
