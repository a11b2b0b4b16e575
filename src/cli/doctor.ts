import { diagnose, type Finding } from "../app/diagnose.js";
import { LIMITS } from "../base/limits.js";
import type { Command } from "./command.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, refuseArguments, settingsOf } from "./options.js";
import { printJson, printLine } from "./output.js";

const MARK: Readonly<Record<Finding["state"], string>> = {
  ok: "ok     ",
  warning: "warning",
  problem: "PROBLEM",
};

export const doctor: Command = {
  help: `Usage: pml doctor [OPTIONS]

Checks Node, the configuration, the store, the sandbox and every server, and says how to fix problems. Uses the running
gateway, or starts one for the check. Exits with code 1 if there is a problem.

${COMMON_HELP}  --json               everything that is known, for scripts

Example:
  pml doctor --config pml.json
`,
  async run(argv) {
    const { values, positionals } = parseOptions("doctor", argv, COMMON_OPTIONS);
    refuseArguments("doctor", positionals);
    const { findings, status } = await diagnose(() => settingsOf("doctor", values));
    if (values.json === true)
      printJson({ findings, ...(status === undefined ? {} : { status }), limits: LIMITS });
    else printLine(findings.map(lines).join("\n"));
    return findings.some(({ state }) => state === "problem") ? 1 : 0;
  },
};

function lines({ state, part, detail, advice }: Finding): string {
  const first = `${MARK[state]}  ${part}: ${detail}`;
  return advice === undefined ? first : `${first}\n         → ${advice}`;
}
