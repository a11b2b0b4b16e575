/**
 * `pml login` and `pml logout`: sign-in to a server by a person.
 *
 * @module
 */
import { createInterface } from "node:readline";
import type { AnswerOf } from "../app/call-operation.js";
import { openInBrowser } from "../app/open-browser.js";
import type { Settings } from "../app/settings.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import { pmlLogin, pmlLogout } from "../gateway/own/sign-in.js";
import { atGateway } from "./at-gateway.js";
import { Decider } from "./decider.js";
import { action, single } from "./operation-command.js";
import { usage } from "./options.js";
import { printJson, printLine, printNote, visible } from "./output.js";

type Begun = AnswerOf<"pml:login">;
type Made = AnswerOf<"pml:login_finish">;
type Way = "browser" | "paste" | "device";

export const login = single(
  "login",
  action({
    operation: pmlLogin,
    about: `Signs in to an HTTP server that requires OAuth. PML prints an address and opens it in your browser; you sign
in there, and the browser then returns to an address of this machine. The tokens are kept encrypted and refreshed by the
gateway, for all its clients. An agent cannot do this: it needs a person at a terminal, and the PIN if one is set.

On a machine without a browser use --paste: open the address anywhere, and paste the address that the browser ends up
at, even if it shows an error there. Or use --device, if the authorization server offers it: you type a code at an
address, on any machine.`,
    takes: "server",
    without: ["way"],
    own: {
      paste: ["", "paste the address that the browser was sent to"],
      device: ["", "type a code at an address, on any machine"],
      "no-browser": ["", "print the address, and open no browser"],
      wait: ["SECONDS", "how long to wait for the browser; 600 by default"],
    },
    exits: "0 signed in, 1 failed, 2 wrong usage.",
    examples: ["pml login notion", "pml login notion --paste", "pml login notion --device"],
    async session({ server }, given, settings) {
      if (given.paste === true && given.device === true)
        throw usage("login", "--paste cannot be combined with --device");
      const way: Way = given.paste === true ? "paste" : given.device === true ? "device" : "browser";
      const made = await signIn(settings, server, way, {
        waitMs: waitMs(given.wait),
        opens: given["no-browser"] !== true,
        json: given.json === true,
      });
      if (given.json === true) printJson(made);
      else printLine(madeText(made));
      return 0;
    },
  }),
);

export const logout = single(
  "logout",
  action({
    operation: pmlLogout,
    takes: "server",
    examples: ["pml logout notion"],
    text: ({ server, signed_out: done, revoked }) =>
      done
        ? `Signed out of ${visible(server)}; its tokens are deleted${revoked ? " and revoked" : ". The authorization server was not told, or does not support it"}`
        : `Not signed in to ${visible(server)}`,
  }),
);

function waitMs(seconds: unknown): number {
  if (seconds === undefined) return LIMITS.signInOpenMs;
  const ms = Number(seconds) * 1_000;
  if (!Number.isInteger(ms) || ms < 1_000 || ms > LIMITS.signInOpenMs)
    throw usage("login", `--wait: expected 1 to ${LIMITS.signInOpenMs / 1_000} seconds`);
  return ms;
}

function signIn(
  settings: Settings,
  server: string,
  way: Way,
  { waitMs: ms, opens, json }: { readonly waitMs: number; readonly opens: boolean; readonly json: boolean },
): Promise<Made> {
  return atGateway(settings, async (client) => {
    const decider = new Decider(client);
    const begun = await decider.decide("pml:login", { server, way });
    // With `--json` not on stdout, which is for the answer; otherwise on stdout, where a calling program expects the
    // address.
    (json ? printNote : printLine)(begunText(begun, way));
    if (way === "paste") {
      const pasted = await pastedLine(ms);
      return await decider.decide("pml:login_finish", { login: begun.login, pasted });
    }
    if (way === "browser" && opens && !(await openInBrowser(begun.url, process.env)))
      printNote("No browser can be opened here. Open the address yourself, or use --paste.");
    return await decider.decide("pml:login_finish", { login: begun.login, wait_ms: ms });
  });
}

function begunText({ server, url, user_code: code, redirect_url: back }: Begun, way: Way): string {
  const [name, address] = [visible(server), visible(url)];
  if (way === "device")
    return `To sign in to ${name}, open this address and type the code ${visible(code ?? "")}:\n\n  ${address}\n`;
  if (way === "browser") return `To sign in to ${name}, open this address in your browser:\n\n  ${address}\n`;
  return `To sign in to ${name}, open this address in a browser on any machine:

  ${address}

Afterwards the browser is sent to ${visible(back)}… and may show an error there.
Copy the whole address from its address bar, paste it here, and press Enter:`;
}

/** Reads one line of stdin, which may stay open. */
async function pastedLine(ms: number): Promise<string> {
  const lines = createInterface({ input: process.stdin, terminal: false });
  let timer: NodeJS.Timeout | undefined;
  try {
    const line = await new Promise<string | undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), ms);
      lines.on("line", (text) => {
        if (text.trim() !== "") resolve(text.trim());
      });
      lines.once("close", () => resolve(undefined));
    });
    if (line === undefined) throw new PmlError("SIGN_IN_FAILED", "Cannot sign in: nothing was pasted");
    return line;
  } finally {
    clearTimeout(timer);
    lines.close();
    process.stdin.pause();
    process.stdin.unref?.();
  }
}

function madeText({ server, issuer, scope, refreshable }: Made): string {
  const rights = scope === undefined ? "" : `, scope ${visible(scope)}`;
  const note = refreshable ? "" : ". It cannot be refreshed: when it expires, you have to sign in again";
  return `Signed in to ${visible(server)} at ${visible(issuer)}${rights}${note}`;
}
