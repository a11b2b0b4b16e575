import { describe, expect, it } from "vitest";
import type { StaticStructure } from "../../analysis/static-structure.js";
import { PmlError } from "../../base/pml-error.js";
import { formatCapabilityRef } from "../../registry/capability-ref.js";
import type { Fqdn } from "../../registry/fqdn.js";
import { parseServerName, toolId } from "../../registry/tool-id.js";
import type { Sandbox, SandboxBridge, SandboxCall } from "../ports/sandbox.js";
import type { KnownTool, ToolBox, ToolResult } from "../ports/tool-box.js";
import { runProgram } from "./run-bridge.js";
import { type RunKeeper, unkept } from "./run-keeper.js";
import type { RunEvent } from "./run-progress.js";

const SERVER = parseServerName("t");
const INC = "local.default.num.inc.abcd" as Fqdn;
const INC_1 = formatCapabilityRef({ fqdn: INC, version: 1 });
const END = { clock: [], warnings: [] };

function known(name: string): KnownTool {
  return {
    id: toolId(SERVER, name),
    server: SERVER,
    name,
    inputSchema: {},
    hash: "",
    transport: "stdio",
    trusted: true,
  };
}

const STRUCTURE: StaticStructure = {
  nodes: [
    { id: "n1", type: "task", tool: toolId(SERVER, "echo") },
    { id: "d1", type: "decision", kind: "if", condition: "x" },
    { id: "l1", type: "loop", kind: "for" },
    { id: "n2", type: "capability", name: "num:inc", fqdn: INC, within: "l1" },
  ],
  edges: [],
};

const ANSWERS: Readonly<Record<string, ToolResult>> = {
  echo: { content: [], structuredContent: { a: 1 }, isError: false },
  long: { content: [], structuredContent: { text: "x".repeat(200_000) }, isError: false },
  fail: { content: [{ type: "text", text: "broken" }], isError: true },
};

/** Runs what `act` does with the bridge instead of code. */
async function run(act: (bridge: SandboxBridge) => Promise<unknown>, kept: Partial<RunKeeper> = {}) {
  const events: RunEvent[] = [];
  const answers: unknown[] = [];
  const sandbox = {
    async run(_, bridge) {
      answers.push(await act(bridge));
      return { ...END, kind: "returned", text: "1" };
    },
  } as Pick<Sandbox, "run"> as Sandbox;
  const tools = {
    async call({ name }) {
      const answer = ANSWERS[name];
      if (answer === undefined) throw new PmlError("ARGUMENTS_INVALID", "wrong", { hint: "Right it." });
      return answer;
    },
  } as Pick<ToolBox, "call"> as ToolBox;
  const report = await runProgram(sandbox, tools, {
    ...unkept(),
    ...kept,
    workflowId: "w",
    program: {
      main: { code: "", parameters: [], lifted: [] },
      capabilities: [
        { ref: INC, displayName: "num:inc", version: 2, code: "", parameters: [], lifted: [], schema: {} },
        { ref: INC_1, displayName: "num:inc", version: 1, code: "", parameters: [], lifted: [], schema: {} },
      ],
    },
    structure: STRUCTURE,
    args: {},
    limits: { timeMs: 1, memoryMb: 1, toolCalls: 1 },
    context: {
      scope: { org: "o", project: "p", user: "u" },
      connection: "c",
      signal: new AbortController().signal,
    },
    toolFor({ path }) {
      if (path[1] === "none") throw new PmlError("TOOL_NOT_FOUND", "Unknown tool: t:none");
      return known(path[1] ?? "");
    },
    targetOf: (unit, node) =>
      unit === INC ? { n1: "t:fail", n2: INC }[node] : { n1: "t:echo", n2: INC }[node],
    structureOf: (unit) => (unit === INC ? STRUCTURE : undefined),
    onEvent: (event) => events.push(event),
    secrets: ["hush-hush"],
  });
  return { report, events, answer: answers[0] };
}

function call(tool: string, more: Partial<SandboxCall> = {}): SandboxCall {
  return { id: 1, object: "mcp", path: ["t", tool], args: {}, seen: 0, ...more };
}

const NEVER = new AbortController().signal;

