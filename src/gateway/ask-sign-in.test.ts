import { describe, expect, it } from "vitest";
import type { Caller, ServerAnswer } from "../mcp/real-servers.js";
import type { ServerName } from "../registry/tool-id.js";
import { withSignIn } from "./ask-sign-in.js";

const SERVER = "notes" as ServerName;
const SCOPE = { org: "acme", project: "web", user: "ada" };
const DONE: ServerAnswer = { kind: "result", result: { content: [] } };
const CAN: Partial<Caller> = { capabilities: { elicitation: { url: {} } }, mayDecide: () => true };

/** What was done, in order, and the answer to the last call. */
async function asked(
  more: Partial<Caller>,
  { needed = true, answer }: { needed?: boolean; answer?: string } = {},
) {
  const done: string[] = [];
  const asker = {
    isNeeded: () => needed,
    isShared: () => false,
    begin: async () => ({ id: "one", url: "https://login.test/authorize" }),
    finished: async (id: string) => void done.push(`finished ${id}`),
  };
  const caller = {
    connection: "c",
    signal: new AbortController().signal,
    capabilities: {},
    ...more,
  } as Caller;
  const call = async ({ input }: Caller) => {
    done.push(input === undefined ? "called" : `called with ${input.state}`);
    return DONE;
  };
  const first = await withSignIn(asker, SERVER, SCOPE, caller, call);
  if (first.kind !== "input-required") return done.join(", ");
  for (const { params } of Object.values(first.result.inputRequests ?? {}))
    done.push(`asked ${(params as { url?: string }).url}`);
  if (answer === undefined) return done.join(", ");
  const input = { state: first.result.requestState ?? "", responses: { sign_in: { action: answer } } };
  await withSignIn(asker, SERVER, SCOPE, { ...caller, input }, call);
  return done.join(", ");
}

describe("[DO-4] a call that needs a sign-in", () => {
  it.each<[string, Partial<Caller>, Parameters<typeof asked>[1], string]>([
    ["shows the address", CAN, {}, "asked https://login.test/authorize"],
    [
      "is made when the user is back",
      CAN,
      { answer: "accept" },
      "asked https://login.test/authorize, finished one, called",
    ],
    [
      "is made when the user does not go",
      CAN,
      { answer: "decline" },
      "asked https://login.test/authorize, called",
    ],
    ["is made where nothing is needed", CAN, { needed: false }, "called"],
    [
      "is made where the client shows no addresses",
      { ...CAN, capabilities: { elicitation: { form: {} } } },
      {},
      "called",
    ],
    ["is made where the answer is no person's", { ...CAN, mayDecide: () => false }, {}, "called"],
    ["is made where the client is on another machine", { ...CAN, isRemote: true }, {}, "called"],
    [
      "is no answer of ours with another state",
      { capabilities: {}, input: { state: "sign-in one 0000", responses: {} } },
      {},
      "called with sign-in one 0000",
    ],
  ])("%s", async (_, caller, more, expected) => {
    expect(await asked(caller, more)).toBe(expected);
  });
});
