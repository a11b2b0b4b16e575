/**
 * Tests the behaviour that every engine of the sandbox must have. If an engine does not support a case, the case is
 * skipped and says why.
 *
 * @module
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox, SandboxCallAnswer, SandboxEvent } from "../../src/execution/ports/sandbox.js";
import { formatCapabilityRef } from "../../src/registry/capability-ref.js";
import { IS_FULL } from "../support/sizes.js";
import { OPEN_BUILT_INS } from "./open-built-ins.js";
import {
  capability,
  fqdn,
  result,
  resultOf,
  STARTED_AT,
  type TryOptions,
  tryCode,
  value,
} from "./sandbox-runs.js";

export function describeSandbox(name: string, open: () => Sandbox): void {
  describe(`Sandbox: ${name}`, () => {
    let sandbox: Sandbox;
    beforeAll(() => {
      sandbox = open();
    });
    afterAll(async () => {
      await sandbox.close();
    });

    const check = async (code: string, expected: unknown): Promise<void> => {
      expect(await result(sandbox, code)).toEqual(expected);
    };

    describe("what code gets", () => {
      it("[EX-1] arguments, as an object and by name", async () => {
        const options = { args: { a: 1, b: "x" }, parameters: ["b", "missing"] };
        expect(await result(sandbox, "return [args, b, typeof missing]", options)).toEqual([
          { a: 1, b: "x" },
          "x",
          "undefined",
        ]);
      });

      it.each([
        ["// a comment at the end", null],
        ["const mcp = 1, args = 2, console = 3, pml = 4; return mcp + args + console + pml", 10],
        ["return this === undefined && (function () { return this === undefined; })()", true],
        ["const [a, b] = await Promise.all([1, Promise.resolve(2)]); return a + b", 3],
        ["try { undeclared = 1; } catch (error) { return error.name; }", "ReferenceError"],
      ])("runs as the body of a strict async function: %s", check);

      it("[LP-6] the bridge is told that the program starts, once, before its end", async () => {
        const seen: string[] = [];
        await tryCode(sandbox, "return await mcp.t.echo()", { onStarted: () => seen.push("started") });
        seen.push("ended");
        expect(seen).toEqual(["started", "ended"]);
      });

      it("[FP-2] the promised globals, and no others", async () => {
        const names = (await result(sandbox, "return Reflect.ownKeys(globalThis).map(String)")) as string[];
        for (const promised of PROMISED) expect(names).toContain(promised);
        for (const gone of GONE) expect(names).not.toContain(gone);
        expect(
          await result(sandbox, `return ${JSON.stringify(GONE)}.filter((name) => name in globalThis)`),
        ).toEqual([]);
      });

      it.each([
        ["new URL('../x?q=1#h', 'https://a.b/c/d').href", "https://a.b/x?q=1#h"],
        ["[...new URLSearchParams('a=1&b=2').keys()]", ["a", "b"]],
        ["[...new TextEncoder().encode('é')]", [195, 169]],
        ["new TextDecoder().decode(new Uint8Array([195, 169]))", "é"],
        ["atob(btoa('hello'))", "hello"],
        ["structuredClone({ a: [1, new Date(0)] })", { a: [1, "1970-01-01T00:00:00.000Z"] }],
        ["await new Promise((done) => setTimeout(done, 1, 'later'))", "later"],
        [
          "await new Promise((done) => { clearTimeout(setTimeout(() => done('no'), 1)); setTimeout(() => done('yes'), 5); })",
          "yes",
        ],
        ["crypto.getRandomValues(new Uint8Array(4)).length", 4],
        [
          "/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())",
          true,
        ],
      ])("[FP-2] %s", async (expression, expected) => {
        await check(`return ${expression}`, expected);
      });

      it.each([
        "eval('1')",
        "Function('return 1')()",
        "(() => {}).constructor('return 1')()",
        "(async () => {}).constructor('return 1')()",
        "(function* () {}).constructor('yield 1')().next().value",
        "(async function* () {}).constructor('yield 1')()",
        "Object.getPrototypeOf(async () => {}).constructor('return 1')()",
        "Reflect.construct(Object.getPrototypeOf(class {}).constructor, ['return 1'])()",
        "console.log.constructor('return 1')()",
        "mcp.a.b.constructor('return 1')()",
        "setTimeout.constructor('return 1')()",
        "setTimeout('1')",
        "new (Object.getPrototypeOf(Object.getPrototypeOf(async function* () {})).constructor)('return 1')()",
      ])("[FP-2] no code from text: %s", async (expression) => {
        expect(await result(sandbox, `return ${expression}`)).toMatch(/^threw (TypeError|ReferenceError)/);
      });
    });

    describe("results", () => {
      it.each<readonly [string, unknown]>([
        ["", null],
        ["return undefined", null],
        ["return () => 1", null],
        [
          "return { a: undefined, b: [undefined, 1], c: null, d() {}, [Symbol()]: 1 }",
          { b: [null, 1], c: null },
        ],
        ["return { n: 12345678901234567890n }", { n: "12345678901234567890" }],
        [
          "return { m: new Map([['a', new Map([[1, 2]])]]), s: new Set([1, 'x']) }",
          { m: [["a", [[1, 2]]]], s: [1, "x"] },
        ],
        ["return new Date(0)", "1970-01-01T00:00:00.000Z"],
        ["return { toJSON() { return { replaced: true }; } }", { replaced: true }],
        ["return [Object(1), Object('x'), Object(false), Object(2n)]", [1, "x", false, "2"]],
        ["return [-0, 1e21, 0.1, 1e-7]", [0, 1e21, 0.1, 1e-7]],
        ["const x = { v: 1 }; return { a: x, b: [x, x] }", { a: { v: 1 }, b: [{ v: 1 }, { v: 1 }] }],
        ["return 'é 漢字 🎉 \\u2028 \\ud800'", "é 漢字 🎉 \u2028 \ud800"],
        ['return JSON.parse(\'{"__proto__":{"a":1}}\')', JSON.parse('{"__proto__":{"a":1}}')],
        [
          "let deep = 1; for (let i = 0; i < 200; i++) deep = [deep]; return JSON.stringify(deep).length",
          401,
        ],
      ])("[FP-3] %s", check);

      it("[FP-3] what is not finite is null, with a warning that says where", async () => {
        const { outcome } = await tryCode(sandbox, "return { a: [1, NaN, Infinity] }");
        expect(resultOf(outcome)).toEqual({ a: [1, null, null] });
        expect(outcome.warnings).toEqual([
          "2 number(s) of the result, the first at result.a[1], are not finite and became null",
        ]);
      });

      it.each([
        ["const a = { list: [] }; a.list.push({ self: a }); return a", "result.list[0].self is a cycle"],
        [
          "let deep = 1; for (let i = 0; i < 201; i++) deep = { d: deep }; return deep",
          "deeper than 200 levels",
        ],
        ["return { a: { get x() { throw new Error('boom'); } } }", "reading result.a.x threw: boom"],
        ["return { a: new Proxy({}, { ownKeys() { throw null; } }) }", "reading result.a threw: null"],
        ["return { ['odd key']: { toJSON() { throw 'text'; } } }", 'reading result["odd key"] threw: text'],
      ])("[FP-3] refuses %s", async (code, message) => {
        const text = await result(sandbox, code);
        expect(text).toContain("threw TypeError: Cannot write the result as JSON: ");
        expect(text).toContain(message);
      });

      it("[EX-2] takes 7 MiB, and refuses more than 8 MiB", async () => {
        // Writing this much takes seconds, and longer on a busy machine.
        const returned = (value: string) =>
          result(sandbox, `return ${value}`, { limits: { timeMs: 100_000 } });
        expect(await returned("'y'.repeat(7 * 1024 * 1024)")).toHaveLength(7 * 1024 * 1024);
        expect(await returned("'z'.repeat(9 * 1024 * 1024)")).toMatch(/^limit output: .*8 MiB/);
        // The code that counts is the same on every engine, and QuickJS takes seconds for each of these.
        if (name === "quickjs" && !IS_FULL) return;
        expect(await returned("'é'.repeat(4.1 * 1024 * 1024)")).toMatch(/^limit output: .*8 MiB/);
        expect(await returned("new Array(2 ** 32 - 1)")).toMatch(/^limit output: /);
      }, 120_000);
    });

    describe("errors", () => {
      it.each([
        ["throw new TypeError('the message')", "threw TypeError: the message"],
        ["throw null", "threw Error: null"],
        ["throw 'just text'", "threw Error: just text"],
        ["throw { code: 7 }", "threw Error: { code: 7 }"],
        ["return Promise.reject()", "threw Error: undefined"],
        [
          "throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } })",
          "threw Error: [unreadable]",
        ],
        ["throw Object.assign(new Error('x'), { name: 5, message: { a: 1 } })", "threw Error: "],
        ["const f = () => f(); f()", "threw RangeError: Maximum call stack size exceeded"],
      ])("%s", check);

      it("cuts a message that is too long", async () => {
        const text = await result(sandbox, "throw new Error('m'.repeat(20 * 1024 * 1024))");
        expect((text as string).length).toBeLessThan(10_000);
      });

      it("says where, innermost first, in the lines of the author", async () => {
        const inner = capability("inner", "\n\n  throw new Error('deep')");
        const code = `const a = 1;\n  await mcp["${inner.ref}"]({});`;
        const { outcome } = await tryCode(sandbox, code, { capabilities: [inner] });
        expect(outcome).toMatchObject({ kind: "threw", message: "deep" });
        // Engines report different parts of an expression as its column.
        expect(outcome.kind === "threw" && outcome.positions[0]).toEqual({
          unit: inner.ref,
          line: 3,
          column: expect.toSatisfy((column: number) => column >= 3 && column <= 26),
        });
        const { outcome: own } = await tryCode(sandbox, "const a = 1;\n  null.x;");
        expect(own).toMatchObject({ kind: "threw", name: "TypeError", positions: [{ line: 2 }] });
      });

      it("[EX-1] shows nothing of where PML lies", async () => {
        expect(await result(sandbox, "return String(new Error('x').stack)")).not.toContain("/");
      });
    });

    describe("calls of tools", () => {
      it("[FP-1] carry path, arguments and node, and give what the tool gives", async () => {
        const code = `return [await mcp.fs.read({ p: 1n }, "n1"), await mcp["fs:read"]({ m: new Map([[1, 2]]) }, "nope"),
          await capabilities["a:b"](), await capabilities.c.d(undefined, "n12")]`;
        const { outcome, calls } = await tryCode(sandbox, code, { call: async ({ id }) => value({ id }) });
        expect(resultOf(outcome)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]);
        expect(calls).toEqual([
          { id: 1, object: "mcp", path: ["fs", "read"], args: { p: "1" }, node: "n1", seen: 0 },
          { id: 2, object: "mcp", path: ["fs:read"], args: { m: [[1, 2]] }, seen: 1 },
          { id: 3, object: "capabilities", path: ["a:b"], args: {}, seen: 2 },
          { id: 4, object: "capabilities", path: ["c", "d"], args: {}, node: "n12", seen: 3 },
        ]);
      });

      it("[FP-1] throw a ToolError with message, tool, code and content", async () => {
        const failing: SandboxCallAnswer = {
          kind: "error",
          code: "TOOL_FAILED",
          message: "no such file",
          tool: "fs:read",
          content: '[{"type":"text","text":"no such file"}]',
        };
        const call = async () => failing;
        const caught =
          "try { await mcp.fs.read({}); } catch (e) { return [e instanceof Error, e.name, e.message, e.tool, e.code, e.content]; }";
        expect(await result(sandbox, caught, { call })).toEqual([
          true,
          "ToolError",
          "no such file",
          "fs:read",
          "TOOL_FAILED",
          [{ type: "text", text: "no such file" }],
        ]);
        const { outcome } = await tryCode(sandbox, "const a = 1;\nawait mcp.fs.read({})", { call });
        expect(outcome).toMatchObject({
          kind: "threw",
          name: "ToolError",
          message: "no such file",
          positions: [{ line: 2 }],
          tool: { code: "TOOL_FAILED", tool: "fs:read", content: failing.content },
        });
      });

      it("run at the same time, and settle in the order of their answers", async () => {
        const gates = new Map<string, () => void>();
        const call = ({ path }: { readonly path: readonly string[] }) =>
          new Promise<SandboxCallAnswer>((resolve) => {
            gates.set(path[1] ?? "", () => resolve(value(path[1] ?? "")));
            if (gates.size === 3) setImmediate(() => ["c", "a", "b"].map((tool) => gates.get(tool)?.()));
          });
        const code =
          "const seen = []; await Promise.all(['a', 'b', 'c'].map((t) => mcp.x[t]({}).then((v) => seen.push(v)))); return seen";
        expect(await result(sandbox, code, { call })).toEqual(["c", "a", "b"]);
      });

      it("wait in line beyond 256 at once", async () => {
        let open = 0;
        let most = 0;
        const call = async () => {
          open += 1;
          most = Math.max(most, open);
          await sleep(5);
          open -= 1;
          return value(1);
        };
        const code = "return (await Promise.all(Array.from({ length: 600 }, () => mcp.a.b({})))).length";
        expect(await result(sandbox, code, { call })).toBe(600);
        expect(most).toBe(256);
      });

      it.each(["'text'", "5", "null", "[1]", "true", "() => 1", "new Map()", "new Date(0)", "Symbol()"])(
        "are refused with %s as arguments",
        async (args) => {
          const { outcome, calls } = await tryCode(sandbox, `return await mcp.a.b(${args})`);
          expect(resultOf(outcome)).toMatch(/^threw TypeError: Cannot call mcp.a.b: expected one object/);
          expect(calls).toEqual([]);
        },
      );

      it("name where arguments cannot be written", async () => {
        const code =
          "const a = { x: [] }; a.x.push(a); try { await mcp.a.b(a); } catch (e) { return e.message; }";
        await check(code, "Cannot call mcp.a.b: arguments.x[0] is a cycle: it contains itself");
      });

      it("[EX-2] take 4 MiB of arguments, and end the run with more than 8 MiB", async () => {
        const call = async ({ args }: { readonly args: Readonly<Record<string, unknown>> }) =>
          value((args.v as string).length);
        const code = (mib: number) => `return await mcp.a.b({ v: 'x'.repeat(${mib} * 1024 * 1024) })`;
        expect(await result(sandbox, code(4), { call })).toBe(4 * 1024 * 1024);
        expect(await result(sandbox, code(9), { call })).toMatch(/^limit arguments: .*8 MiB/);
      });

      it("[EX-1] lead to nothing but calls", async () => {
        const code = `return [typeof mcp.then, typeof mcp.a.then, String(mcp[Symbol.iterator]), Object.getPrototypeOf(mcp),
          Object.getPrototypeOf(mcp.a), Object.getPrototypeOf(mcp.a.b), Object.keys(mcp), typeof mcp.a.b.c,
          (() => { try { mcp.x = 1; } catch (e) { return e.name; } })()]`;
        await check(code, [
          "undefined",
          "undefined",
          "undefined",
          null,
          null,
          null,
          [],
          "undefined",
          "TypeError",
        ]);
      });

      it("[FP-3] that nobody awaited are cancelled at the end, and none starts after it", async () => {
        let isAborted = false;
        const call = (_call: unknown, signal: AbortSignal) =>
          new Promise<SandboxCallAnswer>(() => {
            signal.addEventListener("abort", () => {
              isAborted = true;
            });
          });
        const code = "mcp.a.one({}); mcp.a.two({}); setTimeout(() => mcp.a.late({}), 0); return 'done'";
        const { outcome, calls } = await tryCode(sandbox, code, { call });
        expect(resultOf(outcome)).toBe("done");
        expect(isAborted).toBe(true);
        expect(calls.map(({ path }) => path[1])).toEqual(["one", "two"]);
      });

      it("[EX-2] made where the stack is used up fail alone", async () => {
        const code = `const calls = []; let failed = 0;
          const down = () => { try { down(); } catch {}
            if (calls.length < 200) try { calls.push(mcp.a.b().then(() => "answered", (e) => e.name)); console.log("x"); } catch { failed++; } };
          down();
          const answers = new Set(await Promise.all(calls));
          return [failed > 0, [...answers].filter((a) => a !== "RangeError" && a !== "TypeError"), calls.length]`;
        expect(await result(sandbox, code)).toEqual([true, ["answered"], 200]);
      });

      it("survive a bridge that rejects or answers nonsense", async () => {
        const call = async ({ path }: { readonly path: readonly string[] }): Promise<SandboxCallAnswer> => {
          if (path[1] === "rejects") throw new Error("oops");
          return { kind: "value", text: path[1] === "lines" ? '{\n"a":\n1}' : "{nonsense" };
        };
        const code = `const out = [];
          for (const t of ["rejects", "lines", "nonsense"]) try { out.push(await mcp.x[t]({})); } catch (e) { out.push(e.name); }
          return out`;
        expect(await result(sandbox, code, { call })).toEqual(["ToolError", { a: 1 }, "SyntaxError"]);
      });
    });

    describe("capabilities", () => {
      const greet = capability("greet", "return args.greeting + ' ' + who + (await mcp.x.mark({}))", {
        parameters: ["who"],
        schema: {
          type: "object",
          properties: { who: { type: "string" }, greeting: { type: "string", default: "Hello" } },
          required: ["who"],
        },
      });
      const twice = capability("twice", `return [await mcp["${greet.ref}"]({ who: "a" }, "n2"), 1]`);

      it("[EX-1, EX-3] are functions inside the sandbox, with events, ids and parents", async () => {
        const code = `return [await mcp["${twice.ref}"](undefined, "n1"), await mcp["${greet.ref}"]({ who: "b", greeting: "Hi" })]`;
        const { outcome, calls, events } = await tryCode(sandbox, code, {
          capabilities: [greet, twice],
          call: async ({ id }) => value(`!${id}`),
        });
        expect(resultOf(outcome)).toEqual([["Hello a!1", 1], "Hi b!2"]);
        expect(calls.map(({ parent }) => parent)).toEqual([2, 3]);
        expect(events).toEqual([
          { kind: "capability-start", id: 1, ref: twice.ref, node: "n1", argsText: "{}" },
          {
            kind: "capability-start",
            id: 2,
            ref: greet.ref,
            node: "n2",
            parent: 1,
            argsText: '{"who":"a","greeting":"Hello"}',
          },
          { kind: "capability-end", id: 2, success: true, text: '"Hello a!1"' },
          { kind: "capability-end", id: 1, success: true, text: '["Hello a!1",1]' },
          { kind: "capability-start", id: 3, ref: greet.ref, argsText: '{"who":"b","greeting":"Hi"}' },
          { kind: "capability-end", id: 3, success: true, text: '"Hi b!2"' },
        ]);
      });

      it.each([
        ["{}", 'argument "who" is missing'],
        ["{ who: undefined }", 'argument "who" is missing'],
        ["{ who: 5 }", 'argument "who" must be string, got number'],
        ["{ who: 'a', what: 1 }", 'unknown argument "what"; it takes who, greeting'],
        ["'a'", "expected one object with named arguments, got string"],
      ])("refuse %s", async (args, message) => {
        const code = `return await mcp["${greet.ref}"](${args})`;
        const { outcome, events } = await tryCode(sandbox, code, { capabilities: [greet] });
        expect(resultOf(outcome)).toBe(`threw TypeError: Cannot call capability "fs:greet": ${message}`);
        expect(events.at(-1)).toEqual({ kind: "capability-end", id: 1, success: false });
      });

      it("[ID-11] are one for each version that is pinned, beside the newest", async () => {
        const pinned = formatCapabilityRef({ fqdn: fqdn("ver"), version: 2 });
        const units = [
          capability("ver", "return 'newest'", { version: 3 }),
          capability("ver", "if (args.fail) throw new Error('no');\nreturn 'two'", {
            ref: pinned,
            version: 2,
            schema: { type: "object", properties: { fail: { type: "boolean" } } },
          }),
        ];
        const code = `return [await mcp["${fqdn("ver")}"]({}), await mcp["${pinned}"]({})]`;
        const { outcome, events } = await tryCode(sandbox, code, { capabilities: units });
        expect(resultOf(outcome)).toEqual(["newest", "two"]);
        expect(events.flatMap((event) => ("ref" in event ? [event.ref] : []))).toEqual([fqdn("ver"), pinned]);
        const wrong = `return await mcp["${pinned}"]({ none: 1 })`;
        expect(await result(sandbox, wrong, { capabilities: units })).toContain(
          'Cannot call capability "fs:ver@2": unknown argument "none"',
        );
        const thrown = await tryCode(sandbox, `return await mcp["${pinned}"]({ fail: true })`, {
          capabilities: units,
        });
        expect(thrown.outcome).toMatchObject({ positions: [{ unit: pinned, line: 1 }, {}] });
        const unknown = `return await mcp["${fqdn("ver")}@1"]({})`;
        expect((await tryCode(sandbox, unknown, { capabilities: units })).calls).toMatchObject([
          { object: "mcp", path: [`${fqdn("ver")}@1`] },
        ]);
      });

      it("[ID-7] are tools that nobody has to a unit that does not name them, whatever it puts together", async () => {
        const inner = capability("inner", "return 'inner'", { calls: [] });
        const outer = capability("outer", `return await mcp["${inner.ref}"]()`, { calls: [inner.ref] });
        const past = capability("past", `return await mcp[${JSON.stringify(inner.ref)}]()`, { calls: [] });
        const code = `try { Array.prototype.includes = () => true; } catch {} return [await mcp["${outer.ref}"](), await mcp["${past.ref}"](), await mcp["${inner.ref}"]()]`;
        const { outcome, calls } = await tryCode(sandbox, code, {
          calls: [outer.ref, past.ref],
          capabilities: [inner, outer, past],
          call: async () => value("asked"),
        });
        expect(resultOf(outcome)).toEqual(["inner", "asked", "asked"]);
        expect(calls.map(({ path }) => path)).toEqual([[inner.ref], [inner.ref]]);
      });

      it("[TB-3] are given copies, and give copies: no object or function crosses", async () => {
        const unit = capability(
          "copy",
          "args.list.push(1); return { list: args.list, f() {}, at: new Date(0), none: undefined }",
          {
            schema: { type: "object", properties: { list: {}, f: {} } },
          },
        );
        const code = `const list = []; const got = await mcp["${unit.ref}"]({ list, f: () => 1 }); got.list.push(2);
          return [list, got, await mcp["${unit.ref}"]({ list })]`;
        const at = "1970-01-01T00:00:00.000Z";
        expect(await result(sandbox, code, { capabilities: [unit] })).toEqual([
          [],
          { list: [1, 2], at },
          { list: [1], at },
        ]);
      });

      it("[TB-3] throw errors that arrive with name, message and code, and nothing else", async () => {
        const unit = capability(
          "bad",
          "const e = new RangeError('too far'); e.code = 'FAR'; e.extra = { secret: 1 }; e.cause = mcp; throw args.what === 'error' ? e : { any: 1 };",
          { schema: { type: "object", properties: { what: {} } } },
        );
        const code = `const out = []; for (const what of ["error", "thing"]) try { await mcp["${unit.ref}"]({ what }); } catch (e) {
          out.push([e instanceof Error, e.name, e.message, e.code, e.extra, e.cause, /secret|bad/.test(e.stack)]); } return out`;
        expect(await result(sandbox, code, { capabilities: [unit] })).toEqual([
          [true, "RangeError", "too far", "FAR", null, null, false],
          [true, "Error", "{ any: 1 }", null, null, null, false],
        ]);
      });

      it("[TB-3] cannot change what another unit uses, nor see what it has set", async () => {
        const inner = capability(
          "inner",
          `globalThis.kept = "inner"; const before = JSON.stringify({ a: [1, 2].map((x) => x + 1) });
           return [before, typeof globalThis.mine, {}.polluted === undefined, RegExp.$1 === undefined]`,
        );
        const code = `globalThis.mine = 1; globalThis.JSON = null; /(secret)/.exec("secret");
          const all = [Object.prototype, Array.prototype, JSON, globalThis, Object.getPrototypeOf(setTimeout), Promise.prototype, String.prototype, Symbol, Object, Error, console, console.log, pml, pml.hint, setTimeout];
          const changed = [];
          for (const one of all) for (const key of [...Reflect.ownKeys(one), "polluted", "0", "6", "toJSON", "then"]) {
            if (one === globalThis || key === "__proto__") continue;
            for (const job of [() => { one[key] = () => "hooked"; }, () => Object.defineProperty(one, key, { get: () => "hooked", set() {}, configurable: true })])
              try { job(); changed.push(String(key) + all.indexOf(one)); } catch {}
          }
          const first = await mcp["${inner.ref}"]();
          return [first, changed, typeof globalThis.kept, globalThis.mine]`;
        expect(await result(sandbox, code, { capabilities: [inner] })).toEqual([
          ['{"a":[2,3]}', "undefined", true, true],
          [],
          "undefined",
          1,
        ]);
      });

      it("[TB-3] have no built-in, by whatever way code gets at it, that can be changed", async () => {
        const { open, seen } = (await result(sandbox, OPEN_BUILT_INS)) as { open: string[]; seen: number };
        expect(open).toEqual([]);
        expect(seen).toBeGreaterThan(300);
      });

      it("[TB-3] have all promised globals on their own globalThis, too", async () => {
        const code = `return ${JSON.stringify(PROMISED)}.filter((name) => typeof globalThis[name] === "undefined")`;
        expect(await result(sandbox, code)).toEqual([]);
      });

      it("[TB-3] leave ordinary code as it is: what is inherited can be set on an object of one's own", async () => {
        const code = `"use strict"; const error = new Error("x"); error.name = "Mine"; error.message = "y"; error.toString = () => "z";
          const o = {}; o.toString = () => "o"; o.constructor = 1; o.hasOwnProperty = 2; o.valueOf = () => 3;
          function Old() {} Old.prototype = Object.create(Error.prototype); Old.prototype.constructor = Old; Old.prototype.name = "Old"; Old.prototype.toString = () => "old";
          const list = []; list.push = () => "pushed"; list.map = 1; const map = new Map(); map.get = () => "got"; const f = () => 1; f.call = () => "called";
          const promise = Promise.resolve(1); promise.then = undefined; class Sub extends Array {} Sub.prototype.map = () => "sub";
          return [error.name, error.message, String(error), String(o), o.constructor, o.hasOwnProperty, +o, String(new Old()), list.push(1), map.get(1), f.call(), new Sub().map(), Object.keys(o), ({}).toString()]`;
        expect(await result(sandbox, code)).toEqual([
          "Mine",
          "y",
          "z",
          "o",
          1,
          2,
          3,
          "old",
          "pushed",
          "got",
          "called",
          "sub",
          ["toString", "constructor", "hasOwnProperty", "valueOf"],
          "[object Object]",
        ]);
      });

      it("do not share their defaults between calls", async () => {
        const keep = capability("keep", "args.list.push(1); return args.list.length", {
          schema: { type: "object", properties: { list: { type: "array", default: [] } } },
        });
        const code = `return [await mcp["${keep.ref}"](), await mcp["${keep.ref}"]()]`;
        expect(await result(sandbox, code, { capabilities: [keep] })).toEqual([1, 1]);
      });

      it.each<readonly [string, string, string | undefined]>([
        ["with defaults", "{ a: [1, { b: null }] }", '{"a":[1,{"b":null}],"d":"x"}'],
        ["as long as may be", "{ a: 'x'.repeat(65500) }", `{"a":"${"x".repeat(65_500)}","d":"x"}`],
        ["but not much", "{ a: 'x'.repeat(65536) }", undefined],
        ["but not many", "{ a: Array(40000).fill(1) }", undefined],
        [
          "as they are copied",
          "{ a: new Map([[1, new Date(0)]]) }",
          '{"a":[[1,"1970-01-01T00:00:00.000Z"]],"d":"x"}',
        ],
      ])("[EX-11] tell their arguments, %s", async (_what, args, expected) => {
        const any = capability("any", "return typeof args.a", {
          schema: { type: "object", properties: { a: {}, d: { type: "string", default: "x" } } },
        });
        const code = `return await mcp["${any.ref}"](${args})`;
        const { outcome, events } = await tryCode(sandbox, code, { capabilities: [any] });
        expect(outcome.kind).toBe("returned");
        const [start] = events;
        expect(start?.kind === "capability-start" ? start.argsText : start).toBe(expected);
      });

      it("[EX-2] [EX-11] tell so many arguments and no more", async () => {
        const any = capability("any", "return 1", { schema: { type: "object", properties: { a: {} } } });
        const code = `for (let i = 0; i < 80; i += 1) await mcp["${any.ref}"]({ a: "x".repeat(65000) }); return 1`;
        const { outcome, events } = await tryCode(sandbox, code, { capabilities: [any] });
        expect(resultOf(outcome)).toBe(1);
        const told = events.map((event) => event.kind === "capability-start" && event.argsText !== undefined);
        expect(told.filter(Boolean)).toHaveLength(65);
      });

      it("[EX-3] that have ended leave what they have started, and it is still theirs", async () => {
        const other = capability("other", "return 1");
        const hasty = capability(
          "hasty",
          `setTimeout(async () => { await mcp["${other.ref}"](); await mcp.x.late({}, "n3"); }, 1)`,
        );
        const code = `await mcp["${hasty.ref}"](); await new Promise((done) => setTimeout(done, 100)); return 1`;
        const { outcome, calls, events } = await tryCode(sandbox, code, { capabilities: [hasty, other] });
        expect(resultOf(outcome)).toBe(1);
        expect(calls).toMatchObject([{ path: ["x", "late"], node: "n3", parent: 1 }]);
        expect(events.map((event) => `${event.kind} ${"id" in event ? event.id : ""}`)).toEqual([
          "capability-start 1",
          "capability-end 1",
          "capability-start 2",
          "capability-end 2",
        ]);
      });

      it("that are still open at the end have ended without success", async () => {
        const hang = capability("hang", "await new Promise(() => {})");
        const { events } = await tryCode(sandbox, `mcp["${hang.ref}"]({}); return 1`, {
          capabilities: [hang],
        });
        expect(events).toEqual([
          { kind: "capability-start", id: 1, ref: fqdn("hang"), argsText: "{}" },
          { kind: "capability-end", id: 1, success: false, isUnfinished: true },
        ]);
      });
    });

    describe("limits", () => {
      const limits = { timeMs: 300 };

      it.each([
        "while (true) {}",
        "for (;;) await null",
        "return { get x() { for (;;); } }",
        "return /^(a+)+$/.test('a'.repeat(60) + '!')",
        "await mcp.a.hangs({})",
      ])("[EX-2] time: %s", async (code) => {
        const { outcome } = await tryCode(sandbox, code, { limits, call: () => new Promise(() => {}) });
        expect(resultOf(outcome)).toBe(
          "limit time: The run reached its time limit of 300 ms; raise options.timeout (600,000 at most) or sandbox.timeoutMs in the configuration",
        );
      });

      it.each([
        "const a = []; for (;;) a.push(new Array(10000).fill(a.length))",
        "return new Uint8Array(1024 * 1024 * 1024).fill(1).length",
        "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))",
        "const a = []; for (let i = 0; ; i++) a.push(String(i).repeat(1e5).split(''))",
      ])("[EX-2] memory: %s", async (code) => {
        expect(await result(sandbox, code)).toMatch(/^limit memory: .* 128 MiB; .*sandbox\.memoryMb/);
      });

      it("[EX-2] time: code that waits for nothing, unless that is noticed before", async () => {
        expect(await result(sandbox, "await new Promise(() => {})", { limits })).toMatch(
          /^(limit time: .* 300 ms|threw Error: The code waits for a promise that can never settle)/,
        );
      });

      it("[EX-2] tool calls: as many as allowed, and not one more", async () => {
        const code = "let n = 0; for (let i = 0; i < args.n; i++) { await mcp.a.b({}); n++; } return n";
        const most = { limits: { toolCalls: 20 } };
        expect(await result(sandbox, code, { ...most, args: { n: 20 } })).toBe(20);
        const { outcome, calls } = await tryCode(sandbox, code, { ...most, args: { n: 21 } });
        expect(resultOf(outcome)).toMatch(/^limit tool-calls: .*20 tool calls; .*sandbox\.toolCalls/);
        expect(calls).toHaveLength(20);
        const flood = await tryCode(sandbox, "for (;;) mcp.a.b({})", most);
        expect(resultOf(flood.outcome)).toMatch(/^limit tool-calls/);
        expect(flood.calls.length).toBeLessThanOrEqual(20);
      });

      it("[EX-2] a run that takes its process down harms no other", async () => {
        const code = "let n = 0; for (let i = 0; i < 50; i++) n += await mcp.a.b({ i }); return n";
        const call = async () => {
          await sleep(10);
          return value(1);
        };
        const [neighbour, bomb, loop] = await Promise.all([
          result(sandbox, code, { call }),
          result(sandbox, "const a = []; for (;;) a.push(new Array(10000).fill(a.length))"),
          result(sandbox, "for (;;);", { limits }),
        ]);
        expect([neighbour, String(bomb).slice(0, 12), String(loop).slice(0, 10)]).toEqual([
          50,
          "limit memory",
          "limit time",
        ]);
      });

      it("[EX-2] a cancelled run stops, and its calls with it", async () => {
        const controller = new AbortController();
        let isAborted = false;
        const call = (_call: unknown, signal: AbortSignal) =>
          new Promise<SandboxCallAnswer>(() => {
            signal.addEventListener("abort", () => {
              isAborted = true;
            });
            controller.abort();
          });
        const { outcome } = await tryCode(sandbox, "await mcp.a.b({})", { call, signal: controller.signal });
        expect(outcome).toMatchObject({ kind: "cancelled" });
        expect(isAborted).toBe(true);
        const looping = new AbortController();
        const onEvent = () => looping.abort();
        expect(
          await result(sandbox, "console.log('x'); for (;;);", { signal: looping.signal, onEvent }),
        ).toBe("cancelled");
        expect(await result(sandbox, "return 1", { signal: AbortSignal.abort() })).toBe("cancelled");
      });
    });

    describe("what a run says as it goes", () => {
      const texts = (events: readonly SandboxEvent[]) =>
        events.flatMap((event) => (event.kind === "log" ? [`${event.level} ${event.text}`] : []));

      it("[FP-4] logs are captured, readable, and break nothing", async () => {
        const code = `const c = { n: 1n }; c.c = c; class P { a = 1 }
          console.log("text", 5, c, Symbol("s"), () => {}, function f() {}, null, undefined, -0);
          console.warn(new Proxy({}, { get() { throw 1; }, ownKeys() { throw 1; }, getPrototypeOf() { throw 1; } }));
          console.error({ get x() { throw 1; }, toJSON() { throw 2; }, toString() { throw 3; } }, new Map([[c, 1]]), Object.create(null));
          console.info(new Set(["a"]), [1, [2, [3, [4, [5, [6]]]]]], new P(), new Date(0), /x/g);
          console.debug();
          return "ok"`;
        const { outcome, events } = await tryCode(sandbox, code);
        expect(resultOf(outcome)).toBe("ok");
        expect(texts(events)).toEqual([
          "info text 5 { n: 1n, c: [Circular] } Symbol(s) [Function] [Function: f] null undefined -0",
          "warn [unreadable]",
          "error { x: [Getter], toJSON: [Function: toJSON], toString: [Function: toString] } Map(1) { { n: 1n, c: [Circular] } => 1 } [Object: null prototype] {}",
          'info Set(1) { "a" } [ 1, [ 2, [ 3, [ 4, [ 5, [Array] ] ] ] ] ] P { a: 1 } 1970-01-01T00:00:00.000Z /x/g',
          "debug ",
        ]);
      });

      it("[EX-2, FP-4] logs are cut at 64 KiB, with a note", async () => {
        const { outcome, events } = await tryCode(
          sandbox,
          "for (let i = 0; i < 2000; i++) console.log('é'.repeat(500)); return 'ok'",
        );
        expect(resultOf(outcome)).toBe("ok");
        const logs = texts(events);
        expect(logs.at(-1)).toBe("warn [the log is truncated at 64 KiB]");
        const bytes = Buffer.byteLength(
          logs
            .slice(0, -1)
            .map((line) => line.slice("info ".length))
            .join(""),
        );
        expect(bytes).toBeGreaterThan(64 * 1024 - 1_100);
        expect(bytes).toBeLessThanOrEqual(64 * 1024);
      });

      it("[EX-1] lines that look like ours are only text", async () => {
        const code = `console.log('returned\\t{"usedRandomness":false,"warnings":[]}\\t"forged"\\nready\\nthrew\\t{}'); return "real"`;
        const { outcome, events } = await tryCode(sandbox, code);
        expect(resultOf(outcome)).toBe("real");
        expect(events).toHaveLength(1);
      });

      it("[FP-4] progress is passed on, not too often, and the last word is kept", async () => {
        const code = "for (let i = 1; i <= 5000; i++) pml.progress(i, 5000, 'step ' + i); return 1";
        const { events } = await tryCode(sandbox, code);
        expect(events[0]).toEqual({ kind: "progress", done: 1, total: 5000, message: "step 1" });
        expect(events.at(-1)).toEqual({ kind: "progress", done: 5000, total: 5000, message: "step 5000" });
        expect(events.length).toBeLessThan(200);
        await check(
          "pml.progress('x')",
          "threw TypeError: Cannot report progress: the first argument must be a number, the work done",
        );
      });

      it("[FP-4] a hint names the capability", async () => {
        const { events } = await tryCode(
          sandbox,
          "pml.hint({ name: 'fs:x', description: 'Reads', more: 1 }); pml.hint({})",
        );
        expect(events).toEqual([{ kind: "hint", name: "fs:x", description: "Reads" }, { kind: "hint" }]);
      });

      it("[EX-2] a rejection that nobody handles does not end the run", async () => {
        const code = `Promise.reject(new Error("nobody")); setTimeout(() => { throw new Error("timer"); }, 0);
          await new Promise((done) => setTimeout(done, 20)); return "ok"`;
        await check(code, "ok");
      });
    });

    describe("the path", () => {
      /** All passed sites and calls, in the order in which they are reported, and the outcome of the run. */
      const walk = async (code: string, options: TryOptions = {}) => {
        const seen: string[] = [];
        const { outcome } = await tryCode(sandbox, code, {
          ...options,
          async call(call, signal) {
            seen.push(`${call.parent === undefined ? "" : "inner "}${call.node}`);
            return options.call === undefined ? value(call.id) : await options.call(call, signal);
          },
          onEvent(event) {
            if (event.kind === "capability-start") seen.push(`${event.node}`);
            if (event.kind !== "passed") return;
            const where = event.parent === undefined ? "" : `in ${event.parent} `;
            for (const { id, outcome: way, count } of event.marks)
              seen.push(`${where}${id}${way === "" ? "" : `=${way}`}${count === 1 ? "" : `*${count}`}`);
          },
        });
        return { outcome, path: seen.join(", ") };
      };
      const checkPath = async (code: string, expected: string): Promise<void> => {
        expect((await walk(code)).path).toBe(expected);
      };

      it.each([
        ['$pml.test("d1", 0); $pml.test("d1", "x"); $pml.test("d2", NaN)', "d1=false, d1=true, d2=false"],
        [
          '$pml.nullish("d1", null); $pml.nullish("d1", undefined); $pml.nullish("d1", 0)',
          "d1=nullish*2, d1=value",
        ],
        [
          'switch (1) { case 1: $pml.outcome("d1", "1"); default: $pml.outcome("d1", "default"); }',
          "d1=1, d1=default",
        ],
        [
          'try { await mcp.a.b({}, "n1"); $pml.outcome("d1", "ok") } catch { $pml.outcome("d1", "error"); }',
          "n1, d1=ok",
        ],
        [
          'try { null.x; $pml.outcome("d1", "ok") } catch { $pml.outcome("d1", "error"); } throw 1',
          "d1=error",
        ],
        [
          '{$pml.enter("l1"); for (let i = 0; i < 1000; i++) { $pml.again("l1"); $pml.test("d1", i > 2); }}',
          "l1, l1=again*1000, d1=false*3, d1=true*997",
        ],
        ['$pml.enter("l1"); for (const x of []) $pml.again("l1");', "l1"],
        ['return [1, 2].map((x) => ($pml.again("l1"), x))', "l1=again*2"],
      ])("[AN-11] says what was passed: %s", checkPath);

      it("[AN-11] says it before the call that follows, and the rest at the end", async () => {
        const code = `if ($pml.test("d1", true)) await mcp.a.b({}, "n1");
          $pml.enter("l1");
          for (let i = 0; i < 3; i++) { $pml.again("l1"); if ($pml.test("d2", i > 0)) await mcp.a.b({}, "n2"); }
          await $pml.join("j1", Promise.all(($pml.enter("f1"), [mcp.a.c({}, "n3"), mcp.a.c({}, "n4")])));
          $pml.test("d3", false)`;
        await checkPath(
          code,
          "d1=true, n1, l1, l1=again*2, d2=false, d2=true, n2, l1=again, d2=true, n2, f1, n3, n4, j1, d3=false",
        );
      });

      it("[AN-11] a join is passed when its promise is fulfilled", async () => {
        const call = async ({ path }: { readonly path: readonly string[] }): Promise<SandboxCallAnswer> =>
          path[1] === "bad" ? { kind: "error", code: "X", message: "no" } : value(1);
        const code = `const fork = (id, call) => $pml.join(id, Promise.all(($pml.enter("f" + id.slice(1)), [mcp.a.b({}, "n1"), call])));
          try { await fork("j1", mcp.a.bad({}, "n2")); $pml.outcome("d1", "ok") } catch (e) { $pml.outcome("d1", "error"); }
          await fork("j2", 5); fork("j3", new Promise(() => {})); return "end"`;
        const { outcome, path } = await walk(code, { call });
        expect(path).toBe("n2, f1, n1, d1=error, f2, n1, j2, f3, n1");
        expect(resultOf(outcome)).toBe("end");
      });

      it("[AN-11] values go through as they are", async () => {
        const code = `let asked = 0;
          const spy = new Proxy({}, { get() { asked++; } });
          const proxy = new Proxy({}, spy), call = new Proxy(() => 1, spy), thenable = { get then() { asked++; } };
          const promise = Promise.resolve(1), frozen = Object.freeze(Promise.resolve(2));
          class Special extends Promise {} const special = Special.resolve(3);
          const own = Object.assign(Promise.resolve(4), { constructor: "own" });
          const values = [-0, NaN, 0n, undefined, null, "", Symbol.iterator, proxy, call, thenable, promise, frozen, special, own];
          const ways = [(v) => $pml.test("d1", v), (v) => $pml.nullish("d2", v), (v) => $pml.enter("f1", v), (v) => $pml.given("x", v)];
          const same = values.every((v) => ways.every((way) => Object.is(way(v), v)));
          const untouched = asked;
          const joined = values.every((v) => Object.is($pml.join("j1", v), v));
          return [same, untouched, joined, $pml.outcome("d1", "x"), $pml.again("l1"), Reflect.ownKeys(promise).length,
            promise.constructor === Promise, special.constructor === Special, own.constructor, await promise, await special]`;
        expect(await result(sandbox, code)).toEqual([true, 0, true, null, null, 0, true, true, "own", 1, 3]);
      });

      it("[AN-11] a tool that is passed on says which node it is", async () => {
        const code = `const read = $pml.use("n7", mcp.fs.read);
          const values = await Promise.all([{ a: 1 }, { a: 2 }].map(read));
          return [values, typeof read, Object.getPrototypeOf(read), Reflect.ownKeys(read), Object.isFrozen(read), $pml.use("n8", undefined), $pml.use("n8", 5)]`;
        const { outcome, calls } = await tryCode(sandbox, code, { call: async ({ args }) => value(args) });
        expect(resultOf(outcome)).toEqual([[{ a: 1 }, { a: 2 }], "function", null, [], true, null, 5]);
        expect(calls.map(({ node, path }) => [node, path])).toEqual([
          ["n7", ["fs", "read"]],
          ["n7", ["fs", "read"]],
        ]);
      });

      it("[AN-8] a literal that is lifted is the argument of its name, where one is given", async () => {
        const options = { args: { a: 1, path: "given", list: null }, lifted: ["path", "list", "missing"] };
        const code = `return [args, $pml.given("path", "literal"), $pml.given("list", []), $pml.given("missing", { x: 1 }),
          $pml.given("a", 5), $pml.given("toString", 6), $pml.given("__proto__", 7)]`;
        expect(await result(sandbox, code, options)).toEqual([{ a: 1 }, "given", null, { x: 1 }, 5, 6, 7]);
        expect(await result(sandbox, 'return [args, $pml.given("a", 2)]', { args: { a: 1 } })).toEqual([
          { a: 1 },
          2,
        ]);
      });

      it("[AN-8] [EX-11] each call of a capability has its own", async () => {
        const inner = capability(
          "inner",
          `$pml.test("d9", true); $pml.enter("l9"); await $pml.join("j9", Promise.all([$pml.use("n9", mcp.a.b)({})]));
           return [args, $pml.given("path", "literal")]`,
          {
            lifted: ["path"],
            schema: { type: "object", properties: { path: { type: "string" }, a: { type: "number" } } },
          },
        );
        const code = `$pml.test("d1", true); const first = await mcp["${inner.ref}"]({ a: 1 }, "n1");
          $pml.test("d2", true); return [first, await mcp["${inner.ref}"]({ path: "given" }, "n2"), args, $pml.given("path", "mine")]`;
        const { outcome, path } = await walk(code, {
          capabilities: [inner],
          args: { path: "outer" },
          lifted: ["path"],
        });
        expect(resultOf(outcome)).toEqual([[{ a: 1 }, "literal"], [{}, "given"], {}, "outer"]);
        expect(path).toBe(
          "d1=true, n1, in 1 d9=true, in 1 l9, inner n9, in 1 j9, d2=true, n2, in 2 d9=true, in 2 l9, inner n9, in 2 j9",
        );
      });

      it("[AN-11] is known up to the last call where the time is up", async () => {
        const code = `$pml.test("d1", true); await mcp.a.b({}, "n1"); $pml.test("d2", true); for (;;) $pml.again("l1");`;
        const { outcome, path } = await walk(code, { limits: { timeMs: 700 } });
        expect(outcome).toMatchObject({ kind: "limit", limit: "time" });
        expect(path).toBe("d1=true, n1");
      });

      it("[EX-2] is bounded: ids that are none, long outcomes, too many of them", async () => {
        const odd = `for (const id of ["n1", "d0", "x1", "", "d1234567", "__proto__", "d1 ", 5, null, {}, Symbol()]) { $pml.test(id, 1); $pml.enter(id); $pml.again(id); $pml.outcome(id, "x"); }
          $pml.outcome("d1", 5); $pml.outcome("d1", "y".repeat(300)); $pml.outcome("d1", "y".repeat(200) + "z"); $pml.outcome("d1", "__proto__")`;
        await checkPath(odd, `d1=${"y".repeat(200)}*2, d1=__proto__`);
        const { events } = await tryCode(
          sandbox,
          'for (let i = 1; i <= 30_000; i++) $pml.test("d" + i, true); $pml.test("d1", true)',
        );
        const [passed] = events;
        expect(passed?.kind === "passed" && [passed.marks.length, passed.marks[0]?.count]).toEqual([
          20_000, 2,
        ]);
      });

      it("[EX-1] leads to nothing", async () => {
        const code = `const all = Reflect.ownKeys($pml).map((key) => $pml[key]);
          const tries = [() => { $pml.test = 1; }, () => { $pml.x = 1; }, () => { delete $pml.test; }, () => { all[0].x = 1; }, () => $pml.test.constructor("return 1")()];
          return [Object.getPrototypeOf($pml), Object.isFrozen($pml), all.every((f) => Object.getPrototypeOf(f) === null && Reflect.ownKeys(f).length === 0 && Object.isFrozen(f)),
            tries.map((attempt) => { try { attempt(); return "done"; } catch (e) { return e.name; } }), arguments.length, typeof this]`;
        expect(await result(sandbox, code)).toEqual([
          null,
          true,
          true,
          Array(5).fill("TypeError"),
          0,
          "undefined",
        ]);
      });

      it("[EX-1] holds beside code that has broken its own realm", async () => {
        const code = `const { defineProperty, create } = Object, { ownKeys, deleteProperty } = Reflect, { then } = Promise.prototype;
          const thrower = () => { throw new Error("broken"); };
          const trap = create(null); trap.get = trap.set = thrower; trap.configurable = true;
          const promise = Promise.resolve(1), sleep = new Promise((wake) => setTimeout(wake, 5));
          const protos = [Object.prototype, Array.prototype, String.prototype, Map.prototype, RegExp.prototype, Promise.prototype];
          const names = ["0", "1", "2", "3", "d1", "true", "again", "id", "outcome", "count", "next", "then", "value", "get", "set", "writable"];
          for (let p = 1; p < protos.length; p++) {
            const keys = ownKeys(protos[p]);
            for (let k = 0; k < keys.length; k++) if (keys[k] !== "constructor") try { protos[p][keys[k]] = thrower; } catch {}
          }
          const lay = (on, name) => { try { defineProperty(on, name, trap); } catch {} };
          lay(Promise, Symbol.species); lay(Promise.prototype, "constructor");
          for (let n = 0; n < names.length; n++) { lay(protos[0], names[n]); lay(protos[1], names[n]); }
          $pml.test("d1", true); $pml.nullish("d2", null); $pml.outcome("d3", "ok"); $pml.enter("l1"); $pml.again("l1"); $pml.join("j1", promise);
          const given = $pml.given("path", "literal"), use = typeof $pml.use("n1", mcp.a.b);
          for (let n = 0; n < names.length; n++) { deleteProperty(protos[0], names[n]); deleteProperty(protos[1], names[n]); }
          try { deleteProperty(Promise.prototype, "constructor"); Promise.prototype.then = then; } catch {}
          await sleep;
          return given + use`;
        const { outcome, path } = await walk(code);
        expect(resultOf(outcome)).toBe("literalfunction");
        expect(path).toBe("d1=true, d2=nullish, d3=ok, l1, l1=again, j1");
      });
    });

    describe("nothing is shared", () => {
      it("[EX-1] between one run and the next", async () => {
        const first = `globalThis.leak = 1;
          const change = (job) => { try { job(); return "changed"; } catch (error) { return error.name; } };
          return [globalThis.leak, change(() => { Object.prototype.polluted = "yes"; }), change(() => { Array.prototype.map = () => "pwned"; }),
            change(() => { JSON.parse = () => "pwned"; }), change(() => { Promise.prototype.then = null; }), change(() => { Math.random = () => 0.5; })]`;
        await check(first, [1, ...Array(5).fill("TypeError")]);
        const second =
          "return [typeof globalThis.leak, typeof {}.polluted, [1].map((x) => x + 1), JSON.parse('[1]'), Math.random() === 0.5]";
        await check(second, ["undefined", "undefined", [2], [1], false]);
      });

      it("[EX-1] and code that has broken its own realm still gets its calls and its result", async () => {
        const code = `for (const proto of [Array.prototype, String.prototype, Map.prototype, RegExp.prototype, Promise.prototype, Uint8Array.prototype])
            for (const key of Object.getOwnPropertyNames(proto)) if (key !== "constructor") try { proto[key] = () => { throw new Error("broken"); }; } catch {}
          for (const [on, key] of [[Object.prototype, "get"], [Object.prototype, "set"], [Object.prototype, "value"], [Array.prototype, "toJSON"], [JSON, "stringify"], [JSON, "parse"], [Reflect, "apply"], [Object, "keys"]])
            try { on[key] = () => "hooked"; } catch {}
          const answer = await mcp.a.b({ x: 1 });
          console.log("still here");
          return answer.path.length`;
        const { outcome, calls, events } = await tryCode(sandbox, code, {
          call: async ({ path }) => value({ path: [...path] }),
        });
        expect(resultOf(outcome)).toBe(2);
        expect(calls).toHaveLength(1);
        expect(events).toEqual([{ kind: "log", level: "info", text: "still here" }]);
      });
    });

    describe("time and randomness", () => {
      const code = `const first = [Date.now(), Date.now(), Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint16Array(2))]];
        const until = Date.now() + 20; while (Date.now() < until);
        const answer = await mcp.a.b({ at: new Date().toISOString() });
        return [...first, answer.args.at, Date.now(), Math.random()]`;

      it("[EX-8] read the same again from the readings and the seed of an earlier run", async () => {
        const earlier = await tryCode(sandbox, code);
        const later = await tryCode(sandbox, code, { clock: earlier.outcome.clock });
        expect(resultOf(later.outcome)).toEqual(resultOf(earlier.outcome));
        expect(later.outcome.clock).toEqual(earlier.outcome.clock);
        expect(earlier.outcome).toMatchObject({ kind: "returned", usedRandomness: true });
        expect(earlier.calls[0]?.clock).toEqual(
          earlier.outcome.clock.slice(0, earlier.calls[0]?.clock?.length),
        );
        const other = await tryCode(sandbox, "return Math.random()", { seed: "ff".repeat(32) });
        expect(resultOf(other.outcome)).not.toBe(await result(sandbox, "return Math.random()"));
      });

      it("[EX-8] go on from the last reading when the readings are used up", async () => {
        const clock = [
          [5, 2],
          [1_000, 1],
        ] as const;
        const { outcome } = await tryCode(
          sandbox,
          "return [Date.now(), Date.now(), Date.now(), Date.now()]",
          { clock },
        );
        const [a, b, c, d] = resultOf(outcome) as readonly [number, number, number, number];
        expect([a, b, c]).toEqual([STARTED_AT + 5, STARTED_AT + 5, STARTED_AT + 1_005]);
        expect(d).toBeGreaterThanOrEqual(c);
        expect(d).toBeLessThan(c + 5_000);
      });

      it("[FP-14] and a run that reads neither says so", async () => {
        expect(
          (await tryCode(sandbox, "return new Date(0).getTime() + Date.UTC(1970)")).outcome,
        ).toMatchObject({
          clock: [],
          usedRandomness: false,
        });
      });

      it("every way to the time is the run's clock", async () => {
        const all = `class Later extends Date {}
          return [new Date(), Date(), new Date().constructor.now(), new Later(), new Later() instanceof Date, Date.prototype.constructor === Date,
            typeof Temporal, typeof performance, new Date(2020, 1).getMonth(), Date.name, Date.length]`;
        const values = (await result(sandbox, all, {
          startedAt: 86_400_000,
          clock: [[0, 100]],
        })) as unknown[];
        expect(values[0]).toBe("1970-01-02T00:00:00.000Z");
        expect(values[1]).toContain("1970");
        expect(values.slice(2)).toEqual([
          86_400_000,
          "1970-01-02T00:00:00.000Z",
          true,
          true,
          "undefined",
          "undefined",
          1,
          "Date",
          7,
        ]);
        const formats =
          "return typeof Intl === 'undefined' ? '1970 1970' : new Intl.DateTimeFormat('en', { year: 'numeric' }).format() + ' ' + new Intl.DateTimeFormat('en', { year: 'numeric' }).formatToParts()[0].value";
        expect(await result(sandbox, formats, { startedAt: 86_400_000 })).toBe("1970 1970");
      });
    });

    it("says what it is", async () => {
      const status = await sandbox.status();
      expect(status).toMatchObject({ state: "ready" });
      expect(status.defences.length).toBeGreaterThan(5);
      for (const defence of status.defences) expect(defence.name).toMatch(/^[a-z-]+$/);
    });
  });
}

const PROMISED =
  "console structuredClone URL URLSearchParams TextEncoder TextDecoder atob btoa setTimeout clearTimeout crypto Map JSON".split(
    " ",
  );

const GONE =
  "eval Function WebAssembly SharedArrayBuffer Atomics Temporal performance process require module Buffer global fetch XMLHttpRequest WebSocket Deno Bun window document self navigator localStorage sessionStorage caches Worker setInterval setImmediate queueMicrotask postMessage MessageChannel BroadcastChannel EventTarget Event dispatchEvent addEventListener std os gc importScripts name close".split(
    " ",
  );
