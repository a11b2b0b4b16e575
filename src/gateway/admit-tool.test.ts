import { describe, expect, it } from "vitest";
import type { Executor } from "../execution/executor.js";
import type { KnownTool } from "../execution/ports/tool-box.js";
import type { Approval, ApprovalMode } from "../execution/prepare/approval-policy.js";
import type { DirectResult } from "../execution/wait/durable-runs.js";
import type { Caller, ServerAnswer } from "../mcp/real-servers.js";
import { parseServerName, toolId } from "../registry/tool-id.js";
import { toolAdmission } from "./admit-tool.js";
import type { ToolInvoker } from "./invoke-tool.js";

type Admit = NonNullable<ToolInvoker["admit"]>;

const SERVER = parseServerName("fs");
const ENTRY = { id: toolId(SERVER, "write"), server: SERVER, listed: {} } as Parameters<Admit>[0];
const SCOPE = { org: "local", project: "default", user: "ada" };
const DONE = { kind: "result", result: { content: [] } } as ServerAnswer;
const ASKS = {
  kind: "input-required",
  result: { resultType: "input_required", requestState: "s1" },
} as ServerAnswer;

/** Calls the tool with a state of the client's, and tells what happened. */
function door(mode: ApprovalMode, isOwnFile = false) {
  const happened: string[] = [];
  const executor = {
    desk: { questionSecret: "secret" },
    async callTool<T>(_: unknown, __: unknown, ___: unknown, call: () => Promise<DirectResult<T>>) {
      happened.push("asked");
      return { kind: "called", value: (await call()).value };
    },
  } as unknown as Executor;
  const admit = toolAdmission({
    executor,
    known: () => ({}) as KnownTool,
    approvalOf: () => ({ mode, reason: "so" }) as Approval,
    ownFiles: () => (isOwnFile ? "key.pem" : undefined),
  });
  return async (state: string | undefined, answer = DONE, path = "a") => {
    const input = state === undefined ? {} : { input: { state, responses: {} } };
    const caller = { signal: new AbortController().signal, ...input } as unknown as Caller;
    await admit(ENTRY, { args: { path }, scope: SCOPE, caller }, async () => {
      happened.push("called");
      return answer;
    }).catch(({ code }: { code: string }) => happened.push(code));
    return happened.splice(0).join(" ");
  };
}

describe("[EX-6] a tool that a client calls itself", () => {
  it("is called at once, asked about, or refused, as the rules say; about PML's own files always asked", async () => {
    expect(await door("auto")(undefined)).toBe("called");
    expect(await door("hil")(undefined)).toBe("asked called");
    expect(await door("deny")(undefined)).toBe("TOOL_DENIED");
    expect(await door("auto", true)(undefined)).toBe("asked called");
  });

  it("[TB-1] is asked about again unless its own question is answered, for that very call and once", async () => {
    const call = door("hil");
    expect(await call("made up")).toBe("asked called");
    expect(await call(undefined, ASKS)).toBe("asked called");
    expect(await call("s1", DONE, "another")).toBe("asked called");
    expect(await call("s1")).toBe("called");
    expect(await call("s1")).toBe("asked called");
  });
});
