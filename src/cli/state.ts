import { readState } from "../app/state.js";
import { paintFor } from "./colour.js";
import { ownAction, single } from "./command.js";
import { printJson, printText } from "./output.js";
import { pasteable } from "./pasteable.js";
import { waitingFor } from "./spinner.js";
import { stateText } from "./state-report.js";

/** The action of `pml` without a command. */
export const state = single(
  "",
  ownAction({
    about: "Shows the state of PML and the next sensible command.",
    examples: ["pml"],
    async session({ json }, settings) {
      const found = await waitingFor("asking the gateway", readState(settings, process.env));
      if (json === true) printJson(found);
      else printText(pasteable(stateText(found, paintFor(process.stdout))));
      return 0;
    },
  }),
);
