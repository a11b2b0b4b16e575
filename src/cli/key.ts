import { withGateway } from "../app/gateway-client.js";
import { errorOf, type OwnAnswer } from "../app/own-tool-call.js";
import { isJsonObject } from "../base/json-object.js";
import { nearest } from "../base/nearest.js";
import type { Command } from "./commands.js";
import { Decider } from "./decider.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printJson, printLine, table, visible } from "./output.js";

const ACTIONS = ["list", "show", "trust", "untrust"];

export const key: Command = {
  help: `Usage: pml key list [OPTIONS]
       pml key show [KEY] [OPTIONS]
       pml key trust KEY [--org ORG]… [--name NAME] [OPTIONS]
       pml key untrust KEY [OPTIONS]

Every version of a capability is signed by the installation that saved it. What was imported runs only while the key that
signed it is trusted here. trust needs a terminal, and your PIN if one is set (pml pin). list shows this installation's own key, those that are trusted, and those that imported
capabilities are signed with; show shows one, this installation's own when none is named.

  KEY                  the public key in base64; or, of a key that list shows, its fingerprint or the first 12
                       characters of it, or the name that it was given
  --org ORG            trust it for capabilities of this org alone (default: of every org); can be repeated.
                       Trusting a key again replaces its orgs
  --name NAME          what to call it

${COMMON_HELP}  --json               the whole answer, for scripts

Examples:
  pml key show
  pml key trust SHA256:5Zx1mB0sT2uK --org acme --name ada
  pml key untrust ada
`,
  async run(argv) {
    const { values, positionals } = parseOptions("key", argv, {
      ...COMMON_OPTIONS,
      name: { type: "string" },
      org: { type: "string", multiple: true },
    });
    const [action, which, extra] = positionals;
    const input = inputOf(action, which, extra, { name: values.name, orgs: values.org });
    const answer = await withGateway(settingsOf("key", values), (client) =>
      new Decider(client).decide("pml:keys", input),
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
  { name, orgs }: { readonly name: string | undefined; readonly orgs: readonly string[] | undefined },
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
  if (orgs !== undefined && action !== "trust") throw usage("key", `--org does not go with ${action}`);
  const unexpected = action === "list" ? which : extra;
  if (unexpected !== undefined) throw usage("key", `Unexpected argument "${unexpected}"`);
  if (action === "list") return { action };
  if (which === undefined && action !== "show") throw usage("key", "Which key? Expected KEY");
  return {
    action,
    key: which ?? "own",
    ...(name === undefined ? {} : { name }),
    ...(orgs === undefined ? {} : { orgs }),
  };
}

function textOf(action: string, answer: OwnAnswer): string {
  const fingerprint = visible(String(answer.fingerprint));
  const count = Number(answer.capabilities);
  const signed = count === 1 ? "1 capability that it signed" : `${count} capabilities that it signed`;
  switch (action) {
    case "list":
      return listText(answer);
    case "trust":
      return `Trusted for ${orgsText(answer.orgs)}: ${fingerprint}, called ${visible(String(answer.name))}; ${count === 1 ? "1 capability here is" : `${count} capabilities here are`} signed with it`;
    case "untrust":
      return `No longer trusted: ${fingerprint}; ${signed} cannot run`;
    default:
      return table(
        Object.entries(answer).map(([field, value]) => [field.replaceAll("_", " "), visible(String(value))]),
        Number.POSITIVE_INFINITY,
      );
  }
}

function orgsText(orgs: unknown): string {
  if (!Array.isArray(orgs)) return "every org";
  return `the org${orgs.length === 1 ? "" : "s"} ${visible(orgs.join(", "))}`;
}

function listText({ keys }: OwnAnswer): string {
  const rows = (Array.isArray(keys) ? keys : []).filter(isJsonObject);
  const cells = rows.map(({ fingerprint, state, capabilities, orgs, name }) =>
    [fingerprint, state, capabilities, orgs ?? "", name ?? ""].map((cell) => visible(String(cell))),
  );
  const heads = ["FINGERPRINT", "STATE", "SIGNED", "ORGS", "NAME"];
  return table([heads, ...cells], Number.POSITIVE_INFINITY).replace(/ +$/gm, "");
}
