import { withGateway } from "../app/gateway-client.js";
import { callOwnTool, errorOf, type OwnAnswer } from "../app/own-tool-call.js";
import { isJsonObject } from "../base/json-object.js";
import { nearest } from "../base/nearest.js";
import type { Command } from "./commands.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printJson, printLine, table, visible } from "./output.js";

const ACTIONS = ["list", "show", "trust", "untrust"];

export const key: Command = {
  help: `Usage: pml key list [OPTIONS]
       pml key show [KEY] [OPTIONS]
       pml key trust KEY [--name NAME] [OPTIONS]
       pml key untrust KEY [OPTIONS]

Every version of a capability is signed by the installation that saved it. What was imported runs only while the key that
signed it is trusted here. list shows this installation's own key, those that are trusted, and those that imported
capabilities are signed with; show shows one, this installation's own when none is named.

  KEY                  the public key in base64; or, of a key that list shows, its fingerprint or the first 12
                       characters of it, or the name that it was given
  --name NAME          what to call it

${COMMON_HELP}  --json               the whole answer, for scripts

Examples:
  pml key show
  pml key trust SHA256:5Zx1mB0sT2uK --name ada
  pml key untrust ada
`,
  async run(argv) {
    const { values, positionals } = parseOptions("key", argv, {
      ...COMMON_OPTIONS,
      name: { type: "string" },
    });
    const [action, which, extra] = positionals;
    const input = inputOf(action, which, extra, values.name);
    const answer = await withGateway(settingsOf("key", values), (client) =>
      callOwnTool(client, "pml:keys", input),
    );
    const error = errorOf(answer);
    if (error !== undefined) throw error;
    if (values.json === true) printJson(answer);
    else printLine(textOf(action ?? "", answer));
    return 0;
  },
};

function inputOf(
  action: string | undefined,
  which: string | undefined,
  extra: string | undefined,
  name: string | undefined,
): OwnAnswer {
  if (action === undefined || !ACTIONS.includes(action)) {
    const [like] = action === undefined ? [] : nearest(action, ACTIONS, 1);
    const offer = like === undefined ? "" : `; did you mean "${like}"?`;
    throw usage(
      "key",
      `Expected ${ACTIONS.join(", ")}, found ${JSON.stringify(action ?? "nothing")}${offer}`,
    );
  }
  if (name !== undefined && action !== "trust") throw usage("key", `--name does not go with ${action}`);
  const unexpected = action === "list" ? which : extra;
  if (unexpected !== undefined) throw usage("key", `Unexpected argument "${unexpected}"`);
  if (action === "list") return { action };
  if (which === undefined && action !== "show") throw usage("key", "Which key? Expected KEY");
  return { action, key: which ?? "own", ...(name === undefined ? {} : { name }) };
}

function textOf(action: string, answer: OwnAnswer): string {
  const fingerprint = visible(String(answer.fingerprint));
  const count = Number(answer.capabilities);
  const signed = count === 1 ? "1 capability that it signed" : `${count} capabilities that it signed`;
  switch (action) {
    case "list":
      return listText(answer);
    case "trust":
      return `Trusted: ${fingerprint}, called ${visible(String(answer.name))}; ${signed} can run`;
    case "untrust":
      return `No longer trusted: ${fingerprint}; ${signed} cannot run`;
    default:
      return table(
        Object.entries(answer).map(([field, value]) => [field.replaceAll("_", " "), visible(String(value))]),
        Number.POSITIVE_INFINITY,
      );
  }
}

function listText({ keys }: OwnAnswer): string {
  const rows = (Array.isArray(keys) ? keys : []).filter(isJsonObject);
  const cells = rows.map(({ fingerprint, state, capabilities, name }) =>
    [fingerprint, state, capabilities, name ?? ""].map((cell) => visible(String(cell))),
  );
  return table([["FINGERPRINT", "STATE", "SIGNED", "NAME"], ...cells], Number.POSITIVE_INFINITY).replace(
    / +$/gm,
    "",
  );
}
