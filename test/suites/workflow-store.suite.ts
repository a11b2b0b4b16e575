import { beforeEach, describe, expect, it } from "vitest";
import type {
  StandingApproval,
  WorkflowDecision,
  WorkflowStore,
} from "../../src/execution/wait/workflow-store.js";
import {
  answerOf,
  asks,
  call,
  LATER,
  MINUTE,
  newId,
  ODD,
  type OpenedWorkflowStore,
  OURS,
  OVER,
  PAST,
  runningRun,
  SOON,
  THEIRS,
  tool,
  WHOLE_RUN,
  waitingRun,
} from "./workflow-samples.js";

let projects = 0;

/** Tests runs and the decisions about them. `open` gives two connections to one store. */
export function describeWorkflowStore(name: string, open: () => Promise<OpenedWorkflowStore>): void {
  describe(`WorkflowStore: ${name}`, () => {
    let store: WorkflowStore;
    let other: WorkflowStore;
    let project: string;
    beforeEach(async () => {
      ({ store, other } = await open());
      projects += 1;
      project = `p${projects}`;
    });

    const ada = () => ({ org: "acme", project, user: "ada" });

    async function waits(changes: Parameters<typeof waitingRun>[0] = {}): Promise<string> {
      const run = waitingRun({ scope: ada(), ...changes });
      await store.create(run);
      return run.workflowId;
    }

    async function runs(owner = OURS, changes: Parameters<typeof runningRun>[0] = {}): Promise<string> {
      const run = runningRun({ scope: ada(), ...changes }, owner);
      await store.create(run);
      return run.workflowId;
    }

    const yes = (workflowId: string, changes: Partial<WorkflowDecision> = {}): WorkflowDecision => ({
      workflowId,
      approved: WHOLE_RUN,
      asked: asks(workflowId),
      by: "bob@acme",
      expiresAt: LATER,
      ...changes,
    });

    async function approved(expiresAt = LATER): Promise<string> {
      const workflowId = await waits();
      await store.decide(yes(workflowId, { expiresAt }));
      return workflowId;
    }

    const stateOf = async (workflowId: string) => (await other.get(workflowId))?.state;
    const busy = { code: "RUN_BUSY" };

    describe("keeps runs", () => {
      it("[EX-8] has a run that waits for every gateway, with all that was said", async () => {
        const run = waitingRun({ scope: ada() });
        await store.create(run);
        const kept = await other.get(run.workflowId);
        expect(kept).toEqual({
          ...run,
          createdAt: kept?.createdAt,
          approved: undefined,
          decidedBy: undefined,
          answer: undefined,
        });
        expect(kept?.createdAt).toBeInstanceOf(Date);
      });

      it("[EX-8] has a run that was begun without asking", async () => {
        expect(await other.get(await runs())).toMatchObject({ state: "running", approval: undefined });
      });

      it("knows nothing of a run that was never there", async () => {
        expect(await store.get(newId())).toBeUndefined();
        expect(await store.get(ODD)).toBeUndefined();
        expect(await store.calls(newId())).toEqual([]);
      });

      it("does not keep two runs of one id", async () => {
        const run = waitingRun();
        await store.create(run);
        await expect(other.create(run)).rejects.toMatchObject({ code: "STORE_FAILED" });
      });

      it("takes ids with any character", async () => {
        const workflowId = `${newId()} ${ODD}`;
        await store.create(runningRun({ workflowId }));
        await store.record(workflowId, OURS.owner, [call(1)]);
        expect(await other.get(workflowId)).toMatchObject({ workflowId });
        expect(await other.calls(workflowId)).toHaveLength(1);
      });

      it("[EX-8] still answers a run that has expired", async () => {
        expect(await store.get(await waits({ expiresAt: PAST }))).toMatchObject({ expiresAt: PAST });
      });
    });

    describe("lists what waits", () => {
      it("[EX-6] shows the runs of the project that wait, oldest first and no more than asked for", async () => {
        const ids = [await waits(), await waits(), await waits()];
        await waits({ scope: { ...ada(), project: `${project}-other` } });
        await waits({ scope: { ...ada(), org: "umbrella" } });
        await approved();
        await runs();
        const shown = async (most: number) =>
          (await other.waiting("acme", project, most)).map(({ workflowId }) => workflowId);
        expect(await shown(10)).toEqual(ids);
        expect(await shown(2)).toEqual(ids.slice(0, 2));
      });

      it("[FH-5] names the runs of the project that are approved and not continued, newest first", async () => {
        await waits();
        const ids = [await approved(), await approved()];
        await store.decide(yes(await waits({ scope: { ...ada(), project: `${project}-other` } })));
        await runs();
        expect(await other.approvedIds("acme", project, 10)).toEqual(ids.toReversed());
        expect(await other.approvedIds("acme", project, 1)).toEqual(ids.slice(1));
      });

      it("[EX-8] shows nothing that has expired", async () => {
        await waits({ expiresAt: PAST });
        expect(await store.waiting("acme", project, 10)).toEqual([]);
        expect(await store.countWaiting(ada())).toBe(0);
      });

      it("[EX-6] counts what waits of one user", async () => {
        await waits();
        await store.decide(yes(await waits()));
        await waits({ scope: { ...ada(), user: "eve" } });
        await runs();
        expect(await other.countWaiting(ada())).toBe(1);
      });

      it("[EX-6] finds the newest open run of the same user with the same content", async () => {
        const fingerprint = "1".repeat(64);
        const found = async () => (await other.findOpen(ada(), fingerprint))?.workflowId;
        expect(await found()).toBeUndefined();
        const first = await waits({ fingerprint });
        const second = await waits({ fingerprint });
        await waits({ fingerprint, scope: { ...ada(), user: "eve" } });
        await waits({ fingerprint, expiresAt: PAST });
        await waits();
        await runs(OURS, { fingerprint });
        expect(await found()).toBe(second);
        await store.decide(yes(second));
        expect(await found()).toBe(second);
        await store.claim(second, OURS, false);
        expect(await found()).toBe(first);
        await store.decide(yes(first, { approved: undefined }));
        expect(await found()).toBeUndefined();
      });
    });

    describe("decides", () => {
      it("[EX-6] approves what waits, and answers it as it is then", async () => {
        const workflowId = await waits();
        const decided = await other.decide(yes(workflowId));
        expect(decided).toMatchObject({
          state: "approved",
          approved: WHOLE_RUN,
          decidedBy: "bob@acme",
          expiresAt: LATER,
        });
        expect(await store.get(workflowId)).toEqual(decided);
      });

      it("[EX-8] rejects for good", async () => {
        const workflowId = await waits();
        expect(await store.decide(yes(workflowId, { approved: undefined }))).toMatchObject({
          state: "rejected",
          approved: undefined,
          decidedBy: "bob@acme",
        });
        expect(await store.decide(yes(workflowId))).toBeUndefined();
        expect(await store.claim(workflowId, OURS, true)).toBeUndefined();
        expect(await stateOf(workflowId)).toBe("rejected");
      });

      it("[EX-6] is done once, though several decide at once", async () => {
        const workflowId = await waits();
        const no = yes(workflowId, { approved: undefined, by: "eve@acme" });
        const decided = await Promise.all([store.decide(yes(workflowId)), other.decide(no)]);
        const [winner, ...more] = decided.filter((run) => run !== undefined);
        expect(more).toEqual([]);
        expect(await store.get(workflowId)).toEqual(winner);
      });

      it("[EX-6] compares what was asked by its content, not by the order of its fields", async () => {
        const workflowId = await waits();
        const asked = Object.fromEntries(Object.entries(asks(workflowId)).reverse()) as never;
        expect(await store.decide(yes(workflowId, { asked }))).toMatchObject({ state: "approved" });
      });

      it("[EX-6] changes nothing of a run that has asked something else since", async () => {
        const workflowId = await approved();
        await store.claim(workflowId, OURS, false);
        await store.wait(workflowId, OURS.owner, { approval: asks(workflowId, "And now?"), expiresAt: SOON });
        expect(await other.decide(yes(workflowId))).toBeUndefined();
        expect(await other.get(workflowId)).toMatchObject({ state: "waiting", approved: undefined });
        const asked = asks(workflowId, "And now?");
        expect(await other.decide(yes(workflowId, { asked }))).toMatchObject({ state: "approved" });
      });

      it("[EX-8] decides nothing about what has expired, is running, has ended or is not there", async () => {
        const ended = await runs();
        await store.end(ended, OURS.owner, answerOf(ended), SOON);
        for (const workflowId of [await waits({ expiresAt: PAST }), await runs(), ended, newId()])
          expect(await store.decide(yes(workflowId))).toBeUndefined();
      });
    });

    describe("gives runs to gateways", () => {
      it("[EX-8] gives an approved run to whoever asks first", async () => {
        const workflowId = await approved();
        expect(await other.claim(workflowId, THEIRS, false)).toMatchObject({
          state: "running",
          approved: WHOLE_RUN,
        });
        expect(await store.claim(workflowId, OURS, false)).toBeUndefined();
      });

      it("[EX-8] gives it to one of several who ask at once", async () => {
        const workflowId = await approved();
        const takers = Array.from({ length: 8 }, (_, index) =>
          (index % 2 === 0 ? store : other).claim(workflowId, { owner: `g${index}`, ms: MINUTE }, false),
        );
        expect((await Promise.all(takers)).filter((run) => run !== undefined)).toHaveLength(1);
      });

      it("[EX-8] gives no run that waits, has ended, has expired or is not there", async () => {
        const ended = await runs();
        await store.end(ended, OURS.owner, answerOf(ended), SOON);
        for (const workflowId of [await waits(), ended, await approved(PAST), newId()]) {
          expect(await store.claim(workflowId, OURS, false)).toBeUndefined();
          expect(await store.claim(workflowId, OURS, true)).toBeUndefined();
        }
      });

      it("[EX-8] takes a run over once its lease has run out, until it is renewed", async () => {
        const workflowId = await runs(OVER);
        await store.renew([workflowId, newId()], OURS);
        expect(await other.claim(workflowId, THEIRS, false)).toBeUndefined();
        await store.renew([workflowId], OVER);
        expect(await other.claim(workflowId, THEIRS, false)).toMatchObject({ state: "running" });
        // The lease of another gateway is not renewed.
        await store.renew([workflowId], OVER);
        expect(await store.claim(workflowId, OURS, false)).toBeUndefined();
      });

      it("[EX-8] takes over a killed gateway's run at once where leases say nothing, and never its own", async () => {
        const workflowId = await runs();
        expect(await other.claim(workflowId, THEIRS, true)).toMatchObject({ state: "running" });
        expect(await other.claim(workflowId, THEIRS, true)).toBeUndefined();
      });

      it("[EX-8] gives a run back, to be continued until it expires", async () => {
        const workflowId = await approved();
        await store.claim(workflowId, OURS, false);
        await other.release(workflowId, THEIRS.owner, SOON);
        expect(await stateOf(workflowId)).toBe("running");
        await store.release(workflowId, OURS.owner, SOON);
        expect(await other.get(workflowId)).toMatchObject({ state: "approved", expiresAt: SOON });
        expect(await other.claim(workflowId, THEIRS, false)).toMatchObject({ approved: WHOLE_RUN });
      });
    });

    describe("waits and ends", () => {
      it("[EX-7] lets a run ask, which uses up what was approved before", async () => {
        const workflowId = await approved();
        await store.claim(workflowId, OURS, false);
        const approval = asks(workflowId, ODD);
        await store.wait(workflowId, OURS.owner, { approval, expiresAt: SOON });
        expect(await other.get(workflowId)).toMatchObject({
          state: "waiting",
          approval,
          approved: undefined,
          decidedBy: undefined,
          expiresAt: SOON,
          fingerprint: "f".repeat(64),
        });
      });

      it("[EX-8] keeps another fingerprint where it is given one", async () => {
        const workflowId = await runs();
        const fingerprint = "2".repeat(64);
        await store.wait(workflowId, OURS.owner, {
          approval: asks(workflowId),
          expiresAt: SOON,
          fingerprint,
        });
        expect(await other.get(workflowId)).toMatchObject({ fingerprint });
      });

      it("[EX-8] ends a run: its answer is kept, its calls are not", async () => {
        const workflowId = await runs();
        await store.record(workflowId, OURS.owner, [call(1)]);
        await store.end(workflowId, OURS.owner, answerOf(workflowId), LATER);
        expect(await other.get(workflowId)).toMatchObject({
          state: "ended",
          answer: answerOf(workflowId),
          expiresAt: LATER,
        });
        expect(await other.calls(workflowId)).toEqual([]);
      });

      it("[EX-8] neither waits nor ends for one who does not have the run", async () => {
        const [taken, ended, open] = [await runs(OVER), await runs(), await approved()];
        await other.claim(taken, THEIRS, false);
        await other.record(taken, THEIRS.owner, [call(1)]);
        await store.end(ended, OURS.owner, answerOf(ended), SOON);
        for (const id of [taken, ended, open, newId()]) {
          const before = await other.get(id);
          const approval = asks(id);
          await expect(store.wait(id, OURS.owner, { approval, expiresAt: SOON })).rejects.toMatchObject(busy);
          await expect(store.end(id, OURS.owner, answerOf(id), SOON)).rejects.toMatchObject(busy);
          expect(await other.get(id)).toEqual(before);
        }
        expect(await other.calls(taken)).toHaveLength(1);
      });
    });

    describe("forgets", () => {
      it("[EX-8] prunes what has expired, with its calls, and says how many", async () => {
        await store.prune(new Date());
        const gone = await runs(OURS);
        await store.record(gone, OURS.owner, [call(1)]);
        await store.release(gone, OURS.owner, PAST);
        const ids = [await waits({ expiresAt: PAST }), await waits(), await approved(), await runs()];
        expect(await other.prune(new Date())).toBe(2);
        expect(await Promise.all([gone, ...ids].map(stateOf))).toEqual([
          undefined,
          undefined,
          "waiting",
          "approved",
          "running",
        ]);
        expect(await other.calls(gone)).toEqual([]);
      });

      it("[EX-8] keeps what is running, and for a day what was when its gateway was killed", async () => {
        const running = await runs(OURS, { expiresAt: PAST });
        const killed = await runs(OVER, { expiresAt: PAST });
        await store.prune(new Date());
        expect([await stateOf(running), await stateOf(killed)]).toEqual(["running", "running"]);
        await store.prune(new Date(Date.now() + 24 * 60 * MINUTE + 1_000));
        expect([await stateOf(running), await stateOf(killed)]).toEqual(["running", undefined]);
      });
    });

    describe("approves for good", () => {
      const always = (changes: Partial<StandingApproval> = {}): StandingApproval => ({
        org: "acme",
        project,
        tool: tool(`fs:${ODD}`),
        hash: "b".repeat(64),
        approvedBy: "bob@acme",
        approvedAt: PAST,
        ...changes,
      });
      const standing = async () =>
        (await other.standingApprovals()).filter((approval) => approval.project === project);

      it("[EX-6] keeps approvals of tools as they were, oldest first", async () => {
        const [newer, older] = [always({ approvedAt: SOON }), always({ tool: tool("fs:rm") })];
        await store.approveAlways([newer, older]);
        await store.approveAlways([]);
        expect(await standing()).toEqual([older, newer]);
      });

      it("[EX-6] keeps who approved last, and another tool object beside it", async () => {
        const [first, changed] = [always(), always({ hash: "c".repeat(64), approvedAt: SOON })];
        await store.approveAlways([first]);
        await store.approveAlways([changed]);
        expect(await standing()).toEqual([first, changed]);
        const again = always({ approvedBy: "eve@acme", approvedAt: LATER });
        await store.approveAlways([again]);
        expect(await standing()).toEqual([changed, again]);
      });

      it("[EX-6] revokes all approvals of a tool in the project, and says whether there was one", async () => {
        const elsewhere = always({ org: "umbrella" });
        await store.approveAlways([always(), always({ hash: "c".repeat(64) }), elsewhere]);
        expect(await store.revoke("acme", project, tool(`fs:${ODD}`))).toBe(true);
        expect(await standing()).toEqual([elsewhere]);
        expect(await store.revoke("acme", project, tool(`fs:${ODD}`))).toBe(false);
      });
    });
  });
}
