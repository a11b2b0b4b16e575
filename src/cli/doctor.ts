import { diagnose, type Finding } from "../app/diagnose.js";
import { LIMITS } from "../base/limits.js";
import { ownAction, single } from "./command.js";
import { printJson, printLine } from "./output.js";

const MARK: Readonly<Record<Finding["state"], string>> = {
  ok: "ok     ",
  warning: "warning",
  problem: "PROBLEM",
};

export const doctor = single(
  "doctor",
  ownAction({
    about: `Checks Node, the configuration, the store, the sandbox and every server, and says how to fix problems. Uses the
running gateway, or starts one for the check. Exits with code 1 if there is a problem.`,
    examples: ["pml doctor --config pml.json"],
    async session({ json }, settings) {
      const { findings, status } = await diagnose(settings);
      if (json === true) printJson({ findings, ...(status === undefined ? {} : { status }), limits: LIMITS });
      else printLine(findings.map(lines).join("\n"));
      return findings.some(({ state }) => state === "problem") ? 1 : 0;
    },
  }),
);

function lines({ state, part, detail, advice }: Finding): string {
  const first = `${MARK[state]}  ${part}: ${detail}`;
  return advice === undefined ? first : `${first}\n         → ${advice}`;
}
