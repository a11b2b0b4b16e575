import { noteDecision } from "../app/audit-files.js";
import { checkForm, Pin } from "../app/pin.js";
import { keyDirectory } from "../app/places.js";
import { PmlError } from "../base/pml-error.js";
import type { Command } from "./command.js";
import { askPin, decideHere } from "./decider.js";
import { parseOptions, unknownWord, usage } from "./options.js";
import { printJson, printLine } from "./output.js";

const ACTIONS = ["set", "remove", "status"];

export const pin: Command = {
  actions: ACTIONS,
  help: `Usage: pml pin set
       pml pin remove
       pml pin status [--json]

The PIN protects every decision, and is asked for in a terminal: pml approve, pml cap verify, pml key trust, pml tools
accept, pml import. While a PIN is set, approvals.scripted is ignored, and clients show the pml approve command instead
of asking for approval. It applies to every gateway of this user.

set asks for a new PIN of 4 to 64 characters, twice; set and remove ask for the old one first. Both need a terminal.
After five wrong PINs in a row you have to wait 30 seconds, and twice as long after each further one, up to an hour.
A hash of the PIN is stored in the key directory (PML_KEY_DIR changes the directory).

  --json               for scripts

Examples:
  pml pin set
  pml pin status
`,
  async run(argv) {
    const { values, positionals } = parseOptions("pin", argv, {
      config: { type: "string" },
      "data-dir": { type: "string" },
      json: { type: "boolean" },
    });
    const [action, extra] = positionals;
    if (action === undefined || !ACTIONS.includes(action)) throw unknownWord("pin", ACTIONS, action);
    if (extra !== undefined)
      throw usage("pin", "Unexpected argument: a PIN is typed in the terminal, never on the command line");
    const keyDir = keyDirectory(process.env);
    const kept = new Pin(keyDir);
    if (action === "set") await set(kept, keyDir);
    if (action === "remove") await remove(kept, keyDir);
    const isSet = kept.isSet();
    if (values.json === true) printJson({ set: isSet, file: kept.file });
    else printLine(`${isSet ? "A PIN is set" : "No PIN is set"}: ${kept.file}`);
    return 0;
  },
};

async function set(kept: Pin, keyDir: string): Promise<void> {
  await decideHere({ keyDir });
  const first = await askPin("New PIN: ");
  checkForm(first);
  if ((await askPin("New PIN again: ")) !== first)
    throw new PmlError("ARGUMENTS_INVALID", "Cannot set the PIN: the two are not the same", {
      hint: "Run the command again; nothing has changed.",
    });
  await kept.set(first);
  noteDecision({ keyDir }, { operation: "pin set", subject: "" });
}

async function remove(kept: Pin, keyDir: string): Promise<void> {
  await decideHere({ keyDir });
  kept.remove();
  noteDecision({ keyDir }, { operation: "pin remove", subject: "" });
}
