import { describe, expect, it } from "vitest";
import { flowText } from "../../../test/support/data-flow.js";

/** Code in (`§` is a dollar sign), edges out: `n1>n2 strict content>json`, `!` where types cannot agree. */
function check(code: string, expected: string): void {
  expect(flowText(code.replaceAll("§", "$")).edges).toBe(expected);
}

describe("[AN-5] what is taken out of a result flows on", () => {
  it.each([
    [
      "const f = await mcp.fs.read({ path: args.p }); await mcp.json.parse({ json: f.content })",
      "n1>n2 strict content>json",
    ],
    [
      'const f = await mcp.fs.read({ path: "a" }); const { value } = await mcp.json.parse({ json: f.content }); await mcp.http.post({ url: args.url, body: value })',
      "n1>n2 strict content>json; n2>n3 partial value>body",
    ],
    [
      'await mcp.json.parse({ json: (await mcp.fs.read({ path: "a" })).content })',
      "n1>n2 strict content>json",
    ],
    [
      'const { content: text, ...rest } = await mcp.fs.read({ path: "a" }); await mcp.fs.write({ path: rest.size, content: text })',
      "n1>n2 strict size>path!,content>content",
    ],
    [
      'const { content = "none" } = await mcp.fs.read({ path: "a" }); await mcp.json.parse({ json: content })',
      "n1>n2 strict content>json",
    ],
    [
      'const { owner: { name } } = await mcp.fs.stat({ path: "a" }); await mcp.fs.read({ path: name })',
      "n1>n2 strict owner>path",
    ],
    [
      'let f; f = await mcp.fs.read({ path: "a" }); await mcp.json.parse({ json: f!.content as string })',
      "n1>n2 strict content>json",
    ],
    [
      'const f = await mcp.fs.read({ path: "a" }); await mcp.json.parse({ json: f?.content ?? "{}" })',
      "n1>n2 strict content>json",
    ],
    [
      'const f = await mcp.fs.read({ path: "a" }); await mcp.json.parse({ json: args.raw || f["content"] })',
      "n1>n2 strict content>json",
    ],
    [
      'const a = await mcp.fs.read({ path: "a" }), b = await mcp.http.get({ url: "b" }); await mcp.json.parse({ json: args.x ? a.content : b.body })',
      "n1>n3 strict content>json; n2>n3 strict body>json",
    ],
    [
      "let m; while ((m = await mcp.fs.read({ path: args.p })).size) await mcp.json.parse({ json: m.content })",
      "n1>n2 strict content>json",
    ],
    [
      'const a = await mcp.fs.read({ path: "a" }); await mcp.fs.write({ path: "b", content: (a.size, a.content) })',
      "n1>n2 partial content>content",
    ],
  ])("%j", check);
});

describe("[AN-5] types are those of the very part, and of what is made of it", () => {
  it.each([
    [
      'const q = await mcp.db.query({ sql: "s" }); await mcp.fs.read({ path: q.rows[0].name })',
      "n1>n2 strict rows>path",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); await mcp.fs.read({ path: q.rows[0].id })',
      "n1>n2 strict rows>path!",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); await mcp.db.query({ sql: "t", limit: q.rows.length })',
      "n1>n2 optional rows>limit",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); await mcp.fs.read({ path: q.rows.length })',
      "n1>n2 strict rows>path!",
    ],
    [
      'const s = await mcp.fs.stat({ path: "a" }); await mcp.fs.read({ path: `§{s.size}` }); await mcp.fs.read({ path: String(s.size) }); await mcp.fs.read({ path: s.size + 1 })',
      "n1>n2 strict size>path; n1>n3 strict size>path; n1>n4 strict size>path",
    ],
    [
      'const s = await mcp.fs.stat({ path: "a" }); await mcp.db.query({ sql: "s", limit: JSON.stringify(s) })',
      "n1>n2 optional $>limit!",
    ],
    [
      'const s = await mcp.fs.read({ path: "a" }); await mcp.http.post({ url: "u", body: JSON.parse(s.content) })',
      "n1>n2 partial content>body",
    ],
    [
      'const s = await mcp.fs.read({ path: "a" }); await mcp.fs.write({ path: "b", content: s.content.trim().split("\\n")[0] })',
      "n1>n2 partial content>content",
    ],
  ])("%j", check);
});

