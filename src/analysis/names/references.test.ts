import { describe, expect, it } from "vitest";
import { sampleVocabulary } from "../../../test/support/sample-vocabulary.js";
import { analyse } from "../analyse.js";

const SHORT: Readonly<Record<string, string>> = {
  "local.default.fs.read_json.a7f3": "cap read_json",
  "local.default.misc.sum.beef": "cap sum",
};

/** Code in (`§` is a dollar sign); out come the calls in order of their nodes, problems, and `?` for a computed reference. */
function check(code: string, expected: string): void {
  const { calls, problems, hasComputedCalls } = analyse(code.replaceAll("§", "$"), sampleVocabulary);
  const found = calls.map(({ node, target }, index) => {
    expect(node).toBe(`n${index + 1}`);
    return target.kind === "tool" ? target.id : (SHORT[target.ref] ?? target.ref);
  });
  const wrong = problems.map(({ message, hint }) => `${message}. ${hint}`);
  expect([...found, ...wrong, ...(hasComputedCalls ? ["?"] : [])].join(", ")).toBe(expected);
}

describe("[AN-2] calls", () => {
  it.each([
    ["mcp.t.echo({})", "t:echo"],
    ['mcp["t:echo"]({})', "t:echo"],
    [
      "mcp.fs.readFile({}); mcp.fs['read-file']({}); mcp.fs.read_file({})",
      "fs:read_file, fs:read_file, fs:read_file",
    ],
    ["capabilities.old_name({}); capabilities.oldName({})", "cap sum, cap sum"],
    ['capabilities.fs.read_json({}); capabilities["fs:read_json"]({})', "cap read_json, cap read_json"],
    ['mcp["local.default.fs.read_json.a7f3"]({}); mcp.fs.readJson({})', "cap read_json, cap read_json"],
    ["mcp?.t?.echo?.({})", "t:echo"],
    ["(mcp as any).t!.echo<T>({}); (mcp.t.echo)({})", "t:echo, t:echo"],
    ["mcp[`t:echo`](); mcp['t:' + `echo`]()", "t:echo, t:echo"],
    ["const name = 't:echo' as const; mcp[name]()", "t:echo"],
    ["const s = 't', n = `§{s}:echo`; mcp[n]()", "t:echo"],
    ["async function f() { return mcp.t.echo({}) } await f(); await f()", "t:echo"],
    ["let t; t = mcp.t; t.echo()", "t:echo"],
    ["let echo; echo = mcp.t.echo; echo()", "t:echo"],
    ["const f = (t, x) => t.echo({ text: x }); f(mcp.t, 1); f(mcp.t, 2)", "t:echo"],
    ["async function f(m) { await m.t.echo(); } f(mcp)", "t:echo"],
    ["(async (t) => { await t.echo(); })(mcp.t)", "t:echo"],
    ["const f = (c) => c.read_json({}); f(capabilities.fs)", "cap read_json"],
    ["[1].map(mcp.t.echo); f({ a: mcp.t.danger })", "t:echo, t:danger"],
    ["(a ? mcp.t.echo : mcp.t.danger)({})", "t:echo, t:danger"],
    ["mcp.t.echo.call(mcp.t, {}); const f = mcp.t.danger.bind(mcp.t)", "t:echo, t:danger"],
    ["globalThis.mcp.t.echo({})", "t:echo"],
    ["if (mcp.t && mcp.t.echo && typeof mcp.x.y) f()", ""],
    ["for (const name in mcp) f(name)", ""],
    ["let x: typeof mcp.t.echo; const o = { mcp: 1 }; o.mcp; args.mcp.t.echo()", ""],
  ])("%j", check);
});

describe("[AN-2] calls through variables", () => {
  it.each([
    ["const t = mcp.t; t.echo({})", "t:echo"],
    ["let t = mcp.t; var e = t.echo; e({})", "t:echo"],
    ["const { echo } = mcp.t; echo({})", "t:echo"],
    ["const { t: { echo: e, danger } } = mcp; e({}); danger({})", "t:echo, t:danger"],
    ["const { 't:echo': e, ['t']: { danger } } = mcp; e(); danger()", "t:echo, t:danger"],
    ["const a = mcp; const b = a.t; const { danger: d } = b; d()", "t:danger"],
    ["const { fs } = capabilities; fs.readJson({})", "cap read_json"],
    ["const run = () => t.echo({}); const t = mcp.t; run()", "t:echo"],
    ["const t = mcp.t; { const t = { echo() {} }; t.echo() }", ""],
    ["(function t() { const t = mcp.t; t.echo({}) })()", "t:echo"],
    ["const mcp = {}; mcp.t.echo()", ""],
    ["f(({ mcp }) => mcp.t.echo())", ""],
  ])("%j", check);
});

