import { diagnose, type Finding } from "../app/diagnose.js";
import { LIMITS } from "../base/limits.js";
import { type Colour, type Paint, paintFor } from "./colour.js";
import { ownAction, single } from "./command.js";
import { counted, printJson, printText } from "./output.js";
import { pasteable } from "./pasteable.js";
import { waitingFor } from "./spinner.js";

const MARK: Readonly<Record<Finding["state"], string>> = {
  ok: "ok     ",
  warning: "warning",
  problem: "PROBLEM",
};

const COLOUR: Readonly<Record<Finding["state"], Colour>> = { ok: "green", warning: "yellow", problem: "red" };

export const doctor = single(
  "doctor",
  ownAction({
    about: `Checks Node, the configuration, the store, the sandbox and every server, and says how to fix problems. Uses the
running gateway, or starts one for the check. Exits with code 1 if there is a problem.`,
    examples: ["pml doctor --config pml.json"],
    async session({ json }, settings) {
      const { findings, status } = await waitingFor(
        "checking the gateway and its servers",
        diagnose(settings),
      );
      if (json === true) printJson({ findings, ...(status === undefined ? {} : { status }), limits: LIMITS });
      else {
        const paint = paintFor(process.stdout);
        printText([...findings.map((one) => lines(one, paint)), "", verdict(findings)].join("\n"));
      }
      return findings.some(({ state }) => state === "problem") ? 1 : 0;
    },
  }),
);

function verdict(findings: readonly Finding[]): string {
  const count = (state: Finding["state"]) => findings.filter((one) => one.state === state).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  const found = [
    ...(problems === 0 ? [] : [counted(problems, "problem")]),
    ...(warnings === 0 ? [] : [counted(warnings, "warning")]),
  ];
  return found.length === 0 ? "All is well." : `${found.join(" and ")}; each line says what to do.`;
}

function lines({ state, part, detail, advice }: Finding, paint: Paint): string {
  const first = `${paint(COLOUR[state], MARK[state])}  ${part}: ${detail}`;
  return advice === undefined ? first : `${first}\n         → ${pasteable(advice)}`;
}