describe("[AN-5] functions of the code are followed", () => {
  it.each([
    [
      "const load = async (path) => (await mcp.fs.read({ path })).content; await mcp.json.parse({ json: await load(args.a) })",
      "n1>n2 strict content>json",
    ],
    [
      'async function load({ path, enc = "utf8" }) { const { content } = await mcp.fs.read({ path, encoding: enc }); return { text: content, path }; } const { text } = await load({ path: args.a }); await mcp.json.parse({ json: text })',
      "n1>n2 strict content>json",
    ],
    [
      'const put = (path, content) => mcp.fs.write({ path, content }); const r = await mcp.http.get({ url: args.u }); await put("a", r.body)',
      "",
    ],
    [
      "const put = ({ to, what }) => mcp.fs.write({ path: to, content: what }); const r = await mcp.http.get({ url: args.u }); await put({ to: args.to, what: r.body })",
      "",
    ],
    [
      'const all = (...paths) => mcp.fs.read({ path: paths[1] }); const r = await mcp.http.get({ url: "u" }); all("a", r.body)',
      "",
    ],
    [
      'const text = await (async () => { const r = await mcp.http.get({ url: "u" }); return r.body; })(); await mcp.json.parse({ json: text })',
      "n1>n2 strict body>json",
    ],
    [
      "const retry = async (fn) => { try { return await fn(); } catch { return fn(); } }; const r = await retry(() => mcp.http.get({ url: args.u })); await mcp.json.parse({ json: r.body })",
      "n1>n2 strict body>json",
    ],
    [
      "const io = { load: (path) => mcp.fs.read({ path }), find(x) { return x; } }; const f = await io.load(args.p); await mcp.json.parse({ json: io.find(f).content })",
      "n1>n2 strict content>json",
    ],
  ])("%j", check);
});

describe("[AN-5] promises and lists are followed", () => {
  it.each([
    [
      'mcp.fs.read({ path: "a" }).then((r) => mcp.json.parse({ json: r.content })).then(({ value }) => mcp.http.post({ url: "u", body: value }))',
      "n1>n2 strict content>json; n2>n3 partial value>body",
    ],
    [
      'const f = await mcp.fs.read({ path: "a" }).catch(() => mcp.fs.read({ path: "b" })).finally(() => 1); await mcp.json.parse({ json: f.content })',
      "n1>n3 strict content>json; n2>n3 strict content>json",
    ],
    [
      'const t = await mcp.fs.read({ path: "a" }).then((r) => r.content); await mcp.json.parse({ json: t })',
      "n1>n2 strict content>json",
    ],
    [
      "const { entries } = await mcp.fs.list({ path: args.d }); for (const e of entries) await mcp.fs.read({ path: `§{args.d}/§{e}` })",
      "n1>n2 strict entries>path",
    ],
    [
      'const l = await mcp.fs.list({ path: "d" }); await Promise.all(l.entries.map((path) => mcp.fs.read({ path })))',
      "n1>n2 strict entries>path",
    ],
    [
      'const l = await mcp.fs.list({ path: "d" }); const fs = await Promise.all(l.entries.map(async (path) => await mcp.fs.read({ path }))); await mcp.json.parse({ json: fs[0].content })',
      "n1>n2 strict entries>path; n2>n3 strict content>json",
    ],
    [
      'const l = await mcp.fs.list({ path: "d" }); l.entries.filter(Boolean).slice(1).forEach((path, i) => mcp.fs.write({ path, content: i }))',
      "n1>n2 partial entries>path",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); await mcp.fs.read({ path: q.rows.find((r) => r.id > 1)?.name }); await mcp.fs.read({ path: q.rows.at(-1).id })',
      "n1>n2 strict rows>path; n1>n3 strict rows>path!",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); const names = q.rows.map(({ name }) => name); await mcp.fs.write({ path: names[0], content: names.join() })',
      "n1>n2 strict rows>path,rows>content",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); await mcp.db.query({ sql: "t", limit: q.rows.reduce((sum, row) => sum + row.id, 0) })',
      "n1>n2 optional rows>limit",
    ],
    [
      'const [a, { body }] = await Promise.all([mcp.fs.read({ path: "a" }), mcp.http.get({ url: "u" })]); await mcp.fs.write({ path: a.content, content: body })',
      "n1>n3 partial content>path; n2>n3 partial body>content",
    ],
    [
      'const [, [x, y]] = await Promise.all([mcp.fs.read({ path: "a" }), Promise.all([mcp.http.get({ url: "x" }), mcp.fs.stat({ path: "y" })])]); await mcp.fs.write({ path: y.path, content: x.body })',
      "n2>n4 partial body>content; n3>n4 partial path>path",
    ],
    [
      'const rs = await Promise.allSettled([mcp.http.get({ url: "a" }), mcp.fs.read({ path: "b" })]); await mcp.json.parse({ json: rs[1].value.content })',
      "n2>n3 strict content>json",
    ],
    [
      'const { body } = await Promise.any([mcp.http.get({ url: "a" }), mcp.http.get({ url: "b" })]); await mcp.json.parse({ json: body })',
      "n1>n3 strict body>json; n2>n3 strict body>json",
    ],
    [
      'const p = mcp.http.get({ url: "a" }); const q = mcp.fs.read({ path: "b" }); const [g, f] = [await p, await q]; await mcp.fs.write({ path: g.body, content: f.content })',
      "n1>n3 partial body>path; n2>n3 partial content>content",
    ],
    [
      'const o = { f: await mcp.fs.read({ path: "a" }), g: await mcp.http.get({ url: "u" }) }; const { g } = o; await mcp.fs.write({ path: o.f.content, content: g.body })',
      "n1>n3 partial content>path; n2>n3 partial body>content",
    ],
  ])("%j", check);
});

