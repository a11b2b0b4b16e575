import type { AnswerOf } from "../app/call-operation.js";
import { pmlAudit } from "../gateway/own/audit.js";
import { action, single } from "./operation-command.js";
import { ANY_WIDTH, table, visible } from "./output.js";
import { localTime } from "./when.js";

export const audit = single(
  "audit",
  action({
    operation: pmlAudit,
    about: `Shows what people decided and how they used their rights: approvals, rejections, verified capabilities,
trusted keys, accepted tools, tokens, imports. Each entry has the hash of the previous entry; --verify finds entries
that were changed, removed or moved. --json exports the entries with their hashes.`,
    flags: { verify: ["verify"], limit: ["limit"] },
    exits: "0 done, 1 failed, or entries were changed or are missing, 2 wrong usage.",
    examples: ["pml audit", "pml audit --verify", "pml audit --json --limit 100000 > audit.json"],
    text: auditText,
  }),
);

function auditText({ entries, verified }: AnswerOf<"pml:audit">): string {
  const cells = entries
    .toReversed()
    .map(({ number, at, actor, via, operation, subject, outcome }) =>
      [String(number), localTime(at), actor, via, operation, outcome, subject].map(visible),
    );
  const heads = ["NO", "WHEN", "WHO", "HOW", "WHAT", "OUTCOME", "ABOUT"];
  const shown = entries.length === 0 ? "No decisions yet" : table([heads, ...cells], ANY_WIDTH);
  return verified === true ? `${shown}\nNo entry was changed, removed or moved` : shown;
}
