import { pmlStats } from "../gateway/own/stats.js";
import { action, single } from "./operation-command.js";
import { statsReport } from "./stats-report.js";

export const stats = single(
  "stats",
  action({
    operation: pmlStats,
    examples: ["pml stats", "pml stats --json --scope acme/webapp"],
    text: (answer) => statsReport(answer),
  }),
);
