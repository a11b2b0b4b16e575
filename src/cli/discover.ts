import { pmlDiscover } from "../gateway/own/discover.js";
import { discoverReport } from "./discover-report.js";
import { action, single } from "./operation-command.js";
import { usage } from "./options.js";

export const DISCOVER = action({
  operation: pmlDiscover,
  about:
    "Finds the tools and capabilities (code that worked before) for an intent, best first, with their scores.",
  takes: "intent…",
  of: "intent",
  flags: {
    type: ["type", "only results of this type"],
    "min-score": [
      "minScore",
      "only results with score X or more, between 0 and 1; 0 shows all (default: good matches)",
      "X",
    ],
    limit: ["limit", "results (default: 10, at most 50)"],
    offset: ["offset", "skip the best N"],
  },
  without: ["detail", "include_suggestions"],
  own: { full: ["", "show signatures, reasons, schemas and source"] },
  examples: [
    'pml discover "read a JSON file"',
    'pml discover "send a message" --type tool --limit 3',
    'pml discover "summarise a page" --namespace web --full',
  ],
  complete(input, { full }) {
    if ((input.filter?.minScore ?? 0) > 1)
      throw usage("discover", `--min-score is "${input.filter?.minScore}": expected a number from 0 to 1`);
    // Scripts get the same answer as agents.
    return { ...input, ...(full === true ? { detail: "full" as const } : {}) };
  },
  text: (answer, { offset = 0, detail }) => discoverReport(answer, { offset, isFull: detail === "full" }),
});

export const discover = single("discover", DISCOVER);
