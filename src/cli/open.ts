import { openInBrowser } from "../app/open-browser.js";
import { PmlError } from "../base/pml-error.js";
import { pmlOpen } from "../gateway/own/open.js";
import { atGateway } from "./at-gateway.js";
import { Decider, isAtTerminal } from "./decider.js";
import { action, single } from "./operation-command.js";
import { printJson, printLine, printNote } from "./output.js";

export const open = single(
  "open",
  action({
    operation: pmlOpen,
    about: `Opens the dashboard in your browser: what PML remembers, what runs, and what waits for your decision. It prints a
link that works once, within a minute. The first browser that opens the link can decide in your name.

The running gateway serves the dashboard. If the gateway does not serve HTTP yet, it starts to serve it, for this
machine only. If no gateway is running, one is started.

It needs a terminal, and your PIN if one is set (pml pin). If the configuration has "approvals": { "scripted": true } and
no PIN is set, it needs no terminal.`,
    own: { "no-browser": ["", "print the link, and start no browser"] },
    exits: "0 done, 1 failed, 2 wrong usage.",
    examples: ["pml open", "pml open --no-browser"],
    async session(input, { json, "no-browser": isPrintedOnly }, settings) {
      const isShown = process.stdout.isTTY === true;
      if (json === true && !isShown && isAtTerminal()) throw notIntoFile();
      const answer = await atGateway(settings, (client) => new Decider(client).decide("pml:open", input));
      if (json === true) {
        printJson(answer);
        return 0;
      }
      const isOpened = isPrintedOnly !== true && (await openInBrowser(answer.url, process.env));
      // The link is for the screen. Without a terminal, the gateway only creates one if scripts may decide.
      const print = isShown || !isAtTerminal() ? printLine : printNote;
      print(`${isOpened ? "The dashboard opens in your browser. If not, open" : "Open"} this link within a minute:
  ${answer.url}`);
      return 0;
    },
  }),
);

function notIntoFile(): PmlError {
  return new PmlError(
    "NOT_ALLOWED",
    "The link can only be printed to a terminal, not to a file or another program",
    {
      hint: "Leave out --json, or do not redirect the output.",
    },
  );
}
