import { describe, expect, it } from "vitest";
import { newScope, run, sha256 } from "../../../test/suites/capability-samples.js";
import { LIMITS } from "../../base/limits.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import type { SandboxCapability } from "../ports/sandbox.js";
import { type CapabilityRun, nestedUses, traceIdOf } from "./nested-runs.js";

const inner = "acme.p.x.inner.aaaa" as CapabilityRef;
const pinned = "acme.p.x.inner.aaaa@1" as CapabilityRef;

function unit(ref: CapabilityRef, version: number, properties: object = {}): SandboxCapability {
  return { ref, version, schema: { type: "object", properties } } as unknown as SandboxCapability;
}

function call(taskId: string, more: Partial<CapabilityRun> = {}): CapabilityRun {
  return {
    ref: inner,
    taskId,
    success: true,
    durationMs: 2,
    executedPath: ["n1"],
    decisions: [],
    loops: [],
    tasks: [],
    ...more,
  };
}

describe("[EX-11] capabilities that ran inside a run", () => {
  const main = run(newScope(), { workflowId: "w", intent: "why" });
  const units = [unit(inner, 3, { depth: { type: "number", default: 2 } }), unit(pinned, 1)];

  it("are uses of the version that ran, each below what called it", async () => {
    const task = { taskId: "c1.n1", tool: "fs:read", success: true, durationMs: 1, resultPreview: "secret" };
    const [first, second, third] = await nestedUses(
      [
        call("c1", {
          executedPath: ["n1", "c2"],
          decisions: [{ nodeId: "d1", outcome: "true" }],
          tasks: [task],
        }),
        call("c1.c2", { ref: pinned, parentTaskId: "c1", success: false }),
        call("c3"),
      ],
      units,
      main,
    );
    expect(first).toMatchObject({
      fqdn: inner,
      version: 3,
      trace: {
        parentTraceId: main.traceId,
        taskId: "c1",
        workflowId: "w",
        intent: "why",
        executedPath: ["n1", "c2"],
        decisions: [{ nodeId: "d1", outcome: "true" }],
        success: true,
        durationMs: 2,
        executedAt: main.executedAt,
        scope: main.scope,
      },
    });
    expect(first?.trace.tasks).toEqual([{ taskId: "c1.n1", tool: "fs:read", success: true, durationMs: 1 }]);
    expect(second).toMatchObject({
      fqdn: inner,
      version: 1,
      trace: { parentTraceId: first?.trace.traceId, taskId: "c1.c2", success: false },
    });
    expect(third?.trace.parentTraceId).toBe(main.traceId);
    expect(new Set([main, first?.trace, second?.trace, third?.trace].map((one) => one?.traceId)).size).toBe(
      4,
    );
  });

  it("[ID-10] have the hash of their arguments with defaults, as a call by name has", async () => {
    const uses = await nestedUses(
      [call("c1", { argsText: "{}" }), call("c2", { argsText: '{"depth":5}' }), call("c3")],
      units,
      main,
    );
    expect(uses.map(({ trace }) => trace.argsHash)).toEqual([
      sha256('{"depth":2}'),
      sha256('{"depth":5}'),
      undefined,
    ]);
  });

  it("[EX-8] have the same ids when the run is continued, and others in another run", async () => {
    const ids = async (workflowId: string) =>
      (await nestedUses([call("c1"), call("c1.c2")], units, { ...main, workflowId })).map(
        ({ trace }) => trace.traceId,
      );
    const workflowId = crypto.randomUUID();
    const made = await ids(workflowId);
    expect(await ids(workflowId)).toEqual(made);
    expect(new Set([...made, ...(await ids(crypto.randomUUID()))]).size).toBe(4);
    for (const id of made)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await traceIdOf(workflowId)).toBe(workflowId);
    expect(await traceIdOf("w1")).not.toBe(await traceIdOf("w1"));
  });

  it("keep no more traces than a bound, and count all", async () => {
    const calls = Array.from({ length: LIMITS.nestedTraces + 2 }, (_, index) => call(`c${index}`));
    const uses = await nestedUses(calls, units, main);
    expect(uses).toHaveLength(calls.length);
    expect(uses.filter(({ isUntraced }) => isUntraced)).toHaveLength(2);
  });

  it("that are not in the program are no uses", async () => {
    expect(await nestedUses([call("c1", { ref: "a.b.c.d.eeee" as CapabilityRef })], units, main)).toEqual([]);
  });
});
