import { describe, expect, it } from "vitest";
import { silentLog } from "../../base/log.js";
import { PmlError } from "../../base/pml-error.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { ExecuteAnswer } from "../ports/execute-answer.js";
import type { KnownTool } from "../ports/tool-box.js";
import { fingerprintOf, type PreparedRun } from "../prepare/prepared-run.js";
import type { RunCaller } from "../run/runner.js";
import { type DirectResult, DurableRuns, type DurableRunsOptions } from "../wait/durable-runs.js";
import type { RecordedCall, Workflow, WorkflowStore } from "../wait/workflow-store.js";

const SCOPE = { org: "acme", project: "web", user: "ada" };
const tool = { id: "fs:write" as ToolId, hash: "1" } as KnownTool;
const prepared = {
  codeHash: "c",
  args: { path: "a" },
  request: { intent: "x" },
  again: { intent: "x" },
  plan: {
    needsApproval: [{ tool, reason: "it writes" }],
    tools: [tool],
    units: [],
    main: { name: "this code", analysis: { structure: { nodes: [{ id: "n1" }], edges: [] }, calls: [] } },
  },
} as unknown as PreparedRun;

const START = { workflowId: "new", mode: "direct", startedAt: 0 } as const;
const CALLER = { scope: SCOPE, signal: new AbortController().signal } as RunCaller;

const ANSWER = { status: "success", mode: "direct", result: 1, tasks: [] } as unknown as ExecuteAnswer;
const failed = () => Promise.reject(new PmlError("STORE_FAILED", "the store is away"));

/** A gateway where one run is approved, and what happens in which order. */
function gateway(
  approved: Partial<Workflow>,
  recorded: readonly Partial<RecordedCall>[] = [],
  more: Partial<WorkflowStore & Pick<DurableRunsOptions, "run">> = {},
) {
  const happened: string[] = [];
  const workflow = { workflowId: "w", state: "approved", scope: SCOPE, request: {}, ...approved } as Workflow;
  const workflows = {
    get: async () => workflow,
    findOpen: async () => workflow,
    calls: async () => recorded,
    claim: async () => workflow,
    release: async () => {},
    wait: async (_, __, { approval }) => void happened.push(`asks: ${approval.reason}`),
    record: async () => void happened.push("recorded"),
    end: async () => void happened.push("ended"),
    ...more,
  } as Partial<WorkflowStore> as WorkflowStore;
  const run = () => {
    happened.push("ran");
    throw new PmlError("RUN_FAILED", "as far as this goes");
  };
  const runs = new DurableRuns({
    workflows,
    run: more.run ?? run,
    log: silentLog,
    prepare: async () => prepared,
    approvalOf: () => ({ mode: "hil" }),
    standing: { fresh: async () => {}, has: () => false },
    approveCommand: () => "pml approve w",
    expiresMs: 60_000,
    keptMs: 1,
  } as Partial<Record<keyof DurableRunsOptions, unknown>> as unknown as DurableRunsOptions);
  /** What happened by the end of it, with the code where it failed. */
  const after = async (work: Promise<unknown>): Promise<readonly string[]> => {
    await work.catch(({ code }: { code: string }) => happened.push(code));
    await runs.stop();
    return happened;
  };
  const call = async (): Promise<DirectResult<number>> => {
    happened.push("called");
    return { value: 1, answer: { kind: "value", text: "1" } };
  };
  return {
    runs,
    call,
    direct: () => after(runs.direct(prepared, CALLER, START, call)),
    resume: () => after(runs.resume("w", CALLER, START)),
  };
}

describe("[EX-8] a tool that a client calls itself, once a person has approved that", () => {
  it("is written down, called, and over", async () => {
    expect(await gateway({}).direct()).toEqual(["recorded", "called", "ended"]);
  });

  it("is not called where it may have been before", async () => {
    expect(await gateway({}, [{ seq: 1, state: "sent" }]).direct()).toEqual(["CALL_IN_DOUBT"]);
  });

  it("is answered as the tool has answered it, also where that cannot be written down any more", async () => {
    const { runs, call } = gateway({}, [], { end: failed });
    expect(await runs.direct(prepared, CALLER, START, call)).toEqual({ kind: "called", value: 1 });
    const refused = () => Promise.reject(new Error("no such file"));
    await expect(runs.direct(prepared, CALLER, START, refused)).rejects.toThrow("no such file");
    runs.stop();
  });
});

describe("[TB-1] a run that a person has approved", () => {
  const approved = { kind: "run", tools: [tool.id] } as const;

  it("goes on as it was approved", async () => {
    const fingerprint = await fingerprintOf(prepared);
    expect(await gateway({ fingerprint, approved }).resume()).toEqual(["ran", "RUN_FAILED"]);
  });

  it("[EX-8] is a success with a warning where only its end cannot be stored", async () => {
    const fingerprint = await fingerprintOf(prepared);
    const run: DurableRunsOptions["run"] = (_, __, ___, keeper) => keeper.end(ANSWER);
    const { runs } = gateway({ fingerprint, approved }, [], { end: failed, run });
    expect(await runs.resume("w", CALLER, START)).toEqual({
      ...ANSWER,
      warnings: ["The end of the run could not be stored: the store is away"],
    });
    const taken = () => Promise.reject(new PmlError("RUN_BUSY", "another gateway has it"));
    const { runs: lost } = gateway({ fingerprint, approved }, [], { end: taken, run });
    await expect(lost.resume("w", CALLER, START)).rejects.toMatchObject({ code: "RUN_BUSY" });
    runs.stop();
    lost.stop();
  });

  it("asks again where what would run has changed since, or needs a tool that was not approved", async () => {
    const fingerprint = await fingerprintOf(prepared);
    const other = await fingerprintOf({ ...prepared, codeHash: "d" });
    expect(await gateway({ fingerprint: other, approved }).resume()).toEqual(["asks: changed"]);
    const nothing = { kind: "run", tools: [] } as const;
    expect(await gateway({ fingerprint, approved: nothing }).resume()).toEqual(["asks: changed"]);
  });

  it("does not go on where it has made calls, and what would run has changed since", async () => {
    const calls = [{ seq: 1, tool: tool.id, state: "answered" as const }];
    const fingerprint = await fingerprintOf({ ...prepared, args: { path: "b" } });
    expect(await gateway({ fingerprint, approved }, calls).resume()).toEqual(["RUN_DIVERGED"]);
  });
});