describe("[AN-5] what is put into objects, lists and maps is found again", () => {
  it.each([
    [
      'const out = []; for (const u of args.urls) { const r = await mcp.http.get({ url: u }); out.push(r.body); } await mcp.fs.write({ path: "a", content: out.join("\\n") })',
      "n1>n2 partial body>content",
    ],
    [
      'const out = {}; out.text = (await mcp.fs.read({ path: "a" })).content; out.n = 1; await mcp.fs.write({ path: out.n, content: out.text })',
      "n1>n2 partial content>content",
    ],
    [
      'const m = new Map(); m.set("a", await mcp.fs.read({ path: "a" })); await mcp.json.parse({ json: m.get("a").content }); for (const [, v] of m) await mcp.json.parse({ json: v.content })',
      "n1>n2 strict content>json; n1>n3 strict content>json",
    ],
    [
      'const s = new Set(); s.add((await mcp.fs.read({ path: "a" })).content); for (const t of s) await mcp.json.parse({ json: t })',
      "n1>n2 strict content>json",
    ],
    [
      'const o = {}; Object.assign(o, { r: await mcp.http.get({ url: "u" }) }); await mcp.json.parse({ json: o.r.body })',
      "n1>n2 strict body>json",
    ],
    [
      'const groups = {}; const q = await mcp.db.query({ sql: "s" }); for (const r of q.rows) (groups[r.id] ??= []).push(r.name); for (const [k, names] of Object.entries(groups)) await mcp.fs.write({ path: names[0], content: k })',
      "n1>n2 strict rows>path,rows>content",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); const by = Object.fromEntries(q.rows.map((r) => [r.name, r])); await mcp.fs.read({ path: by.x.name }); for (const r of Object.values(by)) await mcp.db.query({ sql: "t", limit: r.id })',
      "n1>n2 strict rows>path; n1>n3 optional rows>limit",
    ],
    [
      'const all = [...(await mcp.db.query({ sql: "a" })).rows, ...(await mcp.db.query({ sql: "b" })).rows]; await mcp.fs.read({ path: all[0].name })',
      "n1>n3 strict rows>path; n2>n3 strict rows>path",
    ],
  ])("%j", check);
});

