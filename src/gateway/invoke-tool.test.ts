import type { InputRequiredResult, Tool } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { EventStream } from "../base/event-stream.js";
import { silentLog } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import type { Caller, RealServers, ServerAnswer, ServerRequest } from "../mcp/real-servers.js";
import { parseServerName, toolId } from "../registry/tool-id.js";
import type { UsageRow } from "../registry/usage.js";
import { ArgumentCheck } from "./argument-check.js";
import { invokeTool, QuestionClock, type ToolCallEvents, type ToolInvoker } from "./invoke-tool.js";
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
  const told: string[] = [];
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
  const events = new EventStream<ToolCallEvents>(silentLog);
  events.on("call.started", ({ id }) => told.push(`${id} after ${sent.length}`));
  events.on("call.ended", () => told.push(`ended after ${sent.length}`));
  const invoker = {
    servers: { request } as RealServers,
    usage,
    questionClock: new QuestionClock(),
    argumentCheck: new ArgumentCheck(),
    events,
    by: "client" as const,
  };
  const call = (args?: Record<string, unknown>, state?: string, pins?: ToolInvoker["pins"]) =>
    invokeTool(pins === undefined ? invoker : { ...invoker, pins }, {
      entry,
      args,
      meta: undefined,
      scope,
      caller: callerWith(state),
    });
  const counted = async () => {
    // Counting comes after the answer.
    await new Promise((counting) => setImmediate(counting));
    await usage.flush();
    return rows.map(({ success, errorCode }) => (success ? "ok" : errorCode)).join(" ");
  };
  return { call, sent, told, rows, counted };
}

/** Pins that find out that the tool has changed when they are asked so. */
function pinsThat(when: "refuse" | "admit"): NonNullable<ToolInvoker["pins"]> {
  const changed = () => {
    throw new PmlError("TOOL_QUARANTINED", "changed");
  };
  const none = () => undefined;
  return { refuse: when === "refuse" ? changed : none, admit: when === "admit" ? changed : none };
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
    expect(sent).toMatchObject([
      { method: "tools/call", params: { name: "read", arguments: { path: "a" } } },
    ]);
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

  it("[GW-5] sends nothing to a tool that is quarantined, whatever the arguments, and counts that", async () => {
    const { call, sent, counted } = invoking(done);
    const pins = pinsThat("refuse");
    await expect(call({ path: 5 }, undefined, pins)).rejects.toMatchObject({ code: "TOOL_QUARANTINED" });
    expect(sent).toEqual([]);
    expect(await counted()).toBe("TOOL_QUARANTINED");
  });

  it("[GW-5] has the tool compared when its server is there, before the call is sent", async () => {
    const { call, sent } = invoking(done);
    await call({ path: "a" }, undefined, pinsThat("admit"));
    expect(() => sent[0]?.beforeSend?.()).toThrow(expect.objectContaining({ code: "TOOL_QUARANTINED" }));
  });

  it("[EX-14] says before a call that it will be sent, and when it has ended, whatever came of it", async () => {
    const { call, sent, told } = invoking(done, new PmlError("SERVER_UNAVAILABLE", "gone"));
    await call({ path: "a" });
    expect(told).toEqual(["fs:read after 0", "ended after 1"]);
    await expect(call({ path: "a" })).rejects.toThrow("gone");
    expect(told.slice(2)).toEqual(["fs:read after 1", "ended after 2"]);
    await expect(call({ path: 5 })).rejects.toMatchObject({ code: "ARGUMENTS_INVALID" });
    expect([told.length, sent.length]).toEqual([4, 2]);
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
