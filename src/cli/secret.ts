import { SecretStore } from "../app/secret-store.js";
import { type SecretUse, secretUses } from "../app/secret-uses.js";
import { PmlError } from "../base/pml-error.js";
import type { Command } from "./command.js";
import { isAtTerminal } from "./decider.js";
import { hiddenAnswerTo } from "./hidden-answer.js";
import { parseOptions, unknownWord, usage } from "./options.js";
import { ANY_WIDTH, printJson, printLine, printNote, printText, table, visible } from "./output.js";
import { pasteable } from "./pasteable.js";
import { STDIN } from "./stdin.js";
import { localTime } from "./when.js";

const ACTIONS = ["set", "list", "remove", "rotate"];

export const secret: Command = {
  help: `Usage: pml secret set NAME
       pml secret list [--json]
       pml secret remove NAME
       pml secret rotate

Keeps secrets of servers encrypted, outside of the configuration. The configuration refers to one as \${secret:NAME}, in
env, headers, url or auth of a server. No command shows a value.

set reads the value from stdin, or asks for it in a terminal without showing it; never give it on the command line. It
replaces a secret of the same name. A running gateway uses the new value within seconds: it restarts the servers that
need it. rotate makes a new master key and encrypts all secrets with it. A running gateway encrypts the tokens of its
sign-ins with the new key within seconds, other gateways when they start.

The master key is in the keyring of the operating system, or else PML_SECRET_KEY (32 bytes in base64 or hexadecimal), or
else a file in the key directory that only you can read. pml doctor shows which.

  --config FILE        also look for uses of a secret in this file
  --json               for scripts

Exit codes: 0 done, 1 failed, 2 wrong usage.

Examples:
  pml secret set GITHUB_TOKEN
  pass show github | pml secret set GITHUB_TOKEN
  pml secret list
`,
  async run(argv) {
    const { values, positionals } = parseOptions("secret", argv, {
      config: { type: "string" },
      "data-dir": { type: "string" },
      json: { type: "boolean" },
    });
    const [action, name, extra] = positionals;
    if (action === undefined || !ACTIONS.includes(action)) throw unknownWord("secret", ACTIONS, action);
    const takesName = action === "set" || action === "remove";
    // Never quotes the text: it may be a secret.
    if (extra !== undefined || (name !== undefined && !takesName))
      throw usage(
        "secret",
        "Unexpected argument: a value is typed or comes from stdin, never on the command line",
      );
    if (takesName && name === undefined) throw usage("secret", "The name is missing: expected NAME");
    const store = new SecretStore(process.env);
    const uses = (one: string) => secretUses(values.config, process.env).get(one) ?? [];
    const tell = (answer: object, text: string) =>
      values.json === true ? printJson(answer) : printLine(text);
    if (action === "list") list(store, values);
    else if (action === "rotate") {
      const count = store.rotate();
      const said = count === 1 ? "1 secret is" : `${count} secrets are`;
      tell({ rotated: count }, `${said} encrypted with a new master key: ${store.keySource.name}`);
    } else if (action === "set" && name !== undefined) {
      const replaced = store.set(name, await typedValue(name));
      tell({ name, replaced }, `${replaced ? "Replaced" : "Kept"}: ${name}. Use it as \${secret:${name}}`);
    } else if (name !== undefined) {
      const used = uses(name);
      store.remove(name);
      tell({ name, removed: true, usedBy: used }, `Removed: ${name}`);
      if (used.length > 0) printNote(`Still used by ${used.map(useText).join(", ")}`);
    }
    return 0;
  },
};

function list(
  store: SecretStore,
  values: { readonly config?: string | undefined; readonly json?: boolean | undefined },
) {
  const uses = secretUses(values.config, process.env);
  const secrets = store.list().map((one) => ({ ...one, usedBy: uses.get(one.name) ?? [] }));
  if (values.json === true) printJson({ secrets, masterKey: store.keySource });
  else if (secrets.length === 0)
    printText(pasteable("No secrets are kept. `pml secret set NAME` keeps one."));
  else {
    const rows = secrets.map(({ name, setAt, usedBy }) => [
      name,
      localTime(setAt),
      usedBy.map(useText).join(", ") || "-",
    ]);
    printText(table([["NAME", "SET", "USED BY"], ...rows.map((row) => row.map(visible))], ANY_WIDTH));
  }
}

function useText({ server, file }: SecretUse): string {
  return server === undefined ? file : `${server} (${file})`;
}

/** Typed by a person, or read from stdin without the final line break. */
async function typedValue(name: string): Promise<string> {
  if (!STDIN.isTerminal) return STDIN.read().replace(/\r?\n$/, "");
  if (!isAtTerminal()) throw usage("secret", "There is no terminal to ask you: give the value on stdin");
  const typed = await hiddenAnswerTo(`Value of ${visible(name)}: `, process.stdin, process.stderr);
  if (typed === undefined) throw new PmlError("NOT_ALLOWED", "No value was given, and nothing was changed");
  return typed;
}