describe("[AN-5] variables that change, functions that call one another, tools as values", () => {
  it.each([
    [
      'let cursor = args.start; do { const r = await mcp.http.get({ url: cursor }); cursor = r.body; await mcp.fs.write({ path: "a", content: cursor }); } while (cursor)',
      "n1>n2 partial body>content",
    ],
    [
      'let x = args.a; await mcp.fs.read({ path: x }); x = (await mcp.http.get({ url: "u" })).body; await mcp.fs.write({ path: "p", content: x })',
      "n2>n3 partial body>content",
    ],
    [
      'let x = await mcp.fs.read({ path: "a" }); x = await mcp.http.get({ url: x.content }); await mcp.json.parse({ json: x.body })',
      "n1>n2 strict content>url; n2>n3 strict body>json",
    ],
    [
      'let x = await mcp.fs.read({ path: "a" }); if (args.c) x = await mcp.fs.read({ path: "b" }); await mcp.json.parse({ json: x.content })',
      "n1>n3 strict content>json; n2>n3 strict content>json",
    ],
    [
      'const even = (n, x) => (n ? odd(n - 1, x) : x), odd = (n, x) => even(n, x); const f = await mcp.fs.read({ path: "a" }); await mcp.json.parse({ json: even(2, f).content })',
      "n1>n2 strict content>json",
    ],
    [
      'function* each() { yield mcp.fs.read({ path: "a" }); } for (const p of each()) await mcp.json.parse({ json: (await p).content })',
      "n1>n2 strict content>json",
    ],
    [
      'const l = await mcp.fs.list({ path: "d" }); await Promise.all(l.entries.map(mcp.fs.read))',
      "n1>n2 optional entries>$",
    ],
    ['await mcp.fs.read({ path: "a" }).then(mcp.json.parse)', "n1>n2 optional $>$"],
  ])("%j", check);
});

describe("[AN-5] a result as the argument", () => {
  it.each([
    ['await mcp.fs.read(await mcp.fs.stat({ path: "a" }))', "n1>n2 strict path>path"],
    [
      'const s = await mcp.fs.stat({ path: "a" }); await mcp.fs.write({ ...s, content: "x" }); await mcp.fs.write({ content: "x", ...s }); await mcp.fs.write({ ...s, path: "x", content: "y" })',
      "n1>n2 partial path>path; n1>n3 partial path>path; n1>n4 optional $>$",
    ],
    ['await mcp.http.get(await mcp.fs.stat({ path: "a" }))', "n1>n2 optional $>$"],
    [
      'await mcp.fs.read(await mcp.t.any({})); await mcp.t.any(await mcp.fs.stat({ path: "a" }))',
      "n1>n2 optional $>$; n3>n4 optional $>$",
    ],
    [
      'const s = await mcp.fs.stat({ path: "a" }); const opts = { path: s.path }; await mcp.fs.read(opts)',
      "n1>n2 strict path>path",
    ],
    [
      'const s = await mcp.fs.stat({ path: "a" }); const opts = {}; opts.path = s.path; if (args.e) opts.encoding = s.owner.name; await mcp.fs.read(opts)',
      "n1>n2 strict path>path,owner>encoding",
    ],
  ])("%j", check);
});

describe("[AN-5] coverage and mapping, and what does not flow", () => {
  it.each([
    [
      'const s = await mcp.fs.read({ path: "a" }); await mcp.http.post({ url: "u", body: { page: s.content, count: s.size, tags: [s.content, "x"] } }); await mcp.http.post({ url: "u", body: { page: s.size, tags: [s.size] } })',
      "n1>n2 partial content>body,size>body; n1>n3 partial size>body!",
    ],
    [
      "const s = await capabilities.text.sum({ text: args.t }); await capabilities.text.sum({ text: s.text, language: s }); await capabilities.text.sum({ language: s.language })",
      "n1>n2 strict text>text,$>language; n1>n3 optional language>language",
    ],
    [
      'const f = await mcp.fs.read({ path: "a" }); await mcp.fs.read({ path: "b" }); await mcp.fs.write({ path: "c", content: "d" }); return f',
      "",
    ],
    [
      'const URLS = { a: "x", b: "y" }; const s = await mcp.fs.read({ path: "a" }); await mcp.http.get({ url: URLS[s.content] })',
      "n1>n2 strict content>url",
    ],
    [
      'const f = await mcp.fs.read({ path: "a" }); const g = async (r = f) => mcp.json.parse({ json: r.content }); await g()',
      "n1>n2 strict content>json",
    ],
    [
      'const s = await mcp.fs.stat({ path: "a" }); for (const k in s) await mcp.fs.read({ path: k }); for (const k of Object.keys(s)) await mcp.fs.read({ path: k })',
      "n1>n2 strict $>path; n1>n3 strict $>path",
    ],
    [
      'const add = (a) => (b) => a + b; const f = await mcp.fs.read({ path: "a" }); await mcp.json.parse({ json: add(1)(f.content) })',
      "n1>n2 strict content>json",
    ],
    [
      "const xs = await Promise.all([1, 2].map((n) => mcp.http.get({ url: `u/§{n}` }))); const bodies = xs.flatMap((x) => [x.body]); await mcp.fs.write({ path: bodies.length, content: bodies[0] })",
      "n1>n2 partial body>content",
    ],
    [
      'try { await mcp.fs.read({ path: "a" }); } catch (e) { await mcp.fs.write({ path: "log", content: String(e) }); }',
      "",
    ],
    [
      'const f = await mcp.fs.read({ path: "a" }); await mcp.db.query({ sql: "s", limit: -f.content }); await mcp.db.query({ sql: !f.content })',
      "n1>n2 optional content>limit; n1>n3 strict content>sql!",
    ],
  ])("%j", check);
});