describe("[AN-12] references that only the run can tell", () => {
  it.each([
    "mcp[name]()",
    "mcp.t[args.which]({})",
    "mcp[`t:§{x}`]()",
    "Object.values(mcp)",
    "f(mcp); g(mcp.t)",
    "({ ...mcp })",
    "return { mcp }",
    "let t = mcp.t; t = x; t.echo()",
    "let t; if (a) t = mcp.t; else t = mcp.u; t.echo()",
    "let t; f((t = mcp.t)); t.echo()",
    "const f = (t) => t.echo(); f(mcp.t); f(mcp.u)",
    "const f = (t) => t.echo(); f(mcp.t); g(f)",
    "const f = (t) => { t = x; t.echo(); }; f(mcp.t)",
    "if (a) { var t = mcp.t } t.echo()",
    "switch (a) { case 1: let t = mcp.t; break; default: t.echo() }",
    "t.echo(); var t = mcp.t",
    "const { a, ...rest } = mcp.t; rest.echo()",
    "const { [x]: e } = mcp.t; e()",
    "const [e] = mcp.t; e()",
    "mcp.t = 1",
    "delete mcp.t",
    "globalThis[x].t.echo()",
    "const g = globalThis; g.mcp.t.echo()",
    "let name = 't:echo'; name = x; mcp[name]()",
    "const go = ({ t }) => t.echo(); go(mcp)",
  ])("%j", (code) => check(code, "?"));
});

describe("[AN-2] names that nothing has", () => {
  it.each([
    ["mcp.t.ecco({})", 'Unknown tool "t:ecco" (mcp.t.ecco). Did you mean mcp.t.echo?'],
    ["const { ecco: e } = mcp.t; e()", 'Unknown tool "t:ecco" (mcp.t.ecco). Did you mean mcp.t.echo?'],
    ['mcp["t:ecco"]()', 'Unknown tool "t:ecco" (mcp["t:ecco"]). Did you mean mcp.t.echo?'],
    ["[].map(mcp.t.ecco)", 'Unknown tool "t:ecco" (mcp.t.ecco). Did you mean mcp.t.echo?'],
    [
      "capabilities.zzzzzz()",
      "Capability not found: zzzzzz. tools/list and cap_list list the existing names",
    ],
    [
      "capabilities.fs.read_jsn()",
      "Capability not found: fs:read_jsn. Did you mean capabilities.fs.read_json?",
    ],
    [
      'mcp["a.b.c.d.e0e0"]()',
      "Capability not found: a.b.c.d.e0e0. tools/list and cap_list list the existing names",
    ],
    ["mcp('t:echo')", "t:echo"],
    [
      "mcp({ x })",
      "Cannot call a tool through mcp: code calls it by its name. Write mcp.server.tool(args), or mcp[name](args) if the name is computed.",
    ],
    ["if (mcp.t.ecco) f()", ""],
  ])("%j", check);
});

describe("[AN-3] nodes are numbered in order of evaluation", () => {
  it.each([
    ["mcp.t.echo(await mcp.t.danger())", "t:danger, t:echo"],
    ["mcp.t.echo().then(mcp.t.danger)", "t:echo, t:danger"],
    ["mcp.t.echo().then(() => mcp.t.danger()).then(() => mcp.fs.write(args))", "t:echo, t:danger, fs:write"],
    ["const { a = mcp.t.danger() } = await mcp.t.echo()", "t:echo, t:danger"],
    [
      "for (mcp.t.echo(); mcp.t.danger(); mcp.fs.write(args)) mcp.fs.readFile()",
      "t:echo, t:danger, fs:read_file, fs:write",
    ],
    ["for (const x of mcp.t.echo()) mcp.t.danger()", "t:echo, t:danger"],
    ["do mcp.t.echo(); while (mcp.t.danger())", "t:echo, t:danger"],
    ["return { a: mcp.t.echo(), b: [mcp.t.danger(), mcp.fs.write(args)] }", "t:echo, t:danger, fs:write"],
  ])("%j", check);
});

it("[AN-2] a call has the position of what it calls", () => {
  const { calls } = analyse("const t = mcp.t;\n  await t\n    .echo({});", sampleVocabulary);
  expect(calls.map(({ line, column }) => `${line}:${column}`)).toEqual(["2:9"]);
});

it("[AN-10] tools and dependencies are listed once, with what to tell the writer", () => {
  const code =
    "capabilities.old_name(); mcp.t.echo(); mcp.fs.readJson(); capabilities.oldName(); mcp.t.echo(); mcp.fs.write(args)";
  const { toolsUsed, dependencies, warnings } = analyse(code, sampleVocabulary);
  expect(toolsUsed).toEqual(["t:echo", "fs:write"]);
  expect(dependencies).toEqual(["local.default.misc.sum.beef", "local.default.fs.read_json.a7f3"]);
  expect(warnings).toEqual(['Deprecated: Using alias "old_name" for capability "sum". Update your code.']);
});
