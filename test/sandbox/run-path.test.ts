/** Code as it was given, analysed and run: the path that comes back is made of the ids of its static structure. */
import { afterAll, describe, expect, it } from "vitest";
import { analyse } from "../../src/analysis/analyse.js";
import type { Sandbox, SandboxCall, SandboxCallAnswer } from "../../src/execution/ports/sandbox.js";
import { RunPath } from "../../src/execution/run/run-path.js";
import { createDenoSandbox } from "../../src/sandbox/host/deno-sandbox.js";
import { createQuickjsSandbox } from "../../src/sandbox/quickjs/quickjs-sandbox.js";
import { capability, resultOf, tryCode, value } from "../suites/sandbox-runs.js";
import { testVocabulary } from "../support/vocabulary.js";

const ANY = { inputSchema: { type: "object" } };
const VOCABULARY = testVocabulary({ t: { echo: ANY, late: ANY, fail: ANY } });
const ARGS = { k: "b", no: null, list: [1, 2, 3] };

const sandboxes: Readonly<Record<string, Sandbox>> = {
  deno: createDenoSandbox({ poolSize: 1 }),
  quickjs: createQuickjsSandbox({ poolSize: 1 }),
};
afterAll(async () => {
  await Promise.all(Object.values(sandboxes).map((sandbox) => sandbox.close()));
});

async function answer({ path, args }: SandboxCall): Promise<SandboxCallAnswer> {
  if (path[1] === "fail") return { kind: "error", code: "TOOL_FAILED", message: "no" };
  if (path[1] === "late") await new Promise((wake) => setTimeout(wake, 20));
  return value(args);
}

/** Code in; the result, the path, and what was decided on it out. */
async function walk(sandbox: Sandbox, code: string): Promise<string> {
  const { problems, structure, runnableCode, freeParameters, liftedParameters } = analyse(code, VOCABULARY);
  expect(problems).toEqual([]);
  const path = new RunPath(structure);
  const { outcome } = await tryCode(sandbox, runnableCode, {
    args: ARGS,
    parameters: freeParameters,
    lifted: liftedParameters,
    async call(call) {
      if (call.node !== undefined) path.call(call.node);
      return await answer(call);
    },
    onEvent(event) {
      if (event.kind === "passed") path.passed(event.marks);
    },
  });
  const known = new Set(structure.nodes.map(({ id }) => id));
  expect(path.path().filter((id) => !known.has(id))).toEqual([]);
  const decided = path
    .decisions()
    .map(({ nodeId, outcome: way, count = 1 }) => `${nodeId}=${way}${count === 1 ? "" : `*${count}`}`);
  const rounds = path.loops().map(({ nodeId, iterations }) => `${nodeId}*${iterations}`);
  return `${JSON.stringify(resultOf(outcome))}: ${path.path().join(" ")} (${[...decided, ...rounds].join(", ")})`;
}

describe.each(Object.keys(sandboxes))("[AN-11, EX-11, FP-22] the path of code in %s", (name) => {
  const sandbox = sandboxes[name] as Sandbox;
  it.each([
    [
      "if (args.k === 'a') await mcp.t.echo({}); else if (args.k) await mcp.t.echo({}); await mcp.t.echo({}); return 1",
      "1: d1 d2 n2 n3 (d1=false, d2=true)",
    ],
    [
      "let n = 0; for (const i of args.list) { if (i % 2) n += (await mcp.t.echo({ i })).i; else await mcp.t.echo({}); } return n",
      "4: l1 d1 n1 n2 (d1=true*2, d1=false, l1*3)",
    ],
    [
      "const [a, b] = await Promise.all([mcp.t.late({ x: 1 }).then((r) => mcp.t.echo(r)), mcp.t.echo({ x: 2 })]); return a.x + b.x",
      "3: f1 n1 n2 n3 j1 ()",
    ],
    ["return (await Promise.all(args.list.map((i) => mcp.t.echo({ i })))).length", "3: f1 n1 j1 ()"],
    ["return (await Promise.all([{ i: 1 }, { i: 2 }].map(mcp.t.echo)))[1].i", "2: f1 n1 j1 ()"],
    [
      "try { await Promise.all([mcp.t.fail({}), mcp.t.echo({})]); } catch { await mcp.t.echo({}); } return 1",
      "1: f1 n1 n2 d1 n3 (d1=error)",
    ],
    ["try { await mcp.t.echo({}); } catch { await mcp.t.echo({}); } return 1", "1: n1 d1 (d1=ok)"],
    [
      "switch (args.k) { case 'a': await mcp.t.echo({}); break; case 'b': await mcp.t.echo({}); default: await mcp.t.echo({}); } return 1",
      "1: d1 n2 n3 (d1='b')",
    ],
    [
      "const v = args.no ?? (await mcp.t.echo({ v: 1 })); args.k && (await mcp.t.echo({})); args.k || (await mcp.t.echo({})); return args.no ? await mcp.t.echo({}) : v.v",
      "1: d1 n1 d2 n2 d3 d4 (d1=nullish, d2=true, d3=true, d4=false)",
    ],
    [
      "for (const i of [1, 2]) { await Promise.all([mcp.t.late({}), mcp.t.echo({})]); if (i === 2) await mcp.t.echo({}); } return 1",
      "1: l1 f1 n1 n2 j1 d1 n3 (d1=false, d1=true, l1*2)",
    ],
    [
      "const go = async (x) => { if (x) return (await mcp.t.echo({ x })).x; return 0; }; return (await go(1)) + (await go(0)) + (await go(2))",
      "3: d1 n1 (d1=true*2, d1=false)",
    ],
    [
      "let n = 0; while (n < 3) { n++; if (n === 2) continue; await mcp.t.echo({}); } do { n--; } while (n > 0 && (await mcp.t.echo({ n }))); return n",
      "0: l1 n1 l2 d1 n2 (d1=true*2, d1=false, l1*3, l2*3)",
    ],
  ])("%s", async (code, expected) => {
    expect(await walk(sandbox, code)).toBe(expected);
  });

  it("[EX-11] is its own in each call of a capability", async () => {
    const inner = analyse(
      "if (args.n > 1) { await mcp.t.echo({}); } for (const i of [1, 2]) await mcp.t.late({ i }); return args.n",
      VOCABULARY,
    );
    const unit = capability("inner", inner.runnableCode, {
      lifted: inner.liftedParameters,
      schema: { type: "object", properties: { n: { type: "number" } } },
    });
    const paths = new Map<number | undefined, RunPath>();
    const { outcome } = await tryCode(
      sandbox,
      `return await Promise.all([1, 2].map((n) => mcp["${unit.ref}"]({ n }, "n1")))`,
      {
        capabilities: [unit],
        async call(call) {
          if (call.node !== undefined) paths.get(call.parent)?.call(call.node);
          return await answer(call);
        },
        onEvent(event) {
          if (event.kind === "capability-start") paths.set(event.id, new RunPath(inner.structure));
          if (event.kind === "passed") paths.get(event.parent)?.passed(event.marks);
        },
      },
    );
    expect(resultOf(outcome)).toEqual([1, 2]);
    expect(Array.from(paths.values(), (path) => [path.path(), path.decisions(), path.loops()])).toEqual([
      [["d1", "l1", "n2"], [{ nodeId: "d1", outcome: "false" }], [{ nodeId: "l1", iterations: 2 }]],
      [["d1", "n1", "l1", "n2"], [{ nodeId: "d1", outcome: "true" }], [{ nodeId: "l1", iterations: 2 }]],
    ]);
  });
});
