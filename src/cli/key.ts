import type { AnswerOf, InputOf } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import { nearest } from "../base/nearest.js";
import type { Command } from "./commands.js";
import { Decider } from "./decider.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printJson, printLine, table, visible } from "./output.js";

const ACTIONS = ["list", "show", "trust", "untrust"] as const;

export const key: Command = {
  help: `Usage: pml key list [OPTIONS]
       pml key show [KEY] [OPTIONS]
       pml key trust KEY [--org ORG]… [--name NAME] [OPTIONS]
       pml key untrust KEY [OPTIONS]

Every version of a capability is signed by the installation that saved it. Imported capabilities run only while the key
that signed them is trusted here. trust needs a terminal, and your PIN if one is set (pml pin). list shows this
installation's own key, the trusted keys and the keys of imported capabilities; show shows one key (default: this
installation's own).

  KEY                  a public key in base64; or, for a key that list shows, its name, its fingerprint or the first 12
                       characters of the fingerprint
  --org ORG            trust it only for capabilities of this org (default: every org); can be repeated.
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
    if (values.json === true) printJson(answer);
    else printLine(textOf(action ?? "", answer));
    return 0;
  },
};

function inputOf(
  word: string | undefined,
  which: string | undefined,
  extra: string | undefined,
  { name, orgs }: { readonly name: string | undefined; readonly orgs: readonly string[] | undefined },
): InputOf<"pml:keys"> {
  const action = ACTIONS.find((one) => one === word);
  if (action === undefined) {
    const [like] = word === undefined ? [] : nearest(word, ACTIONS, 1);
    const offer = like === undefined ? "" : `; did you mean "${like}"?`;
    throw usage("key", `Expected ${ACTIONS.join(", ")}, found ${JSON.stringify(word ?? "nothing")}${offer}`);
  }
  if (name !== undefined && action !== "trust")
    throw usage("key", `--name cannot be combined with ${action}`);
  if (orgs !== undefined && action !== "trust") throw usage("key", `--org cannot be combined with ${action}`);
  const unexpected = action === "list" ? which : extra;
  if (unexpected !== undefined) throw usage("key", `Unexpected argument "${unexpected}"`);
  if (action === "list") return { action };
  if (which === undefined && action !== "show") throw usage("key", "Which key? Expected KEY");
  return { action, key: which ?? "own", name, orgs };
}

type Key = Extract<AnswerOf<"pml:keys">, { readonly fingerprint: string }>;

function textOf(action: string, answer: AnswerOf<"pml:keys">): string {
  if ("keys" in answer) return listText(answer.keys);
  const { fingerprint, capabilities: count, name = "" } = answer;
  switch (action) {
    case "trust":
      return `Trusted for ${orgsText(answer.orgs)}: ${fingerprint}, called ${visible(name)}; ${count === 1 ? "1 capability here is" : `${count} capabilities here are`} signed with it`;
    case "untrust":
      return `No longer trusted: ${fingerprint}; ${count === 1 ? "1 capability" : `${count} capabilities`} that it signed cannot run`;
    default:
      return table(
        Object.entries(answer).map(([field, value]) => [field.replaceAll("_", " "), visible(String(value))]),
        Number.POSITIVE_INFINITY,
      );
  }
}

function orgsText(orgs: Key["orgs"] = "all"): string {
  if (orgs === "all") return "every org";
  return `the org${orgs.length === 1 ? "" : "s"} ${visible(orgs.join(", "))}`;
}

function listText(keys: readonly Key[]): string {
  const cells = keys.map(({ fingerprint, state, capabilities, orgs = "", name = "" }) =>
    [fingerprint, state, capabilities, orgs, name].map((cell) => visible(String(cell))),
  );
  const heads = ["FINGERPRINT", "STATE", "SIGNED", "ORGS", "NAME"];
  return table([heads, ...cells], Number.POSITIVE_INFINITY).replace(/ +$/gm, "");
}
