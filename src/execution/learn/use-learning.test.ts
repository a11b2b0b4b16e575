import { describe, expect, it } from "vitest";
import { sampleCapability } from "../../../test/support/sample-capability.js";
import { PmlError } from "../../base/pml-error.js";
import type { CapabilityRef } from "../../registry/capability-ref.js";
import type { Fqdn } from "../../registry/fqdn.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { ExecuteRequest, TaskReport } from "../ports/execute-answer.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { CapabilityRun } from "../run/nested-runs.js";
import type { RunReport } from "../run/run-bridge.js";
import type { RunCaller } from "../run/runner.js";
import { runSequences, UseLearning } from "./use-learning.js";

const FQDN = "local.default.fs.copy.a7f3" as Fqdn;
const task = (taskId: string, tool: string, success = true): TaskReport => ({
  taskId,
  tool,
  success,
  durationMs: 1,
  resultPreview: "",
});

function reportOf(
  tasks: readonly TaskReport[],
  capabilityRuns: readonly Partial<CapabilityRun>[] = [],
): RunReport {
  const isTool = ({ tool }: TaskReport) => /^(?:t|cap):/.test(tool);
  return {
    tasks,
    capabilityRuns,
    toolsCalled: tasks.filter(isTool).map(({ tool }) => tool as ToolId),
  } as unknown as RunReport;
}

const drawn = (pairs: readonly (readonly [string, string])[]) => pairs.map(([from, to]) => `${from}>${to}`);

describe("[DI-5] what a run shows of what follows what", () => {
  it("is its calls in order, and those of each capability that it called", () => {
    const inner = [task("n2.n1", "t:c"), task("n2.n2", "t:d")];
    const tasks = [task("n1", "t:a"), task("n2", "fs:copy"), ...inner, task("n3", "t:b")];
    const { called, pairs } = runSequences(
      reportOf(tasks, [{ taskId: "n2", ref: `${FQDN}@1` as CapabilityRef, tasks: inner }]),
    );
    expect(called).toEqual(["t:a", FQDN, "t:b"]);
    expect(drawn(pairs)).toEqual([`t:a>${FQDN}`, `${FQDN}>t:b`, "t:c>t:d"]);
  });

  it("is each thing once, however often a loop goes round, and nothing that failed", () => {
    const tasks = Array.from({ length: 100 }, (_, at) => task(`n1#${at}`, "t:a"));
    const { called, pairs } = runSequences(
      reportOf([...tasks, task("n2", "t:b", false), task("n3", "t:c"), task("n4", "unknown")]),
    );
    expect(drawn(pairs)).toEqual(["t:a>t:a", "t:a>t:c"]);
    expect(called).toEqual(["t:a", "t:c"]);
  });
});

describe("[LP-3] operations of PML", () => {
  it("are not among what follows what", () => {
    const tasks = [task("n1", "t:a"), task("n2", "cap:list"), task("n3", "t:b")];
    const { called, pairs } = runSequences(reportOf(tasks));
    expect([called, drawn(pairs)]).toEqual([["t:a", "t:b"], ["t:a>t:b"]]);
  });
});

describe("[DI-5] what is learnt from use", () => {
  function learning() {
    let now = 0;
    const followed: string[] = [];
    const learns = new UseLearning(
      (pairs) => void followed.push(...drawn(pairs)),
      () => now,
    );
    const ran = (
      request: Partial<ExecuteRequest>,
      tasks: readonly TaskReport[],
      error?: PmlError,
      by: Pick<RunCaller, "connection" | "client"> = { connection: "c" },
    ) =>
      learns.ran(
        {
          request: { intent: "", ...request },
          of: { capability: sampleCapability("fs:copy", { fqdn: FQDN }), version: 1 },
        } as PreparedRun,
        { report: reportOf(tasks), error },
        by,
      );
    return { learns, followed, ran, later: (ms: number) => (now += ms) };
  }

  it("is what one request uses after another, of the same connection, soon after", () => {
    const { learns, followed, ran, later } = learning();
    learns.called("c", "t:a" as ToolId);
    learns.called("other", "t:x" as ToolId);
    ran({ code: "…" }, [task("n1", "t:b"), task("n2", "t:c")]);
    ran({ capability: "fs:copy" }, [task("n1", "t:d")]);
    expect(followed).toEqual(["t:b>t:c", "t:a>t:b", `t:c>${FQDN}`]);
    expect(learns.recent("c")).toEqual(["t:a", "t:b", "t:c", FQDN]);
    later(600_001);
    learns.called("c", "t:e" as ToolId);
    expect(followed).toHaveLength(3);
    expect(learns.recent("c")).toEqual(["t:e"]);
    expect(learns.recent("nobody")).toEqual([]);
  });

  it("is what one request of a client uses after another, though each is a connection of its own", () => {
    const { followed, ran } = learning();
    ran({ code: "…" }, [task("n1", "t:a")], undefined, { connection: "1", client: "k" });
    ran({ code: "…" }, [task("n1", "t:b")], undefined, { connection: "2", client: "k" });
    expect(followed).toEqual(["t:a>t:b"]);
  });

  it("is nothing of a run that failed", () => {
    const { learns, followed, ran } = learning();
    ran({ code: "…" }, [task("n1", "t:b"), task("n2", "t:c")], new PmlError("RUN_FAILED", "no"));
    ran({ code: "…" }, []);
    expect(followed).toEqual([]);
    expect(learns.recent("c")).toEqual([]);
  });

  it("is remembered for as long as there is room", () => {
    const { learns } = learning();
    for (let at = 0; at < 100; at += 1) learns.called("c", `t:${at}` as ToolId);
    expect(learns.recent("c")).toHaveLength(16);
    expect(learns.recent("c").at(-1)).toBe("t:99");
    for (let at = 0; at < 1_000; at += 1) learns.called(`c${at}`, "t:a" as ToolId);
    expect(learns.recent("c")).toEqual([]);
  });
});