describe("[AN-14] long code is followed to its end", () => {
  const lines = (count: number, line: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => line(index)).join("\n");

  it("a chain of calls", () => {
    const { edges } = flowText(
      `let r = await mcp.fs.read({ path: "a" });\n${lines(1_000, () => "r = await mcp.fs.read({ path: r.content });")}`,
    );
    expect(edges.split("; ").length).toBe(1_000);
    expect(edges).toContain("n1000>n1001 strict content>path");
  });

  it("a chain of variables", () => {
    const code = `const v0 = await mcp.fs.read({ path: "a" });\n${lines(3_000, (i) => `const v${i + 1} = v${i};`)}`;
    expect(flowText(`${code} await mcp.json.parse({ json: v3000.content })`).edges).toBe(
      "n1>n2 strict content>json",
    );
  });

  it("a value that goes round, ever deeper", () => {
    const code = `let x = await mcp.fs.read({ path: "a" }); for (;;) { ${lines(20, (i) => `if (args.a) x = x.k${i};`)} await mcp.json.parse({ json: x.content }) }`;
    expect(flowText(code).edges).toMatch(/^n1>n2 strict /);
  });

  it("functions that call one another in a ring", () => {
    const code = lines(200, (i) => `const f${i} = (x) => (x.a ? x : f${(i + 1) % 200}(x));`);
    expect(
      flowText(
        `${code} const r = await mcp.fs.read({ path: "a" }); await mcp.json.parse({ json: f0(r).content })`,
      ).edges,
    ).toBe("n1>n2 strict content>json");
  });
});

describe("[AN-5] callbacks and iterators", () => {
  it.each([
    ['mcp.fs.read({ path: "a" }).then((r) => mcp.fs.read({ path: r.size }))', "n1>n2 strict size>path!"],
    [
      'const q = await mcp.db.query({ sql: "s" }); const r = q.rows.reduce((acc, row) => ({ last: row.name, before: acc.last }), {}); await mcp.fs.read({ path: r.before })',
      "n1>n2 strict rows>path",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); q.rows.sort((a, b) => (mcp.fs.read({ path: b.id }), 0))',
      "n1>n2 strict rows>path!",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); await mcp.fs.read({ path: q.rows.flatMap((r) => [r])[0].id })',
      "n1>n2 strict rows>path!",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); await mcp.fs.read({ path: Object.fromEntries(q.rows.map((r) => [r.name, r])).x.id })',
      "n1>n2 strict rows>path!",
    ],
    [
      'const f = await mcp.fs.read({ path: "a" }); const w = await new Promise((done) => setTimeout(() => done(1), f.size)); await mcp.fs.read({ path: w })',
      "",
    ],
    ["const f = await mcp.t.any({}); await mcp.fs.read({ path: [1].map(f.go)[0] })", ""],
    [
      'const f = await mcp.fs.read({ path: "a" }); const o = {}; o[args.k] = f.content; await mcp.fs.write(o)',
      "n1>n2 optional content>$",
    ],
    [
      'const s = await mcp.fs.read({ path: "a" }); await mcp.http.post({ url: "u", body: { page: s.size, count: s.size } })',
      "n1>n2 partial size>body!",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); function* rows() { yield* q.rows; } for (const r of rows()) await mcp.fs.read({ path: r.id })',
      "n1>n2 strict rows>path!",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); for (const [i, r] of q.rows.entries()) await mcp.db.query({ sql: i, limit: r.name })',
      "n1>n2 optional rows>limit!",
    ],
    [
      'const q = await mcp.db.query({ sql: "s" }); const [first, ...others] = q.rows; await mcp.fs.read({ path: others[3].id }); await mcp.fs.read({ path: first.name })',
      "n1>n2 strict rows>path!; n1>n3 strict rows>path",
    ],
  ])("%j", check);
});
