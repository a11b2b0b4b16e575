import { afterAll, describe, expect, it } from "vitest";
import type { SandboxBridge, SandboxOutcome, SandboxRun } from "../../src/execution/ports/sandbox.js";
import { createQuickjsSandbox } from "../../src/sandbox/quickjs/quickjs-sandbox.js";
import { describeSandbox } from "../suites/sandbox.suite.js";
import { sized } from "../support/sizes.js";

describeSandbox("quickjs", () => createQuickjsSandbox({ poolSize: 2 }));

const sandbox = createQuickjsSandbox({ poolSize: 2 });
const LIMITS = { timeMs: 20_000, memoryMb: 128, toolCalls: 100 };

afterAll(async () => {
  await sandbox.close();
});

const bridge: SandboxBridge = {
  call: async ({ args }) => ({ kind: "value", text: JSON.stringify(args) }),
  event() {},
};

function run(
  code: string,
  limits: Partial<SandboxRun["limits"]> = {},
  signal = new AbortController().signal,
): Promise<SandboxOutcome> {
  return sandbox.run(
    {
      program: { main: { code, parameters: [], lifted: [] }, capabilities: [] },
      args: {},
      limits: { ...LIMITS, ...limits },
      seed: "00".repeat(32),
      startedAt: 0,
    },
    bridge,
    signal,
  );
}

async function check(code: string, expected: unknown): Promise<void> {
  expect(await run(code)).toMatchObject({ kind: "returned", text: JSON.stringify(expected) });
}

/** What an expression is in Node, and that it is the same in the sandbox. */
async function checkAsInNode(expression: string): Promise<void> {
  // The point is to ask both engines the same.
  const inNode: unknown = await new Function(`return (async () => (${expression}))()`)();
  await check(`return ${expression}`, inNode);
}

/** That the run hits the limit, that one beside it is not harmed, and that the next one works. */
async function checkLimit(
  code: string,
  limit: string,
  limits: Partial<SandboxRun["limits"]> = {},
): Promise<void> {
  const neighbour = run("await new Promise((wake) => setTimeout(wake, 100)); return 'well'");
  expect(await run(code, limits)).toMatchObject({ kind: "limit", limit });
  expect(await neighbour).toMatchObject({ kind: "returned", text: '"well"' });
  await check("return 1 + 1", 2);
}

