import { canonicalJson } from "../base/canonical-json.js";
import { sha256Hex } from "../base/sha256.js";
import type { PreparedRun } from "./prepared-run.js";

/**
 * What an approval is for, as one text: the code, its arguments, everything that it calls with its version, every tool
 * as its server describes it now, and how the run asks. Where any of that is another, so is the run.
 */
export function fingerprintOf({ codeHash, args, plan, again }: PreparedRun): Promise<string> {
  const { options, name, intent: _, ...what } = again;
  return sha256Hex(
    canonicalJson({
      codeHash,
      args,
      units: plan.units.map(({ ref, version, codeHash: hash }) => [ref, version, hash]),
      tools: plan.tools.map(({ id, hash }) => [id, hash]).sort(([a = ""], [b = ""]) => (a < b ? -1 : 1)),
      name,
      options,
      what,
    }),
  );
}
