/** Code that tries to make code from text, to leave the function that it is put into, or to look like something else. */
import { contained, error, type HostileCase, hostile, REFUSED, SYNTAX, value } from "../hostile-case.js";

/** Code that leaves its function is still in the realm: it finds nothing there that it does not have anyway. */
const OUTSIDE = { kind: "anything" } as const;

/** Each gives something whose `constructor` might make functions from text. */
const MAKERS: Readonly<Record<string, string>> = {
  function: "() => {}",
  "async-function": "async () => {}",
  generator: "function* () {}",
  "async-generator": "async function* () {}",
  bound: "(() => {}).bind(null)",
  class: "class {}",
  method: "({ m() {} }).m",
  getter: 'Object.getOwnPropertyDescriptor({ get g() { return 1; } }, "g").get',
  "built-in-getter": 'Object.getOwnPropertyDescriptor(Map.prototype, "size").get',
  "promised-function": "structuredClone",
  "promised-class": "URL",
  "console-method": "console.log",
  "progress-function": "pml.progress",
  "timer-function": "setTimeout",
  "random-function": "crypto.randomUUID",
  "call-function": "mcp.test.echo",
  proxy: "new Proxy(() => {}, {})",
  "prototype-of-function": "Object.getPrototypeOf(() => {})",
  "prototype-of-async-generator": "Object.getPrototypeOf(async function* () {})",
  "promise-resolver": "await new Promise((done) => done({ f: done })).then((o) => o.f)",
  "thenable-resolver": "(await { then(done) { done([done]); } })[0]",
  reviver: 'JSON.parse("[1]", function () { return this.constructor; })',
  species: "class extends Promise { static get [Symbol.species]() { return Object; } }",
  "error-of-engine": "(() => { try { null.x; } catch (e) { return e.constructor; } })()",
  "error-of-clone": "(() => { try { structuredClone(() => 1); } catch (e) { return e.constructor; } })()",
  "error-of-tool": "await mcp.test.fail({}).catch((e) => e.constructor)",
  "result-of-tool": "(await mcp.test.echo({ a: [1] })).constructor",
  "promise-of-tool": "mcp.test.echo({}).constructor",
  args: "args.constructor",
  "iterator-of-params": "Object.getPrototypeOf(new URLSearchParams().entries()).next",
  date: "Date",
  "date-constructor": "new Date(0).constructor",
};

function made(name: string, maker: string): HostileCase {
  const code = `
    const text = "return 'made from text'"; let thing = ${maker}; const tried = [];
    const ways = [
      (f) => f.constructor(text)(), (f) => new f.constructor(text)(), (f) => Reflect.construct(f.constructor, [text])(),
      (f) => Object.getPrototypeOf(f).constructor(text)(), (f) => f.constructor\`return 'made from text'\`(),
      (f) => f.constructor.constructor(text)(), (f) => f.constructor(text)().next().value, (f) => f.__proto__.__proto__.constructor.constructor(text)(),
      (f) => f.constructor.call(null, text)(), (f) => Reflect.apply(f.constructor, null, [text])(),
    ];
    for (const way of ways) { try { const out = await way(thing); tried.push(typeof out === "string" && out.includes("made from text") ? "made" : "no"); } catch { tried.push("no"); } }
    return tried.includes("made");`;
  return hostile(`escapes/constructor-of-${name}`, code, value(false), {
    defences: ["no-code-generation"],
    callsMost: 25,
    limits: { toolCalls: 25 },
  });
}

