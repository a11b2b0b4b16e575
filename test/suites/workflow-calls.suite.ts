import { beforeEach, describe, expect, it } from "vitest";
import type { DoubtDecision, RecordedCall, WorkflowStore } from "../../src/execution/wait/workflow-store.js";
import {
  answered,
  asks,
  call,
  LATER,
  ODD,
  type OpenedWorkflowStore,
  OURS,
  OVER,
  runningRun,
  SOON,
  THEIRS,
  tool,
  WHOLE_RUN,
} from "./workflow-samples.js";

/** Tests the record of a run's calls. `open` gives two connections to one store. */
export function describeWorkflowCalls(name: string, open: () => Promise<OpenedWorkflowStore>): void {
  describe(`calls of workflows: ${name}`, () => {
    let store: WorkflowStore;
    let other: WorkflowStore;
    let opened: OpenedWorkflowStore;
    let id: string;
    beforeEach(async () => {
      opened = await open();
      ({ store, other } = opened);
      id = await begun(OURS);
    });

    async function begun(owner: typeof OURS): Promise<string> {
      const run = runningRun({}, owner);
      await store.create(run);
      return run.workflowId;
    }

    const record = (...entries: Parameters<WorkflowStore["record"]>[2]) =>
      store.record(id, OURS.owner, entries);
    const shown = async () =>
      (await other.calls(id)).map(({ seq, state, answerSeq }) => `${seq} ${state} ${answerSeq ?? "-"}`);
    const busy = { code: "RUN_BUSY" };
    const misfit = { code: "STORE_FAILED" };

    it("[EX-8] keeps a call before it is sent, and its answer", async () => {
      const made = call(1, { args: { [ODD]: ODD }, taskId: ODD, tool: tool(`fs:${ODD}`), clock: [[3, 2]] });
      await record(made);
      expect(await other.calls(id)).toEqual([made.call]);
      const answer = { kind: "error", code: "TOOL_FAILED", message: ODD, tool: ODD, content: ODD } as const;
      await record({ kind: "answered", seq: 1, answerSeq: 1, answer, durationMs: 0.125 });
      const whole: RecordedCall = {
        ...made.call,
        state: "answered",
        answerSeq: 1,
        answer,
        durationMs: 0.125,
      };
      expect(await other.calls(id)).toEqual([whole]);
    });

    it("[EX-8] tells calls in the order in which they were made, and answers in theirs", async () => {
      await record(call(2, { state: "held" }), call(1), call(3));
      await record(answered(3, 1), answered(1, 2));
      expect(await shown()).toEqual(["1 answered 2", "2 held -", "3 answered 1"]);
    });

    it("[EX-8] takes several entries about one call at once", async () => {
      await record(call(1, { state: "held" }), { kind: "sent", seq: 1 }, answered(1), call(2), call(3));
      await record({ kind: "sent", seq: 2 }, answered(2), call(4));
      expect(await shown()).toEqual(["1 answered 1", "2 answered 2", "3 sent -", "4 sent -"]);
      const unsent = "select seq from workflow_calls where workflow_id = $1 and sent_at is null";
      expect(await opened.rows(unsent, [id])).toEqual([]);
    });

    it("[EX-7] sends a call that was held, and answers one that never was sent", async () => {
      await record(call(1, { state: "held" }), call(2, { state: "held" }));
      await record({ kind: "sent", seq: 1 });
      expect(await shown()).toEqual(["1 sent -", "2 held -"]);
      await record(answered(2, 1));
      expect(await shown()).toEqual(["1 sent -", "2 answered 1"]);
    });

    it("[EX-8] keeps calls and answers of eight megabytes, also several at once", async () => {
      const text = "x".repeat(8 * 1024 * 1024);
      await record(call(1, { args: { text } }));
      await record(answered(1, 1, text), call(2, { args: { text } }), call(3));
      const calls = await other.calls(id);
      expect(calls.map(({ args, answer }) => [args.text === text, answer])).toEqual([
        [true, { kind: "value", text }],
        [true, undefined],
        [false, undefined],
      ]);
    });

    it("[EX-8] writes all or nothing", async () => {
      await record(call(1), call(2), answered(2, 1));
      const text = "x".repeat(3_000_000);
      const big = [call(3, { args: { text } }), call(4, { args: { text } })];
      for (const entries of [
        [call(3), call(1)],
        [call(3), call(4, { taskId: "n1" })],
        [call(3), answered(1, 1)],
        [call(3), answered(2, 2)],
        [call(3), answered(9, 2)],
        [call(3), { kind: "sent", seq: 2 } as const],
        [call(3), { kind: "sent", seq: 9 } as const],
        [call(3), call(3)],
        [answered(1, 2), answered(1, 3)],
        [...big, call(1)],
        [...big, answered(9, 2)],
      ]) {
        await expect(record(...entries)).rejects.toMatchObject(misfit);
        expect(await shown()).toEqual(["1 sent -", "2 answered 1"]);
      }
    });

    it("[EX-8] writes nothing for a gateway that has lost the run", async () => {
      id = await begun(OVER);
      await record(call(1));
      expect(await other.claim(id, THEIRS, false)).toMatchObject({ workflowId: id });
      for (const entries of [[], [call(2)], [answered(1)], [{ kind: "sent", seq: 1 } as const]])
        await expect(record(...entries)).rejects.toMatchObject(busy);
      const text = "x".repeat(3_000_000);
      await expect(record(call(2, { args: { text } }), call(3, { args: { text } }))).rejects.toMatchObject(
        busy,
      );
      expect(await shown()).toEqual(["1 sent -"]);
      await other.record(id, THEIRS.owner, [answered(1)]);
      expect(await shown()).toEqual(["1 answered 1"]);
    });

    it("[EX-8] writes nothing for a run that waits, was given back, has ended or is not there", async () => {
      const [waits, back, over] = [await begun(OURS), await begun(OURS), await begun(OURS)];
      await store.wait(waits, OURS.owner, { approval: asks(waits), expiresAt: SOON });
      await store.release(back, OURS.owner, SOON);
      await store.end(
        over,
        OURS.owner,
        { status: "success", mode: "direct", workflowId: over, executionTimeMs: 1, tasks: [] },
        SOON,
      );
      for (const run of [waits, back, over, "never"]) {
        await expect(store.record(run, OURS.owner, [call(1)])).rejects.toMatchObject(busy);
        expect(await other.calls(run)).toEqual([]);
      }
    });

    it("[EX-8] lets a gateway that takes the run over know all that was sent before", async () => {
      const { hold } = opened;
      if (hold === undefined) return;
      id = await begun(OVER);
      let recorded: Promise<unknown> = Promise.resolve();
      await hold(
        "update workflow_runs set owner = $2, lease_until = now() + interval '1 minute' where workflow_id = $1",
        [id, THEIRS.owner],
        async () => {
          recorded = other.record(id, OURS.owner, [call(1)]).catch((error: unknown) => error);
          await opened.someoneWaits();
        },
      );
      expect(await recorded).toMatchObject(busy);
      expect(await shown()).toEqual([]);
    });

    it("[EX-8] keeps what a person says of calls in doubt, until they are sent again", async () => {
      await record(call(1), call(2), call(3), answered(3, 1), call(4, { state: "held" }));
      const approval = asks(id);
      await store.wait(id, OURS.owner, { approval, expiresAt: SOON });
      const done: DoubtDecision = { kind: "done", result: { text: ODD } };
      const repeat: DoubtDecision = { kind: "repeat" };
      await other.decide({
        workflowId: id,
        approved: WHOLE_RUN,
        doubts: new Map<number, DoubtDecision>([
          [1, done],
          [2, repeat],
          [3, repeat],
          [4, repeat],
          [9, repeat],
        ]),
        asked: approval,
        by: "bob@acme",
        expiresAt: LATER,
      });
      const doubts = async () => (await store.calls(id)).map(({ doubt }) => doubt);
      expect(await doubts()).toEqual([done, repeat, undefined, undefined]);
      await store.claim(id, OURS, false);
      await record({ kind: "sent", seq: 2 }, answered(1, 2));
      expect(await doubts()).toEqual([done, undefined, undefined, undefined]);
    });

    it("[EX-8] keeps nothing that is said about a run which asks something else by now", async () => {
      await record(call(1));
      await store.wait(id, OURS.owner, { approval: asks(id, "Now?"), expiresAt: SOON });
      const asked = asks(id, "Before?");
      const doubts = new Map<number, DoubtDecision>([[1, { kind: "repeat" }]]);
      const decision = { workflowId: id, approved: WHOLE_RUN, doubts, asked, by: "b@a", expiresAt: LATER };
      expect(await other.decide(decision)).toBeUndefined();
      expect((await store.calls(id))[0]).not.toHaveProperty("doubt");
    });
  });
}
