import { beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/base/limits.js";
import { paths } from "../../src/postgres/migrations/0010-paths.js";
import type { CapabilityStore, NewCapability, RunTrace } from "../../src/registry/capability-store.js";
import type { Fqdn } from "../../src/registry/fqdn.js";
import type { Scope } from "../../src/registry/scope.js";
import type { PruneOptions, TraceStore } from "../../src/registry/trace-store.js";
import { name, newScope, run, sign, succeeded, use } from "./capability-samples.js";

/** `other` uses the same tables, like a second gateway. */
export interface OpenedTraceStore {
  readonly capabilities: CapabilityStore;
  readonly traces: TraceStore;
  readonly other: { readonly capabilities: CapabilityStore; readonly traces: TraceStore };
  rows(sql: string, values?: readonly string[]): Promise<readonly object[]>;
}

const failed = { success: false, errorCode: "RUN_FAILED", errorMessage: "no" };
const at = (second: number) => new Date(Date.UTC(2026, 10, 15, 12, 0, second));
const EVERYTHING: PruneOptions = {
  before: new Date(0),
  perCapability: Number.MAX_SAFE_INTEGER,
  withoutCapability: Number.MAX_SAFE_INTEGER,
};

export function describeTraceStore(title: string, open: () => Promise<OpenedTraceStore>): void {
  describe(`TraceStore: ${title}`, () => {
    let capabilities: CapabilityStore;
    let traces: TraceStore;
    let other: OpenedTraceStore["other"];
    let rows: OpenedTraceStore["rows"];
    let scope: Scope;
    beforeEach(async () => {
      ({ capabilities, traces, other, rows } = await open());
      scope = newScope();
    });

    const learn = async (text: string, code: string, more: Partial<NewCapability> = {}) =>
      (await capabilities.learn(succeeded(scope, code, { name: name(text), ...more }), sign)).capability.fqdn;
    /** Saves a capability without any learning. */
    const saved = (text: string) => {
      const { trace: _, ...unrun } = succeeded(scope, `return "${text}"`, { name: name(text) });
      return capabilities.learn(unrun, sign).then(({ capability }) => capability.fqdn);
    };
    const learnt = (fqdn: Fqdn, version = 1) => traces.learning(fqdn, version, 20);
    const tracesOf = async (fqdn: Fqdn) =>
      (await rows("select 1 from execution_trace where capability_id = $1", [fqdn])).length;

    describe("[EX-11] what is learnt", () => {
      it("is paths with count and success rate, the dominant path and decisions, as in the example of the seeds", async () => {
        const exists: Partial<RunTrace> = {
          executedPath: ["n1", "d1", "n2"],
          decisions: [{ nodeId: "d1", outcome: "true" }],
        };
        const structure = {
          static_structure: {
            nodes: [
              { id: "n1", type: "task", tool: "fs:stat" },
              { id: "d1", type: "decision", kind: "if", condition: "file.exists" },
            ],
            edges: [],
          },
        };
        const fqdn = await learn("fs:open", "return 1", { structure, trace: run(scope, exists) });
        const creates: Partial<RunTrace> = {
          executedPath: ["n1", "d1", "n3", "n4"],
          decisions: [{ nodeId: "d1", outcome: "false" }],
        };
        await capabilities.addUses([use(scope, fqdn, 1, creates), use(scope, fqdn, 1, exists)]);
        expect(await learnt(fqdn)).toEqual({
          paths: [
            { path: ["n1", "d1", "n2"], runs: 2, successes: 2 },
            { path: ["n1", "d1", "n3", "n4"], runs: 1, successes: 1 },
          ],
          totalPaths: 2,
          otherPaths: undefined,
          dominantPath: ["n1", "d1", "n2"],
          decisions: [
            {
              nodeId: "d1",
              condition: "file.exists",
              outcomes: [
                { outcome: "true", times: 2 },
                { outcome: "false", times: 1 },
              ],
            },
          ],
          loops: [],
        });
      });

      it("counts failures by path, and decisions and loops as often as a run came to them", async () => {
        const fqdn = await saved("x:loop");
        const looped = (iterations: number, more: Partial<RunTrace> = {}) =>
          use(scope, fqdn, 1, {
            executedPath: ["l1", "d1"],
            decisions: [{ nodeId: "d1", outcome: "true", count: iterations }],
            loops: [{ nodeId: "l1", iterations }],
            ...more,
          });
        await capabilities.addUses([looped(3), looped(7, failed)]);
        await other.capabilities.addUses([looped(5)]);
        expect(await learnt(fqdn)).toMatchObject({
          paths: [{ path: ["l1", "d1"], runs: 3, successes: 2 }],
          decisions: [{ nodeId: "d1", outcomes: [{ outcome: "true", times: 15 }] }],
          loops: [{ nodeId: "l1", runs: 3, iterations: 15, fewest: 3, most: 7 }],
        });
        expect((await learnt(fqdn)).decisions[0]).not.toHaveProperty("condition");
      });

      it("is of one version", async () => {
        const fqdn = await learn("x:two", "return 1", { trace: run(scope, { executedPath: ["n1"] }) });
        await learn("x:two", "return 2", { update: true, trace: run(scope, { executedPath: ["n2"] }) });
        expect((await learnt(fqdn, 1)).paths).toEqual([{ path: ["n1"], runs: 1, successes: 1 }]);
        expect((await learnt(fqdn, 2)).paths).toEqual([{ path: ["n2"], runs: 1, successes: 1 }]);
        expect(await learnt(fqdn, 3)).toMatchObject({ paths: [], totalPaths: 0, dominantPath: undefined });
      });

      it("tells so many paths apart and no more", async () => {
        const fqdn = await saved("x:many");
        const took = (index: number) => use(scope, fqdn, 1, { executedPath: ["d1", `n${index}`] });
        const many = LIMITS.learntPaths + 7;
        await capabilities.addUses(Array.from({ length: many }, (_, index) => took(index)));
        await capabilities.addUses([took(0), took(many), took(many + 1), { ...took(many), version: 1 }]);
        const { paths: taken, totalPaths, otherPaths } = await traces.learning(fqdn, 1, 2);
        expect(taken).toHaveLength(2);
        expect(taken[0]).toEqual({ path: ["d1", "n0"], runs: 2, successes: 2 });
        expect(totalPaths).toBe(LIMITS.learntPaths);
        expect(otherPaths).toEqual({ runs: 10, successes: 10 });
      });

      it("takes outcomes of any length and of any signs", async () => {
        const fqdn = await saved("x:odd");
        const outcome = `\0\\u0000 ${"case ".repeat(5_000)}`;
        await capabilities.addUses([use(scope, fqdn, 1, { decisions: [{ nodeId: "d1", outcome }] })]);
        expect((await learnt(fqdn)).decisions).toEqual([{ nodeId: "d1", outcomes: [{ outcome, times: 1 }] }]);
      });

      it("adds up when several gateways count at the same time", async () => {
        const fqdns = [await saved("x:a"), await saved("x:b"), await saved("x:c")];
        const batch = (fqdn: Fqdn) =>
          Array.from({ length: 20 }, (_, index) =>
            use(scope, fqdn, 1, {
              executedPath: ["d1", index % 2 ? "n1" : "n2"],
              decisions: [{ nodeId: "d1", outcome: index % 2 ? "true" : "false" }],
              loops: [{ nodeId: "l1", iterations: index }],
              ...(index % 5 ? {} : failed),
            }),
          );
        const all = fqdns.flatMap(batch);
        await Promise.all(
          Array.from({ length: 12 }, (_, index) => {
            const fresh = all.map((one) => ({
              ...one,
              trace: { ...one.trace, traceId: crypto.randomUUID() },
            }));
            return index % 2 ? capabilities.addUses(fresh) : other.capabilities.addUses([...fresh].reverse());
          }),
        );
        for (const fqdn of fqdns) {
          const capability = await capabilities.get(fqdn);
          expect(capability).toMatchObject({ usageCount: 240, successCount: 192 });
          expect(await learnt(fqdn)).toMatchObject({
            paths: [{ runs: 120 }, { runs: 120 }],
            decisions: [{ outcomes: [{ times: 120 }, { times: 120 }] }],
            loops: [{ runs: 240, iterations: 12 * 190, fewest: 0, most: 19 }],
          });
          expect(await tracesOf(fqdn)).toBe(240);
        }
      });

      it("is counted once, also where a batch is written again because nobody heard that it was", async () => {
        const fqdn = await saved("x:again");
        const first = [use(scope, fqdn), use(scope, fqdn)];
        await capabilities.addUses(first);
        await capabilities.addUses([...first, use(scope, fqdn)]);
        const code = run(scope, failed);
        await capabilities.addTraces([code]);
        await capabilities.addTraces([code]);
        expect(await capabilities.get(fqdn)).toMatchObject({ usageCount: 3 });
        expect((await learnt(fqdn)).paths).toEqual([{ path: ["n1"], runs: 3, successes: 3 }]);
        expect(await traces.latest(scope, 10)).toHaveLength(4);
      });

      it("is found in the traces of a store that did not count it yet", async () => {
        const fqdn = await saved("x:old");
        await capabilities.addUses([
          use(scope, fqdn, 1, { executedPath: ["l1", "d1"], loops: [{ nodeId: "l1", iterations: 2 }] }),
          use(scope, fqdn, 1, { executedPath: ["l1", "d1"], loops: [{ nodeId: "l1", iterations: 4 }] }),
          use(scope, fqdn, 1, {
            ...failed,
            executedPath: ["d1"],
            decisions: [
              { nodeId: "d1", outcome: "a\0b" },
              { nodeId: "d2", outcome: "true", count: 3 },
            ],
          }),
        ]);
        const tables = ["capability_paths", "capability_decisions", "capability_loops"];
        const kept = async () =>
          Promise.all(
            tables.map((table) =>
              rows(`select * from ${table} where capability_fqdn = $1 order by 3, 4, 5`, [fqdn]),
            ),
          );
        const before = await kept();
        expect(before.map((one) => one.length)).toEqual([2, 2, 1]);
        for (const table of tables) await rows(`delete from ${table}`);
        for (const statement of paths.statements) if (statement.startsWith("insert")) await rows(statement);
        expect(await kept()).toEqual(before);
      });
    });

    describe("[EX-11] runs inside of runs", () => {
      const nested = (fqdn: Fqdn, parent: RunTrace, more: Partial<RunTrace> = {}) =>
        use(scope, fqdn, 1, { parentTraceId: parent.traceId, workflowId: parent.workflowId, ...more });

      it("have the run that called them, and the task that they are in it", async () => {
        const [outer, inner] = [await saved("x:outer"), await saved("x:inner")];
        const main = use(scope, outer, 1, { workflowId: `w-${scope.project}` });
        const called = nested(inner, main.trace, { taskId: "c1#2" });
        await capabilities.addUses([called, main]);
        const [first, second] = await traces.ofWorkflow(main.trace.workflowId, scope, 10);
        expect(first).toMatchObject({ traceId: main.trace.traceId, fqdn: outer, version: 1 });
        expect(second).toMatchObject({
          fqdn: inner,
          parentTraceId: main.trace.traceId,
          taskId: "c1#2",
          workflowId: main.trace.workflowId,
        });
        expect(await capabilities.get(inner)).toMatchObject({ usageCount: 1, successCount: 1 });
        expect((await traces.latest(scope, 10)).map(({ fqdn }) => fqdn)).toEqual([outer]);
      });

      it("[ID-10] earn trust where their arguments are known, and count without it where they are not", async () => {
        const [outer, inner] = [await saved("x:outer"), await saved("x:inner")];
        const { trace } = use(scope, outer);
        const { argsHash: _, ...unknown } = nested(inner, trace).trace;
        await capabilities.addUses(
          [1, 2, 3, 4].map(() => ({
            fqdn: inner,
            version: 1,
            trace: { ...unknown, ...failed, traceId: crypto.randomUUID() },
          })),
        );
        expect(await capabilities.get(inner)).toMatchObject({
          usageCount: 4,
          successCount: 0,
          trust: "unproven",
        });
        await capabilities.addUses([nested(inner, trace)]);
        expect(await capabilities.get(inner)).toMatchObject({ usageCount: 5, trust: "provisional" });
      });

      it("[ID-7] make nobody a creator: whoever calls code may never have seen what it calls", async () => {
        const { capability } = await capabilities.learn(succeeded(scope, "return 'unnamed'"), sign);
        const bob = { ...scope, user: "bob" };
        const main = run(bob);
        await capabilities.addUses([nested(capability.fqdn, main, { scope: bob })]);
        expect((await capabilities.get(capability.fqdn))?.creators).toEqual(["ada@acme"]);
        await capabilities.addUses([use(bob, capability.fqdn)]);
        expect((await capabilities.get(capability.fqdn))?.creators).toEqual(["ada@acme", "bob@acme"]);
      });

      it("count also where their traces are not kept", async () => {
        const fqdn = await saved("x:inner");
        await capabilities.addUses([use(scope, fqdn), { ...use(scope, fqdn), isUntraced: true }]);
        expect(await capabilities.get(fqdn)).toMatchObject({ usageCount: 2 });
        expect((await learnt(fqdn)).paths).toMatchObject([{ runs: 2 }]);
        expect(await tracesOf(fqdn)).toBe(1);
      });
    });

    describe("[EX-11] traces", () => {
      it("come back as they were written", async () => {
        const fqdn = await saved("x:a");
        const trace = run(scope, {
          ...failed,
          errorMessage: "no\0no",
          intent: "why\\u0041",
          decisions: [{ nodeId: "d1", outcome: "true", count: 2 }],
          loops: [{ nodeId: "l1", iterations: 0 }],
          tasks: [{ taskId: "n1", tool: "fs:read", success: true, durationMs: 1.5 }],
        });
        await capabilities.addUses([{ fqdn, version: 1, trace }]);
        const { argsHash: _, ...kept } = trace;
        expect(await traces.runsOf(fqdn, scope, 10)).toEqual([{ ...kept, fqdn, version: 1 }]);
      });

      it("are those of a project, or of one user of it, newest first", async () => {
        const fqdn = await saved("x:a");
        const bob = { ...scope, user: "bob" };
        const elsewhere = newScope();
        const runs = [scope, bob, elsewhere, scope].map((who, index) =>
          use(who, fqdn, 1, { executedAt: at(index), workflowId: `w${index}-${scope.project}` }),
        );
        await capabilities.addUses(runs);
        const ids = async (list: Promise<readonly { readonly workflowId: string }[]>) =>
          (await list).map(({ workflowId }) => workflowId.slice(0, 2));
        const { org, project } = scope;
        expect(await ids(traces.runsOf(fqdn, { org, project }, 10))).toEqual(["w3", "w1", "w0"]);
        expect(await ids(traces.runsOf(fqdn, scope, 10))).toEqual(["w3", "w0"]);
        expect(await ids(traces.latest({ org, project }, 2))).toEqual(["w3", "w1"]);
        expect(await ids(traces.latest(bob, 10))).toEqual(["w1"]);
        expect(await traces.ofWorkflow(`w1-${project}`, scope, 10)).toEqual([]);
        expect(await traces.ofWorkflow(`w1-${project}`, bob, 10)).toHaveLength(1);
        expect(await traces.ofWorkflow(`w2-${project}`, { org, project }, 10)).toEqual([]);
      });
    });

    describe("[DI-3] what was asked for", () => {
      it("is what succeeded by itself, each once for each who asked, newest first", async () => {
        const [one, two] = [await saved("x:a"), await saved("x:b")];
        const bob = { ...scope, user: "bob" };
        const later = (days: number) => new Date(Date.UTC(2100, 0, days));
        await capabilities.addUses([
          use(scope, one, 1, { intent: "first\0", executedAt: later(1) }),
          use(scope, one, 1, { intent: "again", executedAt: later(2) }),
          use(bob, one, 1, { intent: "again", executedAt: later(5) }),
          use(scope, two, 1, { intent: "again", executedAt: later(3) }),
          use(scope, two, 1, { ...failed, intent: "in vain", executedAt: later(4) }),
          use(scope, two, 1, { intent: "inside", executedAt: later(6), parentTraceId: crypto.randomUUID() }),
        ]);
        expect(await traces.succeededIntents(4, 10)).toEqual([
          { fqdn: one, intent: "again", scope: bob },
          { fqdn: two, intent: "again", scope },
          { fqdn: one, intent: "again", scope },
          { fqdn: one, intent: "first\0", scope },
        ]);
        expect(await traces.succeededIntents(1, 10)).toHaveLength(1);
        const newest = (await traces.succeededIntents(1_000, 1)).map(({ scope: whose }) => whose);
        expect(newest.filter(({ project }) => project === scope.project)).toEqual([bob, scope]);
      });
    });

    describe("[EX-11] pruning", () => {
      it("deletes what is too old, and what is too much of a capability and of other code, and nothing that was learnt", async () => {
        const [a, b] = [await saved("x:a"), await saved("x:b")];
        const took = (fqdn: Fqdn, index: number) =>
          use(scope, fqdn, 1, {
            executedAt: at(index),
            executedPath: ["d1", index % 3 ? "n1" : "n2"],
            decisions: [{ nodeId: "d1", outcome: index % 3 ? "true" : "false" }],
          });
        await capabilities.addUses(Array.from({ length: 20 }, (_, index) => took(a, index)));
        await capabilities.addUses([took(b, 0), took(b, 15)]);
        await capabilities.addTraces(
          [1, 10, 11, 12].map((second) => run(scope, { ...failed, executedAt: at(second) })),
        );
        const known = async () =>
          Promise.all([learnt(a), learnt(b), capabilities.dominantPath(a, 1), capabilities.get(a)]);
        const before = await known();

        expect(await traces.prune({ ...EVERYTHING, before: at(5) })).toBeGreaterThanOrEqual(7);
        expect(await tracesOf(a)).toBe(15);
        expect((await traces.runsOf(b, scope, 10)).map(({ executedAt }) => executedAt)).toEqual([at(15)]);
        await traces.prune({ ...EVERYTHING, perCapability: 4 });
        expect((await traces.runsOf(a, scope, 10)).map(({ executedAt }) => executedAt)).toEqual(
          [19, 18, 17, 16].map(at),
        );
        await traces.prune({ ...EVERYTHING, withoutCapability: 2 });
        const rest = await traces.latest(scope, 20);
        expect(rest.filter(({ fqdn }) => fqdn === undefined).map(({ executedAt }) => executedAt)).toEqual(
          [12, 11].map(at),
        );
        expect(await traces.prune(EVERYTHING)).toBe(0);
        expect(await known()).toEqual(before);
      });

      it("deletes more than one step of it", async () => {
        const fqdn = await saved("x:a");
        const many = LIMITS.pruneRows + 5;
        await capabilities.addUses(Array.from({ length: many }, () => use(scope, fqdn)));
        expect(await traces.prune({ ...EVERYTHING, perCapability: 2 })).toBeGreaterThanOrEqual(many - 2);
        expect(await tracesOf(fqdn)).toBe(2);
        expect((await learnt(fqdn)).paths).toMatchObject([{ runs: many }]);
      });

      it("may be begun by several gateways at once", async () => {
        const fqdn = await saved("x:a");
        await capabilities.addUses(Array.from({ length: 50 }, () => use(scope, fqdn)));
        const prune = { ...EVERYTHING, perCapability: 10 };
        await Promise.all([traces, other.traces, traces, other.traces].map((one) => one.prune(prune)));
        expect(await tracesOf(fqdn)).toBe(10);
      });
    });
  });
}
