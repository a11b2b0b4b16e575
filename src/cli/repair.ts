import { pmlRepair, type RepairView } from "../gateway/own/repair.js";
import { atGateway } from "./at-gateway.js";
import { Decider } from "./decider.js";
import { action, single } from "./operation-command.js";
import { printJson, printLine, visible, visibleLines } from "./output.js";

export const repair = single(
  "repair",
  action({
    operation: pmlRepair,
    about: `Shows every capability that uses a changed tool, with a verdict: unaffected, repairable or broken. For a
repairable capability it shows how the code would change; --apply saves the repaired code as a new version. The new
version has passed the recordings and is unproven. PML does not guess: if a change of a tool could have several
meanings, the capability is broken, and a person decides.`,
    takes: "name?",
    flags: { apply: ["apply", "save the repaired code as a new version"] },
    exits: "0 nothing is broken, 1 something is broken or was not repaired, 2 wrong usage.",
    examples: ["pml repair", "pml repair mail:send", "pml repair mail:send --apply"],
    async session(input, { json }, settings) {
      const answer = await atGateway(settings, (client) => new Decider(client).decide("pml:repair", input));
      const { capabilities } = answer;
      if (json === true) printJson(answer);
      else
        printLine(
          capabilities.length === 0
            ? "No capability uses a tool that has changed"
            : capabilities.map(repairText).join("\n\n"),
        );
      return capabilities.some(({ verdict, refused }) => verdict === "broken" || refused !== undefined)
        ? 1
        : 0;
    },
  }),
);

function repairText(one: RepairView): string {
  const { name, version, gets, verdict, reasons, diff, recordings_passed, works, repaired, refused } = one;
  const passed =
    recordings_passed === undefined || recordings_passed === 0
      ? []
      : [`  passes ${recordings_passed} ${recordings_passed === 1 ? "recording" : "recordings"}`];
  return [
    `${visible(name)}@${version}${gets === undefined ? "" : ` (what ${visible(gets)} ${gets === "others" ? "get" : "gets"})`}: ${verdict}`,
    ...reasons.map((reason) => `  ${visible(reason)}`),
    ...passed,
    ...(diff === undefined ? [] : [visibleLines(diff).trimEnd()]),
    ...(works === undefined ? [] : [`  version ${works} works: ${visible(name)}@${works}`]),
    ...(repaired === undefined ? [] : [`  repaired: version ${repaired} is unproven until it has succeeded`]),
    ...(refused === undefined ? [] : [`  not repaired: ${visible(refused)}`]),
    ...(verdict === "repairable" && repaired === undefined && refused === undefined
      ? [
          `  pml repair ${visible(gets === undefined ? name : `${name}@${version}`)} --apply saves it as a new version`,
        ]
      : []),
  ].join("\n");
}
