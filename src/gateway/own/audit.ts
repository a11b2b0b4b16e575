/**
 * `pml:audit`, the operation of `pml audit`: the log of people's decisions. For a person only.
 *
 * @module
 */
import { z } from "zod";
import { PmlError } from "../../base/pml-error.js";
import type { Audit } from "../audit.js";
import { isTokenHolder } from "../decision-gate.js";
import { decidesNothing, list, operation } from "../operation.js";

const LIMIT = 100;
const LIMIT_MOST = 100_000;

const schema = z.strictObject({
  verify: z.boolean().optional().describe("check that no entry was changed, removed or moved"),
  limit: z.int().min(1).max(LIMIT_MOST).optional().describe(`number of newest entries (default: ${LIMIT})`),
});

const entry = z.strictObject({
  number: z.int(),
  at: z.string(),
  actor: z.string(),
  role: z.string(),
  via: z.string(),
  org: z.string(),
  project: z.string(),
  operation: z.string(),
  subject: z.string(),
  outcome: z.string(),
  previous: z.string(),
  hash: z.string(),
});

export const pmlAudit = operation({
  id: "pml:audit",
  who: "person",
  decides: decidesNothing,
  summary: "The log of what people decided, and whether it is whole.",
  input: schema,
  output: z.strictObject({
    /** Newest first. */
    entries: list(entry),
    /** Present if verification was requested. */
    verified: z.boolean().exactOptional(),
  }),
  run:
    ({ audit }: { readonly audit: Audit }) =>
    async ({ verify = false, limit = LIMIT }, { org, project }, caller) => {
      if (verify) {
        const checked = await audit.check();
        if (!checked.isWhole)
          throw new PmlError("AUDIT_BROKEN", `The audit log is not complete: ${checked.why}`, {
            hint: "Something other than PML changed the store. Compare it with a backup: `pml audit --json` shows what is there.",
          });
      }
      // A caller with a token sees entries of its own project only.
      const found = await audit.newest(limit, isTokenHolder(caller) ? { org, project } : undefined);
      return {
        entries: found.map(({ at, ...rest }) => ({ ...rest, at: at.toISOString() })),
        ...(verify ? { verified: true } : {}),
      };
    },
});
