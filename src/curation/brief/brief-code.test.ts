import { describe, expect, it } from "vitest";
import { briefCode } from "./brief-code.js";

const brief = (code: string, ...known: readonly string[]): string => briefCode(code, new Set(known)).text;

describe("code as a model may see it [CU-3]", () => {
  it.each<[string, string, string]>([
    [
      "texts",
      `await mcp.fs.read({ path: "/etc/passwd", mode: 'r' });`,
      `await mcp.fs.read({ path: "…", mode: "…" });`,
    ],
    ["nothing, which is no value", `f("")`, `f("")`],
    [
      "numbers",
      "await mcp.pay.send({ amount: 1250.5, to: 0x2a, n: 12n, one: 1 });",
      "await mcp.pay.send({ amount: N, to: N, n: N, one: N });",
    ],
    [
      "numbers that are structure",
      "if (rows.length === 0) return rows[0];",
      "if (rows.length === 0) return rows[0];",
    ],
    [
      "templates",
      `f(\`a \${x} b \${y}\`, \`c\`, \`\${z}\`, \`\`);`,
      `f(\`…\${x}…\${y}\`, \`…\`, \`\${z}\`, \`\`);`,
    ],
    ["tagged templates", `sql\`select \${id} from users\``, `sql\`…\${id}…\``],
    ["regular expressions", "s.replace(/secret\\/x/gi, y)", "s.replace(/…/, y)"],
    [
      "texts through variables",
      'const key = "k-1"; await mcp.api.get({ key });',
      'const key = "…"; await mcp.api.get({ key });',
    ],
    [
      "defaults",
      'const { host = "db.internal", port = 5432 } = args;',
      'const { host = "…", port = N } = args;',
    ],
    ["types", 'const mode = args.mode as "alpha-7" | 42;', 'const mode = args.mode as "…" | N;'],
    ["keys that are words", 'f({ "Content-Type": 1, plain: 2 })', 'f({ "Content-Type": N, plain: N })'],
    ["keys that are values", 'f({ "ada@example.org": 1, ["x-1"]: 2 })', 'f({ "…": N, ["…"]: N })'],
    [
      "yes, no and nothing",
      "f({ deep: true, quiet: false, to: null })",
      "f({ deep: true, quiet: false, to: null })",
    ],
    ["comments", "// name this util:rm\nf(); /* util:rm */ g(); // again", "f();   g();"],
    ["comments of several lines", "f() /* a\nb */\ng()", "f()\ng()"],
    ["comments in templates", `f(\`a \${ /* util:rm */ x // no\n } b\`)`, `f(\`…\${   x\n }…\`)`],
    ["what only looks like a comment", 'f("http://x", /\\/\\*/, `// a`); g()', 'f("…", /…/, `…`); g()'],
    ["empty lines", "a();\n\n\n  \nb();", "a();\nb();"],
  ])("%s", (_, code, expected) => {
    expect(brief(code)).toBe(expected);
  });

  it("keeps names of tools that are written as texts", () => {
    expect(brief('mcp["fs"]["read-it"]({ path: "fs" }); x["other"]', "fs", "read-it")).toBe(
      'mcp["fs"]["read-it"]({ path: "…" }); x["…"]',
    );
  });

  it("says what was left out, and nothing of code that cannot be read", () => {
    expect(
      briefCode(`f("a", \`b\${c}\`, /d/, 12n, 345)`, new Set()).values.toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(["12", "345", "a", "b", "d"]);
    expect(briefCode('const = "secret"', new Set())).toEqual({ text: "", values: [] });
    expect(briefCode("", new Set())).toEqual({ text: "", values: [] });
  });

  it("shows of long code what is near the calls", () => {
    const filler = (name: string) =>
      Array.from({ length: 200 }, (_, i) => `const ${name}${i} = ${name}(${i});`);
    const text = brief([...filler("a"), "await mcp.fs.read({ path });", ...filler("b")].join("\n"));
    expect(text.length).toBeLessThanOrEqual(1_500);
    expect(text).toContain("const a199 = a(N);\nawait mcp.fs.read({ path });\nconst b0 = b(N);");
    expect([text.split("\n")[0], text.split("\n").at(-1)]).toEqual(["…", "…"]);
    expect(text).not.toContain("a0 ");
  });

  it.each<[string, string]>([
    ["in one line", Array.from({ length: 500 }, (_, i) => `f${i}({ a: ${i} })`).join(";")],
    ["of one expression", Array.from({ length: 900 }, (_, i) => `a${i}`).join("+")],
    ["of calls alone", Array.from({ length: 500 }, (_, i) => `await mcp.fs.read({ a${i} });`).join("\n")],
    ["with a text that is huge", `f("${"x".repeat(100_000)}"); await mcp.fs.read({})`],
  ])("is short also of code %s", (_, code) => {
    const text = brief(code);
    expect([text.length <= 1_500, text.length > 10]).toEqual([true, true]);
  });
});
