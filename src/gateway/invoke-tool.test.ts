import type { InputRequiredResult, Tool } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { silentLog } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import type { Caller, RealServers, ServerAnswer, ServerRequest } from "../mcp/real-servers.js";
import { parseServerName, toolId } from "../registry/tool-id.js";
import type { UsageRow } from "../registry/usage.js";
import { ArgumentCheck } from "./argument-check.js";
import { invokeTool } from "./invoke-tool.js";
import { QuestionClock } from "./question-clock.js";
import type { CatalogueEntry } from "./tool-catalogue.js";
import { UsageRecorder } from "./usage-recorder.js";

const server = parseServerName("fs");
const tool: Tool = {
  name: "read",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
};
const entry: CatalogueEntry = {
  kind: "real",
  id: toolId(server, "read"),
  listed: tool,
  server,
  tool,
  hash: "1",
};
const scope = { org: "local", project: "default", user: "me" };

/** A server that gives these answers one after another; what was sent to it, and what was counted. */
function invoking(...answers: (ServerAnswer | Error)[]) {
  const rows: UsageRow[] = [];
  const sent: ServerRequest[] = [];
  const store = {
    add: async (more: readonly UsageRow[]) => void rows.push(...more),
    totals: async () => [],
    prune: async () => 0,
  };
  const usage = new UsageRecorder(store, silentLog);
  const request: RealServers["request"] = async (_server, what) => {
    sent.push(what);
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error("nothing left to answer");
    return answer;
  };
  const invoker = {
    servers: { request } as RealServers,
    usage,
    questionClock: new QuestionClock(),
    argumentCheck: new ArgumentCheck(),
  };
  const call = (args?: Record<string, unknown>, state?: string) =>
    invokeTool(invoker, { entry, args, meta: undefined, scope, caller: callerWith(state) });
  const counted = async () => {
    await usage.flush();
    return rows.map(({ success, errorCode }) => (success ? "ok" : errorCode)).join(" ");
  };
  return { call, sent, rows, counted };
}

function callerWith(state: string | undefined): Caller {
  const input = state === undefined ? {} : { input: { responses: {}, state } };
  return { connection: "c", capabilities: {}, signal: new AbortController().signal, onLog() {}, ...input };
}

const done: ServerAnswer = { kind: "result", result: { content: [] } };
const asks = (requestState: string): ServerAnswer => ({
  kind: "input-required",
  result: { resultType: "input_required", requestState } as InputRequiredResult,
});

describe("[EX-13] invokeTool", () => {
  it("sends the call to the server by the tool's own name, and counts it", async () => {
    const { call, sent, counted } = invoking(done);
    expect(await call({ path: "a" })).toBe(done);
    expect(sent).toEqual([{ method: "tools/call", params: { name: "read", arguments: { path: "a" } } }]);
    expect(await counted()).toBe("ok");
  });

  it("counts what the tool itself calls an error as one", async () => {
    const { call, counted } = invoking({ kind: "result", result: { isError: true } });
    await call();
    expect(await counted()).toBe("isError");
  });

  it("counts a failure by its code, and passes it on", async () => {
    const { call, counted } = invoking(new PmlError("SERVER_UNAVAILABLE", "gone"));
    await expect(call()).rejects.toThrow("gone");
    expect(await counted()).toBe("SERVER_UNAVAILABLE");
  });

  it("sends nothing where the arguments do not fit", async () => {
    const { call, sent, counted } = invoking(done);
    await expect(call({ path: 5 })).rejects.toMatchObject({ code: "ARGUMENTS_INVALID" });
    expect(sent).toEqual([]);
    expect(await counted()).toBe("ARGUMENTS_INVALID");
  });

  it("counts a call that asked its user twice once, from its beginning to its end", async () => {
    const { call, rows, counted } = invoking(asks("s1"), asks("s2"), done);
    await call({}, undefined);
    await new Promise((resolve) => setTimeout(resolve, 15));
    await call({}, "s1");
    await new Promise((resolve) => setTimeout(resolve, 15));
    await call({}, "s2");
    expect(await counted()).toBe("ok");
    expect(rows[0]?.durationMs).toBeGreaterThanOrEqual(25);
  });
});