describe("QuickJS", { timeout: 60_000 }, () => {
  it.each([
    ["a loop", "for (;;);"],
    [
      "a timer that loops",
      "setTimeout(() => { for (;;); }, 1); await new Promise((wake) => setTimeout(wake, 60_000))",
    ],
    // `describeSandbox` has these too.
    ...sized(
      [
        ["a loop of promises", "for (;;) await null;"],
        ["an expression that backtracks", "return /(a+)+$/.test('a'.repeat(60) + 'b')"],
        ["a result whose getter loops", "return { get a() { for (;;); } }"],
      ],
      [],
    ),
  ])("[EX-2] stops %s at the time limit", async (_what, code = "") => {
    await checkLimit(code, "time", { timeMs: 300 });
  });

  it.each([
    ["objects", "const all = []; for (;;) all.push({ a: 1 })"],
    ["a map", "const all = new Map(); for (let n = 0; ; n += 1) all.set(n, {})"],
    ...sized(
      [
        ["text", "const all = []; for (let n = 0; ; n += 1) all.push(String(n).repeat(100_000))"],
        ["one typed array of 2 GB", "return new Uint8Array(2_000_000_000).length"],
        ["many typed arrays", "const all = []; for (;;) all.push(new Uint8Array(1_000_000).fill(1))"],
      ],
      [],
    ),
  ])("[EX-2] stops %s at the memory limit", async (_what, code = "") => {
    await checkLimit(code, "memory", { memoryMb: 64 });
  });

  it("[EX-2] lets code go on that gave memory back in time", async () => {
    const code = `
      let all = [];
      try { for (;;) all.push(new Uint8Array(1_000_000)); } catch (error) { all = []; return String(error); }`;
    await check(code, "RangeError: out of memory");
  });

  it("[EX-2] stops a result and arguments of 100 MB", async () => {
    await checkLimit("return 'x'.repeat(100_000_000)", "output");
    await checkLimit("return await mcp.a.b({ text: 'x'.repeat(100_000_000) })", "arguments");
  });

  it("[EX-2] throws a RangeError for a recursion without end, which code can catch", async () => {
    await check(
      "function deeper() { return deeper() + 1; } try { deeper(); } catch (error) { return error instanceof RangeError; }",
      true,
    );
    expect(await run("function deeper() { return deeper() + 1; } deeper()")).toMatchObject({
      kind: "threw",
      name: "RangeError",
    });
    await check("return 1", 1);
  });

  it("[EX-2] survives code that is nested too deeply to be read", async () => {
    expect(await run(`return ${"(".repeat(40_000)}1${")".repeat(40_000)}`)).toMatchObject({
      kind: "threw",
      name: "RangeError",
    });
    await check("return 1", 1);
  });

  it("[EX-2] says at once that a promise will never settle", async () => {
    expect(await run("await new Promise(() => {})", { timeMs: 600_000 })).toMatchObject({
      kind: "threw",
      message: "The code waits for a promise that can never settle",
    });
  });

  it("waits for timers and calls before it says so", async () => {
    await check(
      "const late = new Promise((wake) => setTimeout(wake, 60, 'woken')); return [await mcp.a.b({ x: 1 }), await late]",
      [{ x: 1 }, "woken"],
    );
  });

  it("[EX-2] stops a loop when it is cancelled", async () => {
    const controller = new AbortController();
    const outcome = run("for (;;);", {}, controller.signal);
    setTimeout(() => controller.abort(), 200);
    expect(await outcome).toMatchObject({ kind: "cancelled" });
    await check("return 1", 1);
  });

  it("[EX-2] runs one after the other in a process, and many at once beside one another", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        run(`globalThis.mine ??= ${index}; await mcp.a.b({}); return globalThis.mine`),
      ),
    );
    expect(outcomes.map((outcome) => outcome.kind === "returned" && outcome.text)).toEqual(
      Array.from({ length: 40 }, (_, index) => `${index}`),
    );
  });

  it.each([
    "new TextEncoder().encode('aé€😀\\ud83d').join()",
    "new TextDecoder('utf-8', { fatal: false }).decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff, 0xe2, 0x82, 0xac))",
    "(() => { try { new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.of(0xff)); } catch (e) { return e.name; } })()",
    "[btoa('hi\\0ÿ'), atob(' aGk= ')]",
    "(() => { try { atob('a'); } catch (e) { return [e.name, e.code, e instanceof Error]; } })()",
    "[...structuredClone(new Map([[{ a: 1 }, new Set([1, new Date(5)])]]))].map(([key, set]) => [key, [...set]])",
    "(() => { const a = { list: [1, , 3] }; a.self = a; const b = structuredClone(a); return [b.self === b, b.list.length, 1 in b.list]; })()",
    "(() => { try { structuredClone(() => {}); } catch (e) { return e.name; } })()",
    "structuredClone(new Float64Array([1.5, 2])).join()",
    "new URL('../x y?q=é#h', 'https://user:pw@EXAMPLE.org:443/a/b/').href",
    "(() => { const u = new URL('https://example.org/?a=1'); u.searchParams.append('b', 'ü &'); u.port = '81'; return [u.href, u.origin, JSON.stringify({ u })]; })()",
    "(() => { try { new URL('nonsense'); } catch (e) { return e.name; } })()",
    "[...new URLSearchParams({ b: '2', a: 'x+y' })].concat(new URLSearchParams('?q=%C3%A9+1').get('q'))",
    "Object.prototype.toString.call(new URL('http://a'))",
    "[typeof crypto.randomUUID, crypto.getRandomValues(new Uint8Array(4)).length]",
    "(await Promise.allSettled([1, Promise.reject(2)])).map(({ status }) => status)",
    "'\\0a\\ud83d'.length",
    "new Date(Date.UTC(2024, 1, 29)).toISOString()",
    "[...'aXbX'.matchAll(/(?<c>[a-z])X/g)].map((m) => m.groups.c)",
    "(12345.678).toFixed(1) + parseFloat('1e3') + (2n ** 70n)",
  ])("[FP-2] has %s as Node does", async (expression) => {
    await checkAsInNode(expression);
  });

  it("[FP-2] has the promised globals and no others beyond the language", async () => {
    const beyond =
      "console structuredClone URL URLSearchParams TextEncoder TextDecoder atob btoa setTimeout clearTimeout crypto";
    const absent =
      "process require module Buffer global fetch XMLHttpRequest WebSocket Deno Bun window document self navigator " +
      "localStorage Worker setInterval eval Function WebAssembly SharedArrayBuffer Atomics quickjsHost InternalError " +
      "std os scriptArgs print";
    const code = (names: string): string =>
      `return ${JSON.stringify(names.split(" "))}.filter((name) => name in globalThis)`;
    await check(code(beyond), beyond.split(" "));
    await check(code(absent), []);
  });

  it("[EX-1] has no way from a value to the making of code", async () => {
    const code = `
      const found = [() => {}, async () => {}, function* () {}, async function* () {}, class {}, setTimeout, URL, Math.max]
        .map((value) => [Reflect.getPrototypeOf(value).constructor, value.constructor])
        .flat()
        .filter((value) => value !== undefined);
      return found.length + (Reflect.getPrototypeOf(mcp.a.b) === null ? 0 : 1);`;
    await check(code, 0);
  });

  it("keeps text whole that C would end early", async () => {
    await check("return 'a\u0000b'.length + 'c\\0d'.length", 6);
    await check("return await mcp.a.b({ text: 'a\\0b\\ud83d' })", { text: "a\0b\ud83d" });
  });

  it("says where code threw", async () => {
    expect(await run("const a = 1;\n\nfunction inner() {\n  null.x;\n}\ninner();")).toMatchObject({
      kind: "threw",
      name: "TypeError",
      positions: [{ line: 4 }, { line: 6 }],
    });
  });

  it("says what it is, and which defences stand", async () => {
    const status = await sandbox.status();
    expect(status).toMatchObject({ engine: "quickjs", version: "0.32.0", state: "ready" });
    expect(status.defences).toContainEqual({ name: "wasm-memory-limit", active: true, detail: "128 MB" });
  });
});
