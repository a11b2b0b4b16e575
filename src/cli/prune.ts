import type { AnswerOf } from "../app/call-operation.js";
import { pmlPrune } from "../gateway/own/upkeep.js";
import { action, single } from "./operation-command.js";
import { sizeText, table } from "./output.js";

export const prune = single(
  "prune",
  action({
    operation: pmlPrune,
    about: `Deletes old traces and counted calls, expired results and expired runs, also while the gateway runs.
Capabilities stay, and so do the statistics learnt from runs. The gateway prunes automatically every hour, with the
defaults.`,
    flags: {
      days: ["days", "delete traces and calls older than N days (default: results.traceDays, else 90)", "N"],
      keep: ["keep", "keep only the newest N traces of each capability (default: 1000)", "N"],
      "dry-run": ["dry_run", "show what would be deleted, and delete nothing"],
    },
    exits: "0 done, 1 failed, 2 wrong usage.",
    examples: ["pml prune --dry-run", "pml prune --days 30 --keep 100"],
    text: pruneText,
  }),
);

const WORDS = { traces: "traces", calls: "counted calls", results: "expired results", runs: "expired runs" };

function pruneText({ dry_run: isDryRun, ...found }: AnswerOf<"pml:prune">): string {
  const entries = Object.entries(WORDS).map(([key, words]) => ({
    words,
    ...found[key as keyof typeof WORDS],
  }));
  const bytes = entries.reduce((sum, one) => sum + one.bytes, 0);
  return [
    table([
      ["", "ROWS", "ABOUT"],
      ...entries.map(({ words, rows, bytes: some }) => [words, String(rows), sizeText(some)]),
    ]),
    isDryRun
      ? `Would free about ${sizeText(bytes)}; nothing was deleted`
      : `Freed about ${sizeText(bytes)} inside of the store, for new rows`,
  ].join("\n");
}
