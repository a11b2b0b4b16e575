/**
 * Shows the client's own user where to sign in to a server, if the client can show an address. The call continues when
 * the browser has come back. Every other client is told that a person has to run `pml login`.
 *
 * A sign-in decides which account a server is used with. So the address is shown only if answers in the session count
 * as a person's; an agent behind a token is told the command.
 *
 * @module
 */
import { randomBytes } from "node:crypto";
import { LIMITS } from "../base/limits.js";
import type { Caller, ServerAnswer } from "../mcp/real-servers.js";
import type { Scope } from "../registry/scope.js";
import type { ServerName } from "../registry/tool-id.js";
import { readMark, signedMark } from "./signed-mark.js";

/** The parts of the sign-ins that asking needs. */
export interface SignInAsker {
  isNeeded(server: ServerName, scope: Scope): boolean;
  /** Whether all users of the gateway share the sign-in to `server`. */
  isShared(server: string): boolean;
  /** Starts a sign-in whose redirect comes back to this machine. */
  begin(
    server: ServerName,
    way: "browser",
    scope: Scope,
  ): Promise<{ readonly id: string; readonly url: string }>;
  finished(id: string, ms: number, signal: AbortSignal): Promise<unknown>;
}

const STATE = "sign-in ";
const QUESTION = "sign_in";
/** Signs the state, so that a client that was not asked cannot forge an answer. */
const SECRET = randomBytes(32);

/** Calls the tool; if a sign-in is needed, shows its user the address first. */
export async function withSignIn(
  asker: SignInAsker,
  server: ServerName,
  scope: Scope,
  caller: Caller,
  call: (caller: Caller) => Promise<ServerAnswer>,
): Promise<ServerAnswer> {
  const id = askedFor(caller.input?.state);
  if (id !== undefined) {
    const { input, ...rest } = caller;
    const { action } = (input?.responses[QUESTION] ?? {}) as { readonly action?: unknown };
    // Opening the address does not prove that the sign-in succeeded; the call will show it.
    if (action === "accept")
      await asker.finished(id, LIMITS.signInCallMs, caller.signal).catch(() => undefined);
    return await call(rest);
  }
  if (!asker.isNeeded(server, scope) || !canShow(caller)) return await call(caller);
  const begun = await asker.begin(server, "browser", scope).catch(() => undefined);
  if (begun === undefined) return await call(caller);
  return {
    kind: "input-required",
    result: {
      resultType: "input_required",
      requestState: stateOf(begun.id),
      inputRequests: {
        [QUESTION]: {
          method: "elicitation/create",
          params: {
            mode: "url",
            message: `PML asks: sign in to the server "${server}". Open the address in your browser; the call goes on afterwards.`,
            url: begun.url,
            elicitationId: begun.id.slice(0, 16),
          },
        },
      },
    },
  };
}

/** The browser is redirected to this machine, so the browser of a remote client cannot complete the sign-in. */
function canShow({ capabilities, mayDecide, isRemote }: Caller): boolean {
  return capabilities.elicitation?.url !== undefined && mayDecide?.() === true && isRemote !== true;
}

function stateOf(id: string): string {
  return signedMark(`${STATE}${id}`, SECRET);
}

/** The sign-in that this state asked for, if PML made the state. */
function askedFor(state: string | undefined): string | undefined {
  const about = state === undefined ? undefined : readMark(state, SECRET);
  return about?.startsWith(STATE) ? about.slice(STATE.length) : undefined;
}