describe("runProgram", () => {
  it("[DO-5] has secrets among what no kept text may have", async () => {
    const { report } = await run((bridge) => bridge.call(call("fail"), NEVER));
    expect(report.given?.().in("it was hush-hush")).toBe("it was …");
  });

  it("[FP-1] gives the value of a tool as JSON", async () => {
    const { report, answer } = await run((bridge) => bridge.call(call("echo", { node: "n1" }), NEVER));
    expect(answer).toEqual({ kind: "value", text: '{"a":1}' });
    expect(report.tasks).toMatchObject([
      { taskId: "n1", tool: "t:echo", success: true, resultPreview: '{"a":1}' },
    ]);
    expect(report.executedPath).toEqual(["n1"]);
    expect(report.toolsCalled).toEqual(["t:echo"]);
  });

  it("[LP-6] measures what tools answered, of one answer no more than a client would take, and of errors nothing", async () => {
    const measured = async (...tools: readonly string[]) =>
      (await run((bridge) => Promise.all(tools.map((tool, id) => bridge.call(call(tool, { id }), NEVER)))))
        .report;
    expect(await measured("echo", "fail", "echo")).toMatchObject({ resultChars: 14, isReplayed: false });
    expect(await measured("long")).toMatchObject({ resultChars: 125_000 });
  });

  it("[LP-6] knows what the program took, once it has started", async () => {
    const took = async (starts: boolean) =>
      (await run(async (bridge) => starts && bridge.started?.())).report.programMs;
    expect([await took(false), await took(true)]).toEqual([undefined, expect.any(Number)]);
  });

  it("[LP-6] tells whether calls were answered from the journal", async () => {
    const journal = {
      begin: async () =>
        ({ kind: "answer", answer: { kind: "value", text: "12" }, durationMs: 1, order: 1 }) as const,
      answered: async () => 1,
    };
    const { report } = await run((bridge) => bridge.call(call("echo"), NEVER), { journal });
    expect(report).toMatchObject({ isReplayed: true, resultChars: 2 });
  });

  it("[FP-1] gives the tool's own error with its content", async () => {
    const { report, answer } = await run((bridge) => bridge.call(call("fail"), NEVER));
    expect(answer).toEqual({
      kind: "error",
      code: "TOOL_FAILED",
      message: "broken",
      tool: "t:fail",
      content: '[{"type":"text","text":"broken"}]',
    });
    expect(report.tasks).toMatchObject([{ success: false, resultPreview: "broken" }]);
  });

  it("gives a refusal of ours with its code and hint, and never rejects", async () => {
    expect((await run((bridge) => bridge.call(call("odd"), NEVER))).answer).toEqual({
      kind: "error",
      code: "ARGUMENTS_INVALID",
      message: "wrong Right it.",
      tool: "t:odd",
    });
    const unknown = await run((bridge) => bridge.call(call("none"), NEVER));
    expect(unknown.answer).toMatchObject({ code: "TOOL_NOT_FOUND", tool: "t:none" });
    expect(unknown.report.tasks).toEqual([]);
  });

  it("[AN-11] believes a node only where that node calls this", async () => {
    const { report } = await run(async (bridge) => {
      await bridge.call(call("fail", { node: "n1" }), NEVER);
      await bridge.call(call("echo", { node: "n9" }), NEVER);
    });
    expect(report.tasks.map(({ taskId }) => taskId)).toEqual(["call_1", "call_2"]);
    expect(report.executedPath).toEqual([]);
  });

  it("[EX-3] tells what happens inside of a capability, with its parent", async () => {
    const { report, events } = await run(async (bridge) => {
      bridge.event({ kind: "capability-start", id: 7, ref: INC, node: "n2" });
      await bridge.call(call("fail", { node: "n1", parent: 7 }), NEVER);
      bridge.event({ kind: "capability-end", id: 7, success: false });
    });
    expect(
      events.map((event) => [event.kind, "id" in event ? event.id : "", "parent" in event && event.parent]),
    ).toEqual([
      ["capability_start", "n2", false],
      ["tool_start", "n2.n1", "n2"],
      ["tool_end", "n2.n1", "n2"],
      ["capability_end", "n2", false],
    ]);
    expect(events.every(({ workflowId, at }) => workflowId === "w" && at > 0)).toBe(true);
    expect(report.capabilityRuns).toMatchObject([{ ref: INC, success: false }]);
    expect(report.executedPath).toEqual(["n2"]);
  });

  it("[ID-11] names a version that is pinned", async () => {
    const { report, events } = await run(async (bridge) => {
      bridge.event({ kind: "capability-start", id: 1, ref: INC_1 });
      bridge.event({ kind: "capability-end", id: 1, success: true });
    });
    expect(events.map((event) => ("name" in event ? event.name : event.kind))).toEqual([
      "num:inc@1",
      "num:inc@1",
    ]);
    expect(report.tasks).toMatchObject([{ tool: "num:inc@1" }]);
    expect(report.capabilityRuns).toMatchObject([{ ref: INC_1, success: true }]);
  });

  it("[AN-11, FP-22] reports the path, with what was decided", async () => {
    const { report, events } = await run(async (bridge) => {
      bridge.event({ kind: "passed", marks: [{ id: "d1", outcome: "true", count: 1 }] });
      await bridge.call(call("echo", { node: "n1" }), NEVER);
      bridge.event({ kind: "passed", marks: [{ id: "l1", outcome: "", count: 1 }] });
      for (const id of [1, 2]) {
        bridge.event({ kind: "passed", marks: [{ id: "l1", outcome: "again", count: 1 }] });
        bridge.event({ kind: "capability-start", id, ref: INC, node: "n2" });
        bridge.event({ kind: "capability-end", id, success: true });
      }
    });
    expect(report.executedPath).toEqual(["d1", "n1", "l1", "n2"]);
    expect(report.decisions).toEqual([{ nodeId: "d1", outcome: "true" }]);
    expect(report.loops).toEqual([{ nodeId: "l1", iterations: 2 }]);
    expect(report.tasks.map(({ taskId }) => taskId)).toEqual(["n1", "n2", "n2#2"]);
    expect(events.map(({ kind }) => kind)).not.toContain("passed");
  });

  it("[EX-11] reports each call of a capability by itself: its path, what it decided, what it called", async () => {
    const { report } = await run(async (bridge) => {
      bridge.event({ kind: "capability-start", id: 1, ref: INC, node: "n2", argsText: '{"n":1}' });
      bridge.event({ kind: "passed", parent: 1, marks: [{ id: "d1", outcome: "true", count: 1 }] });
      await bridge.call(call("fail", { node: "n1", parent: 1 }), NEVER);
      bridge.event({ kind: "capability-start", id: 2, ref: INC, node: "n2", parent: 1 });
      bridge.event({ kind: "passed", parent: 2, marks: [{ id: "l1", outcome: "again", count: 3 }] });
      bridge.event({ kind: "capability-end", id: 2, success: false });
      bridge.event({ kind: "capability-end", id: 1, success: true });
      // What it left behind is still its own.
      await bridge.call(call("fail", { node: "n1", parent: 1 }), NEVER);
      bridge.event({ kind: "passed", parent: 9, marks: [{ id: "d1", outcome: "true", count: 1 }] });
    });
    expect(report.executedPath).toEqual(["n2"]);
    expect(report.decisions).toEqual([]);
    expect(
      report.capabilityRuns.map(({ durationMs, tasks, ...rest }) => ({
        ...rest,
        hasTime: durationMs >= 0,
        tasks: tasks.map(({ taskId }) => taskId),
      })),
    ).toEqual([
      {
        ref: INC,
        taskId: "n2",
        success: true,
        hasTime: true,
        argsText: '{"n":1}',
        executedPath: ["d1", "n1", "n2"],
        decisions: [{ nodeId: "d1", outcome: "true" }],
        loops: [],
        tasks: ["n2.n1", "n2.n2", "n2.n1#2"],
      },
      {
        ref: INC,
        taskId: "n2.n2",
        parentTaskId: "n2",
        success: false,
        hasTime: true,
        executedPath: ["l1"],
        decisions: [],
        loops: [{ nodeId: "l1", iterations: 3 }],
        tasks: [],
      },
    ]);
  });

  it("[SW-4] tells of calls that are not answered when the run ends: of tools and of capabilities", async () => {
    const cancelled = await run((bridge) => bridge.call(call("echo"), AbortSignal.abort()));
    expect(cancelled.report).toMatchObject({
      unawaited: "1 tool call was",
      outcome: { warnings: ["1 tool call was not awaited and has been cancelled"] },
    });
    const left = await run(async (bridge) => {
      bridge.event({ kind: "capability-start", id: 1, ref: INC });
      bridge.event({ kind: "capability-end", id: 1, success: false, isUnfinished: true });
    });
    expect(left.report.unawaited).toBe("1 capability call was");
    const answered = await run((bridge) => bridge.call(call("echo"), NEVER));
    expect(answered.report.unawaited).toBeUndefined();
  });

  it("[EX-3] lets progress only grow", async () => {
    const { events } = await run(async (bridge) => {
      for (const done of [1, 3, 2, 3, 4]) bridge.event({ kind: "progress", done, total: 5 });
    });
    expect(events.map((event) => event.kind === "progress" && event.done)).toEqual([1, 3, 4]);
  });

  it("[FP-4] keeps logs, and the last hint", async () => {
    const { report, events } = await run(async (bridge) => {
      bridge.event({ kind: "log", level: "info", text: "hello" });
      bridge.event({ kind: "log", level: "error", text: "oh" });
      bridge.event({ kind: "hint", description: "first" });
      bridge.event({ kind: "hint", name: "a:b", description: "second" });
    });
    expect(report.logs).toEqual(["hello", "[error] oh"]);
    expect(report.hint).toEqual({ name: "a:b", description: "second" });
    expect(events.map(({ kind }) => kind)).toEqual(["log", "log", "capability_hint", "capability_hint"]);
  });
});
