import type { AnswerOf } from "../app/call-operation.js";
import { pmlKeys } from "../gateway/own/keys.js";
import { action, group } from "./operation-command.js";
import { ANY_WIDTH, table, visible } from "./output.js";

const of = "key";
const without = ["name", "orgs"];

export const key = group(
  "key",
  `Every version of a capability is signed by the installation that saved it. Imported capabilities run only while the key
that signed them is trusted here. trust needs a terminal, and your PIN if one is set (pml pin). KEY is a public key in
base64; or, for a key that list shows, its name, its fingerprint or the first 12 characters of the fingerprint.`,
  {
    list: action({
      operation: pmlKeys,
      title: "List this installation's own key, the trusted keys and the keys of imported capabilities",
      implied: { action: "list" },
      without: ["key", ...without],
      examples: ["pml key list"],
      text: (answer) => textOf("list", answer),
    }),
    show: action({
      operation: pmlKeys,
      title: "Show one key (default: this installation's own)",
      takes: "key?",
      implied: { action: "show" },
      without,
      examples: ["pml key show"],
      complete: (input) => ({ key: "own", ...input }),
      text: (answer) => textOf("show", answer),
    }),
    trust: action({
      operation: pmlKeys,
      title: "Trust a key: run what it has signed",
      takes: "key",
      of,
      implied: { action: "trust" },
      flags: {
        name: ["name", "what to call it"],
        org: [
          "orgs",
          "trust it only for capabilities of this org (default: every org); can be repeated. Trusting a key again replaces its orgs",
          "ORG",
        ],
      },
      examples: ["pml key trust SHA256:5Zx1mB0sT2uK --org acme --name ada"],
      text: (answer) => textOf("trust", answer),
    }),
    untrust: action({
      operation: pmlKeys,
      title: "No longer run what this key has signed",
      takes: "key",
      of,
      implied: { action: "untrust" },
      without,
      examples: ["pml key untrust ada"],
      text: (answer) => textOf("untrust", answer),
    }),
  },
);

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
        ANY_WIDTH,
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
  return table([heads, ...cells], ANY_WIDTH);
}