export const ESCAPES: readonly HostileCase[] = [
  ...Object.entries(MAKERS).map(([name, maker]) => made(name, maker)),
  hostile("escapes/eval", `return eval("40 + 2");`, error(), {
    gate: REFUSED,
    defences: ["ast-gate", "no-code-generation"],
  }),
  hostile("escapes/eval-indirect", `return (0, eval)("40 + 2");`, error(), { gate: REFUSED }),
  hostile("escapes/eval-escaped-name", String.raw`return \u0065v\u{61}l("40 + 2");`, error(), {
    gate: REFUSED,
  }),
  hostile("escapes/function-escaped-name", String.raw`return \u0046unction("return 1")();`, error(), {
    gate: REFUSED,
  }),
  hostile(
    "escapes/eval-computed",
    String.raw`return [globalThis["ev" + "al"], globalThis["\u0046unction"], Reflect.get(globalThis, "eval")].map((x) => typeof x);`,
    value(["undefined", "undefined", "undefined"]),
    { defences: ["no-code-generation"] },
  ),
  hostile(
    "escapes/constructor-put-back",
    `const proto = Object.getPrototypeOf(() => {}); const out = [];
     try { delete proto.constructor; out.push(typeof (() => {}).constructor); } catch { out.push("undefined"); }
     try { Object.defineProperty(proto, "constructor", { get: () => 1 }); out.push("defined"); } catch { out.push("undefined"); }
     try { Object.setPrototypeOf(proto, { constructor: 1 }); } catch {} out.push(typeof (() => {}).constructor);
     class Derived extends Object.assign(function () {}, {}) {} out.push(typeof Derived.constructor); return out;`,
    value(["undefined", "undefined", "undefined", "undefined"]),
    { defences: ["no-code-generation"] },
  ),
  hostile(
    "escapes/static-block",
    `let out = "none"; class A { static { try { out = A.constructor("return 1")(); } catch { out = "refused"; } } static [(() => "x")()] = 1; } return out;`,
    value("refused"),
  ),
  hostile(
    "escapes/arguments-callee",
    `const f = function () { try { return arguments.callee; } catch { return "refused"; } }; const g = function () { try { return String(g.caller); } catch { return "refused"; } }; return [f(), g()];`,
    value(["refused", "refused"]),
  ),
  hostile("escapes/arguments-of-wrapper", `return arguments[0];`, error(), {
    behindGate: OUTSIDE,
    gate: [...REFUSED, ...SYNTAX],
  }),
  hostile("escapes/new-target", `return new.target;`, error(), {
    behindGate: OUTSIDE,
    gate: [...REFUSED, ...SYNTAX],
  }),
  hostile(
    "escapes/callers-of-conversions",
    `const seen = []; const spy = (name) => ({ [Symbol.toPrimitive]() { try { seen.push(typeof spy.caller); } catch { seen.push("refused"); } return 1; }, toJSON() { return name; }, toString() { return name; } });
     try { setTimeout(() => {}, spy("a")); } catch {} try { await mcp.test.echo({ spy: spy("b") }); } catch {} try { btoa(spy("c")); } catch {} try { new URL(spy("d"), "http://x"); } catch {}
     console.log(spy("e")); return seen.every((s) => s === "refused" || s === "undefined");`,
    value(true),
    { callsMost: 1 },
  ),
  // Out of the wrapper.
  hostile("escapes/close-wrapper", `}); globalThis.out = 1; (async () => {`, error(), {
    behindGate: OUTSIDE,
    gate: SYNTAX,
  }),
  hostile("escapes/close-both-wrappers", `} }; return "outside"; (() => { () => {`, error(), {
    behindGate: OUTSIDE,
    gate: SYNTAX,
  }),
  hostile("escapes/close-and-call", `return 1 })(); mcp.test.echo({}); (async () => {`, error(), {
    behindGate: OUTSIDE,
    gate: SYNTAX,
  }),
  hostile("escapes/close-arrow", `return 1\n}\nglobalThis.out = 2\n{`, error(), {
    behindGate: OUTSIDE,
    gate: SYNTAX,
  }),
  hostile("escapes/comma-after-wrapper", `}, async () => { return "second"`, error(), {
    behindGate: OUTSIDE,
    gate: SYNTAX,
  }),
  hostile("escapes/open-comment", `return 1 /* to the end`, error(), { gate: SYNTAX }),
  hostile("escapes/line-comment-last", `return 42 // } not closed`, value(42)),
  hostile("escapes/open-template", "return `${1", error(), { gate: SYNTAX }),
  hostile("escapes/hashbang", `#!/usr/bin/env node\nreturn 1;`, error(), { gate: SYNTAX }),
  hostile("escapes/source-url", `throw new Error("x");\n//# sourceURL=file:///etc/passwd`, error(/x/)),
  hostile("escapes/source-url-first", `//# sourceURL=pml:other.unit\nthrow new Error("x");`, error(/x/)),
  hostile("escapes/line-separators", "const a = 1; // comment\u2028return a + 1;", value(2)),
  hostile("escapes/byte-order-mark", "\uFEFFreturn 1;", value(1)),
  hostile("escapes/with", `with (globalThis) { return 1; }`, error(), { gate: [...REFUSED, ...SYNTAX] }),
  hostile("escapes/assign-mcp", `mcp = { test: null }; return 1;`, contained(1), { gate: REFUSED }),
  hostile(
    "escapes/shadowed-names",
    `const mcp = 1, capabilities = 2, console = 3, args = 4, pml = 5; return [mcp, capabilities, console, args, pml];`,
    value([1, 2, 3, 4, 5]),
  ),
  // Words of the language written so that a reader may not know them.
  hostile("escapes/import-escaped-start", String.raw`return await \u0069mport("node:os");`, error(), {
    gate: [...SYNTAX, ...REFUSED],
  }),
  hostile("escapes/import-escaped-middle", String.raw`return await imp\u006frt("node:os");`, error(), {
    gate: [...SYNTAX, ...REFUSED],
  }),
  hostile(
    "escapes/import-in-comment-line",
    `return await /* x */ import /* y */ ("node:fs").then((fs) => fs.readFileSync("%FILE%", "utf8"));`,
    error(),
    {
      gate: REFUSED,
    },
  ),
  hostile(
    "escapes/import-in-parameter",
    `const f = async (a = import("node:fs")) => (await a).readFileSync("%FILE%", "utf8"); return await f();`,
    error(),
    {
      gate: REFUSED,
    },
  ),
  hostile(
    "escapes/import-in-template",
    "return `$" + "{Object.keys(await import('node:os'))}`;",
    contained(),
    {
      gate: REFUSED,
    },
  ),
  hostile(
    "escapes/import-behind-gate",
    `return (await import("data:text/javascript,export default 1 + 1")).default;`,
    contained(),
    {
      gate: REFUSED,
      defences: ["no-import"],
    },
  ),
  hostile(
    "escapes/import-of-text",
    `return (await import("data:text/javascript,export default 1 + 1")).default;`,
    contained(),
    {
      gate: REFUSED,
      // A module made of text loads in Deno, without any authority: that none is asked for is up to those who read.
      behindGate: { kind: "anything" },
      without: ["no-import"],
      defences: ["ast-gate"],
    },
  ),
  /*
   * The gate reads a module, where `<!--` is three operators; scripts know it as the start of a comment. What the gate
   * takes for a template is then code.
   */
  hostile(
    "escapes/html-comment-open",
    "const x = { y: 1 }; const z = 1 <!--x[`\nreturn (await import('data:text/javascript,export default 1')).default;\n//`]; return 'kept';",
    contained("kept"),
    { gate: REFUSED },
  ),
  hostile(
    "escapes/html-comment-hides-call",
    "const x = { y: 1 }; const z = 1 <!--x[`\nreturn await mcp.test.echo({ hidden: true });\n//`]; return 'kept';",
    { kind: "anything" },
    { gate: REFUSED, callsMost: 1 },
  ),
  hostile(
    "escapes/html-comment-in-text",
    "return ['<!--', /<!--/.source, `<!--`, 1 < 2 /* <!-- */].length; // <!--",
    value(4),
  ),
  hostile("escapes/html-comment-close", "return 1;\n--> import('node:os')", contained(1), {
    gate: [...SYNTAX, ...REFUSED],
  }),
  /* Where types are taken out, what stood behind them must not become the rest of the line before. */
  hostile(
    "escapes/regexp-after-type",
    "let g = 1, x = 1, out = 'kept'\nx\ntype T = 1\n/(out = 'divided')/g\nreturn out",
    value("kept"),
  ),
  hostile(
    "escapes/regexp-after-interface",
    "let g = 1, x = 1, out = 'kept'\nx\ninterface I { a: 1 }\n/(out = 'divided')/g\nreturn out",
    value("kept"),
  ),
  hostile(
    "escapes/regexp-after-declare",
    "let g = 1, x = 1, out = 'kept'\nx\ndeclare const y: number\n/(out = 'divided')/g\nreturn out",
    value("kept"),
  ),
  hostile(
    "escapes/call-after-type",
    "let out = 'kept'\nconst f = () => { out = 'called' }\nconst g = f\ntype T = 1\n(0)\nreturn out",
    value("kept"),
  ),
  hostile(
    "escapes/import-type",
    `let s: import("node:fs").Stats | undefined; return s === undefined;`,
    contained(true),
  ),
  hostile(
    "escapes/type-arguments",
    `const f = <T,>(x: T) => x; return f<typeof import("node:fs")>(1 as never);`,
    contained(1),
  ),
  hostile("escapes/decorator", `const d = (x: unknown) => x; @d class A {} return 1;`, error(), {
    gate: [...REFUSED, ...SYNTAX],
  }),
  hostile("escapes/enum", `enum E { A = (globalThis as any).x = 1 } return E.A;`, error(), { gate: REFUSED }),
  hostile(
    "escapes/odd-identifiers",
    "const \u02bca = 1, ünïcode = 2, \u{1d4d0} = 3; return \u02bca + ünïcode + \u{1d4d0};",
    value(6),
  ),
  hostile("escapes/node-id-of-another", `return await mcp.test.echo({ a: 1 }, "n999\\n");`, value({ a: 1 }), {
    callsMost: 1,
  }),
  hostile("escapes/deep-code", `return ${"[".repeat(5_000)}${"]".repeat(5_000)};`, contained(), {
    gate: ["LIMIT_EXCEEDED", ...SYNTAX],
  }),
  hostile("escapes/long-code", `return "${"x".repeat(300_000)}".length;`, contained(300_000), {
    gate: ["LIMIT_EXCEEDED"],
  }),
];
