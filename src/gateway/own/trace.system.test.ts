/** `pml_trace` on a real store; with real runs it is tested in `test/e2e/traces.test.ts`. */
import { beforeEach, describe, expect, it } from "vitest";
import { name, newScope, run, sign, succeeded, use } from "../../../test/suites/capability-samples.js";
import { PGLITE } from "../../../test/support/databases.js";
import type { Caller } from "../../mcp/real-servers.js";
import { PostgresCapabilityStore } from "../../postgres/capability-store.js";
import { migrate } from "../../postgres/migrate.js";
import { MIGRATIONS } from "../../postgres/migrations/index.js";
import { PostgresTraceStore } from "../../postgres/trace-store.js";
import type { Scope } from "../../registry/scope.js";
import { pmlTrace } from "./trace.js";

type Answer = Readonly<Record<string, unknown>>;

async function open() {
  const database = await PGLITE.open();
  await migrate(database, MIGRATIONS);
  return { store: new PostgresCapabilityStore(database), traces: new PostgresTraceStore(database) };
}

let opened: ReturnType<typeof open> | undefined;
let parts: Awaited<ReturnType<typeof open>>;
let scope: Scope;

beforeEach(async () => {
  opened ??= open();
  parts = await opened;
  scope = newScope();
});

async function trace(input: Answer, as = scope, byPerson = false): Promise<Answer> {
  const { store, traces } = parts;
  const tool = pmlTrace.with({
    registry: { store, find: async () => Promise.reject(new Error("no names here")) },
    traces,
    executor: { written: async () => {}, structureOf: async () => undefined },
    live: { get: () => undefined, all: () => [] },
  });
  const caller: Caller = {
    connection: "c",
    capabilities: {},
    signal: new AbortController().signal,
    onLog() {},
    ...(byPerson ? { byPerson } : {}),
  };
  return (await tool.answer(input, as, caller)).result.structuredContent as Answer;
}

const learn = async (text: string) => {
  const { trace: _, ...unrun } = succeeded(scope, `return "${text}"`, { name: name(text) });
  return (await parts.store.learn(unrun, sign)).capability.fqdn;
};
const task = (taskId: string, tool: string) => ({ taskId, tool, success: true, durationMs: 1 });

describe("[FP-5] pml_trace", () => {
  it("shows a run with its calls as a tree, and what capabilities did in it", async () => {
    const [outer, inner] = [await learn("x:outer"), await learn("x:inner")];
    const main = use(scope, outer, 1, {
      workflowId: `w-${scope.project}`,
      executedPath: ["d1", "c1"],
      decisions: [{ nodeId: "d1", outcome: "true" }],
      loops: [{ nodeId: "l1", iterations: 2 }],
      tasks: [
        task("c1", "x:inner"),
        task("c1.n1", "fs:read"),
        task("c1#2", "x:inner"),
        task("n.2", "fs:write"),
      ],
      success: false,
      errorCode: "TOOL_FAILED",
      errorMessage: "no such file",
    });
    const nested = use(scope, inner, 1, {
      workflowId: main.trace.workflowId,
      parentTraceId: main.trace.traceId,
      taskId: "c1",
      executedPath: ["n1"],
    });
    await parts.store.addUses([main, nested]);
    expect(await trace({ workflow_id: main.trace.workflowId })).toEqual({
      workflowId: main.trace.workflowId,
      traceId: main.trace.traceId,
      capability: "x:outer",
      version: 1,
      intent: "read a file",
      by: "ada@acme",
      at: "2026-11-15T12:00:00.000Z",
      success: false,
      durationMs: 10,
      executedPath: ["d1", "c1"],
      decisions: [{ nodeId: "d1", outcome: "true" }],
      loops: [{ nodeId: "l1", iterations: 2 }],
      error: { code: "TOOL_FAILED", message: "no such file" },
      tasks: [
        { ...task("c1", "x:inner"), version: 1, executedPath: ["n1"], tasks: [task("c1.n1", "fs:read")] },
        task("c1#2", "x:inner"),
        task("n.2", "fs:write"),
      ],
    });
  });

  it("shows agents their own runs, and a person all of the project", async () => {
    const fqdn = await learn("x:a");
    const bob = { ...scope, user: "bob" };
    const of = (who: Scope, second: number) =>
      use(who, fqdn, 1, { workflowId: `${who.user}-${scope.project}`, executedAt: new Date(second * 1_000) });
    await parts.store.addUses([of(scope, 1), of(bob, 2)]);
    await parts.store.addTraces([run(newScope())]);
    const who = async (as: Scope, byPerson: boolean) =>
      ((await trace({}, as, byPerson)).runs as readonly Answer[]).map(({ by }) => by);
    expect(await who(scope, false)).toEqual(["ada@acme"]);
    expect(await who(bob, false)).toEqual(["bob@acme"]);
    expect(await who(scope, true)).toEqual(["bob@acme", "ada@acme"]);
    const ofBob = { workflow_id: `bob-${scope.project}` };
    await expect(trace(ofBob)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    expect(await trace(ofBob, scope, true)).toMatchObject({ by: "bob@acme" });
    expect((await trace({ limit: 1 }, scope, true)).runs).toHaveLength(1);
  });

  it("names no capability to who may not see it", async () => {
    const { capability } = await parts.store.learn(succeeded(scope, "return 'private'"), sign);
    const bob = { ...scope, user: "bob" };
    const nested = { parentTraceId: crypto.randomUUID(), workflowId: `w-${scope.project}` };
    await parts.store.addUses([use(bob, capability.fqdn, 1, nested)]);
    const seen = (byPerson: boolean) => trace({ workflow_id: nested.workflowId }, bob, byPerson);
    // Nor to a person at a command, who sees the runs of others.
    for (const byPerson of [false, true])
      expect((await seen(byPerson)).capability).toBe("(a capability of another user)");
  });

  it("knows nothing of a run that left no trace", async () => {
    await expect(trace({ workflow_id: "no-such" })).rejects.toMatchObject({
      code: "RUN_NOT_FOUND",
      message: "No trace of the run no-such",
    });
    await expect(trace({ workflow: "w" })).rejects.toMatchObject({ code: "ARGUMENTS_INVALID" });
    expect(await trace({})).toEqual({ runs: [] });
  });
});
