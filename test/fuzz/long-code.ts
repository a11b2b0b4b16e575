/**
 * Code of one kind, as much of it as is allowed: what takes quadratic time or recurses shows here.
 *
 * @module
 */
import { LIMITS } from "../../src/base/limits.js";
import { sized } from "../support/sizes.js";

export interface LongCode {
  readonly kind: string;
  readonly code: string;
}

/** As many repetitions as fit, or as asked for. */
function filled(
  limit: number,
  before: string,
  part: (index: number) => string,
  after: string,
  most = Infinity,
): string {
  const parts: string[] = [];
  const room = limit - Buffer.byteLength(before) - Buffer.byteLength(after);
  let bytes = 0;
  for (let index = 0; index < most; index += 1) {
    const text = part(index);
    bytes += Buffer.byteLength(text);
    if (bytes > room) break;
    parts.push(text);
  }
  return before + parts.join("") + after;
}

/** Brackets that close what was opened: as deep as is allowed, and too deep. */
function nested(open: string, inner: string, close: string, levels: number): string {
  return open.repeat(levels) + inner + close.repeat(levels);
}

const STAT = "mcp.fs.stat({ path: args.p })";

/** Name, what stands before, what is repeated, what stands behind, how often at most. */
const REPEATED: readonly (readonly [
  kind: string,
  before: string,
  part: string | ((index: number) => string),
  after: string,
  most?: number,
])[] = [
  ["calls in a row", "", `await mcp.fs.stat({path:a});\n`, ""],
  ["calls that nobody awaits", "", `mcp.fs.stat({path:a});`, ""],
  [
    "calls fed by the call before",
    "let r = await mcp.fs.read({path:a});\n",
    "r = await mcp.fs.read({path:r.content});\n",
    "",
  ],
  [
    "calls in constants, each fed by the one before",
    "const r0 = args;\n",
    (i) => `const r${i + 1} = await mcp.fs.read({path:r${i}.content});\n`,
    "",
  ],
  [
    "a call fed by thousands",
    "const l = [];\n",
    "l.push(await mcp.fs.read({path:a}));\n",
    "await mcp.text.clean({text: l.join()});",
  ],
  [
    "results added up",
    "let t = '';\n",
    "t += (await mcp.fs.read({path:a})).content;\n",
    "await mcp.text.clean({text: t});",
  ],
  ["literals to lift", "", (i) => `mcp.fs.stat({path:"${i}"});`, ""],
  ["capabilities", "", "await capabilities.fs.readJson({path:a});\n", ""],
  ["unknown tools", "", (i) => `mcp.fs.x${i}({});`, "", 5_000],
  ["one unknown tool", "", "mcp.fs.stax({});", "", 15_000],
  ["ifs", "", (i) => `if (a>${i}) ${STAT};\n`, ""],
  ["guards", "", "if (a) return;\n", ""],
  ["guards and calls", "", "if (a) return; mcp.fs.stat({path:b});\n", ""],
  ["else ifs", "if (a) 0;", (i) => ` else if (a === ${i}) mcp.fs.stat({path:b});\n`, "", 5_000],
  ["else ifs without calls", "if (a) 0;", " else if (b) 1;", ""],
  ["cases", "switch (a) {", (i) => `case ${i}: ${STAT};`, "}"],
  ["cases that end", "switch (a) {", (i) => `case ${i}: mcp.fs.stat({path:b}); break;`, "}"],
  ["empty cases", "switch (a) {", (i) => `case ${i}:`, `${STAT}}`],
  ["switches", "", (i) => `switch (a) { case ${i}: mcp.fs.stat({path:b}); break; default: return; }\n`, ""],
  ["tries", "", "try { mcp.fs.stat({path:a}); } catch { mcp.fs.list({path:a}); }\n", ""],
  ["tries with finally", "", "try { mcp.fs.stat({path:a}); } catch { return; } finally { b(); }\n", ""],
  ["loops", "", "for (const x of l) mcp.fs.stat({path:x});\n", ""],
  ["loops without calls", "", "for (const x of l) b(x);\n", ""],
  ["whiles with breaks", "", "while (a) { if (b) break; mcp.fs.stat({path:c}); }\n", ""],
  ["forks", "", "await Promise.all([mcp.fs.stat({path:a}), mcp.fs.list({path:a})]);\n", ""],
  ["a wide fork", "await Promise.all([", "mcp.fs.stat({path:a}),", "]);"],
  ["mapped forks", "", "await Promise.all(l.map((x) => mcp.fs.stat({path:x})));\n", ""],
  ["ternaries", "x = ", "a?b:", "c;", 20_000],
  ["ternaries with calls", "x = ", "a ? mcp.fs.stat({path:b}) : ", "c;", 3_000],
  ["ands", "x = ", "a && ", `${STAT};`, 20_000],
  ["ands with calls", "x = ", "mcp.fs.stat({path:b}) && ", "c;", 3_000],
  ["nullish with calls", "x = ", "mcp.fs.stat({path:b}) ?? ", "c;", 3_000],
  ["ors", "if (", "a || ", `b) ${STAT};`, 20_000],
  ["pluses", "x = ", "a+", "b;", 20_000],
  [
    "pluses of results",
    "const r = await mcp.fs.read({path:a});\nx = ",
    "r.content + ",
    "b;\nawait mcp.text.clean({text:x});",
    3_500,
  ],
  ["texts added", "x = ", "'a'+", "b;", 3_900],
  ["thens", "await mcp.fs.read({path:a})", ".then((r) => mcp.fs.read({path:r.content}))", ";", 2_000],
  ["members", "x = a", ".b", ";", 3_900],
  ["optional members", "x = a", "?.b", ";", 3_900],
  ["chained calls", "x = a", ".b(c)", ";", 1_900],
  ["parameters", "x = [", (i) => `args.p${i},`, "];", 10_000],
  ["free identifiers", "x = [", (i) => `p${i},`, "];"],
  ["one parameter, read often", "x = [", "args.p,", "];"],
  ["parameters with checks", "", (i) => `if (args.p${i}) b(args.p${i});\n`, ""],
  ["one parameter with checks", "", "if (args.p) b(args.p);\n", ""],
  ["parameters into tools", "", (i) => `mcp.fs.stat({path:args.p${i}});`, ""],
  ["defaults", "", (i) => `b(args.p${i} ?? ${i});`, ""],
  ["destructured args", "const {", (i) => `p${i} = ${i},`, "} = args;"],
  ["aliases", "const f0 = mcp.fs;\n", (i) => `const f${i + 1} = f${i};\n`, "", 8_000],
  ["uses of an alias", "const f = mcp.fs;\n", "f.stat({path:a});\n", ""],
  ["aliases of one tool", "", (i) => `const f${i} = mcp.fs.stat; f${i}({path:a});\n`, ""],
  ["constants", "const c0 = 'a';\n", (i) => `const c${i + 1} = c${i};\n`, "mcp.fs.stat({path:c100});"],
  ["constants added", "const c0 = 'a';\n", (i) => `const c${i + 1} = c${i} + c${i};\n`, "", 9_000],
  [
    "constants added, and used",
    "const c0 = 'a';\n",
    (i) => `const c${i + 1} = c${i} + c${i}; mcp[c${i}];\n`,
    "",
    5_000,
  ],
  [
    "objects spread",
    "const o0 = {path: args.p};\n",
    (i) => `const o${i + 1} = {...o${i}, ...o${i}};\n`,
    "",
    6_000,
  ],
  [
    "objects spread and called",
    "const o0 = {path: args.p};\n",
    (i) => `const o${i + 1} = {...o${i}, ...o${i}}; mcp.fs.stat(o${i});\n`,
    "",
  ],
  ["helpers", "", (i) => `const f${i} = (p) => mcp.fs.stat({path:p}); f${i}(a);\n`, ""],
  ["calls of one helper", "const f = (p) => mcp.fs.stat({path:p});\n", "f(a);", ""],
  [
    "helpers that call the one before",
    "const f0 = (p) => mcp.fs.read({path:p});\n",
    (i) => `const f${i + 1} = (p) => f${i}(p);\n`,
    "f50(a);",
  ],
  [
    "helpers that call the one before twice",
    "const f0 = (p) => mcp.fs.read({path:p});\n",
    (i) => `const f${i + 1} = (p) => f${i}(f${i}(p));\n`,
    "f50(a);",
  ],
  [
    "variables, each of the two before",
    "let v0 = await mcp.fs.read({path:a}), v1 = v0;\n",
    (i) => `let v${i + 2} = v${i} + v${i + 1};\n`,
    "mcp.fs.stat({path:v100});",
  ],
  [
    "one variable, set from itself",
    "let v = await mcp.fs.read({path:a});\n",
    "v = v.a + v.b;\n",
    "mcp.fs.stat({path:v});",
  ],
  [
    "variables in a ring",
    "let v0 = await mcp.fs.read({path:a});\n",
    (i) => `let v${i + 1} = v${i}; v${i} = v${i + 1};\n`,
    "mcp.fs.stat({path:v9});",
  ],
  ["uses of one result", "const r = await mcp.fs.read({path:a});\n", "mcp.fs.stat({path:r.content});\n", ""],
  ["fields of one argument", "mcp.tests.echo({", (i) => `f${i}:a.b${i},`, "});"],
  ["literal fields of one argument", "mcp.tests.echo({", (i) => `f${i}:${i},`, "});"],
  ["a literal list", "mcp.tests.echo({list:[", "1,", "]});"],
  ["a list of results", "mcp.tests.echo({list:[", "mcp.fs.stat({path:a}),", "]});"],
  ["functions", "", (i) => `function f${i}() {}\n`, ""],
  ["shadowed names", "", "{ let a = 1; a; }\n", ""],
  ["labels", "", (i) => `l${i}: for (;;) { break l${i}; }\n`, ""],
  ["classes", "", (i) => `class C${i} { #x = a; m() { return this.#x; } }\n`, ""],
  ["types", "", (i) => `type T${i} = { a: string };\n`, ""],
  ["types around", "", "const x = (a as any as string)!;\n", "", 1],
  ["casts", "", "b(a as any);\n", ""],
  ["parts of a template", "x = `", `\${a}`, "`;"],
  [
    "parts of a template passed on",
    "const r = await mcp.fs.read({path:a});\nmcp.fs.stat({path:`",
    `\${r.content}`,
    "`});",
  ],
  ["a long template", "x = `", "é".repeat(100), "`;"],
  ["a long text", 'mcp.fs.stat({path:"', "x", '"});'],
  ["a long text of escapes", 'mcp.fs.stat({path:"', "\\n", '"});'],
  ["a long identifier", "const ", "x", " = 1;"],
  ["a long regular expression", "x = /", "(a|b)*", "/;"],
  ["a long number", "x = ", "1", ";"],
  ["a long BigInt", "x = ", "1", "n;"],
  ["a long comment", "/*", "x", "*/"],
  ["comments", "", "// x\n", ""],
  ["line breaks", "", "\n", ""],
  ["blanks", "", " ", ""],
  ["semicolons", "", ";", ""],
  ["empty blocks", "", "{}", ""],
  ["commas", "x = (", "a,", "b);"],
  ["holes", "x = [", ",", "];"],
  ["spreads", "x = [", "...a,", "];"],
  ["statements without semicolons", "", "a\n", ""],
  ["opening brackets", "", "(", ""],
  ["closing brackets", "", ")", ""],
  ["opening braces", "", "{", ""],
  ["closing braces", "", "}", ""],
  ["quotes", "", "'", ""],
  ["backticks", "", "`", ""],
  ["template starts", "", "`$" + "{", ""],
  ["angle brackets", "", "<", ""],
  ["slashes", "", "/", ""],
  ["stars", "", "*", ""],
  ["bangs", "", "!", ""],
  ["question marks", "", "?", ""],
  ["dots", "", ".", ""],
  ["at signs", "", "@", ""],
  ["backslashes", "", "\\", "", 8_000],
  ["null characters", "", "\0", ""],
  ["lone surrogates", "", "\ud800", ""],
  ["emoji", "", "🎉", ""],
  ["ifs without end", "", "if(a)", "", 20_000],
  ["arrows without end", "", "a=>", "", 20_000],
  ["awaits", "", "await ", "", 20_000],
  ["news", "", "new ", "", 20_000],
  ["dynamic imports", "", "import('x');", ""],
  ["refused names", "", "fetch;", ""],
  ["enums", "", (i) => `enum E${i} {}\n`, ""],
  ["syntax errors", "", "const = ;\n", ""],
  ["names declared twice", "", "let a;\n", ""],
  ["wrong escapes", "", "\\\\;\n", ""],
  ["wrong escapes on a line", "", "\\\\;", "", 3_000],
  ["wrong numbers", "", "0x;\n", ""],
  ["wrong numbers on a line", "", "1a;", ""],
  ["wrong regular expressions", "", "/(/;\n", ""],
  ["wrong characters", "", "§;\n", ""],
  ["names declared twice, in one line", "", "let a;", ""],
  ["names declared twice, in one declaration", "let ", "a,", "b;"],
  ["numbers that break off, in one line", "", "1_;", ""],
  ["breaks out of nothing", "", "break;\n", ""],
  ["labels that are not there", "", "for (;;) break a;\n", ""],
  ["private names that are not there", "", "a.#b;\n", ""],
  ["constants that are set", "const a = 1;\n", "a = 2;\n", ""],
  ["deleted names", "", "delete a;\n", ""],
  ["old octals", "", "01;\n", ""],
  ["parameters declared twice", "", "(a, a) => 1;\n", ""],
  ["refused names, each on its line", "", "fetch;\n", ""],
  ["computed calls", "", "mcp[a]({});\n", ""],
  ["tools passed on", "", "l.map(mcp.fs.stat);\n", ""],
  ["arguments of wrong types", "", "mcp.fs.stat({path:1});\n", ""],
];

const DEEP: readonly (readonly [kind: string, open: string, inner: string, close: string])[] = [
  ["lists", "[", STAT, "]"],
  ["brackets", "(", STAT, ")"],
  ["objects", "x = {a:", STAT, "}"],
  ["blocks", "{", `${STAT};`, "}"],
  ["functions", "(() => ", STAT, ")()"],
  ["async functions", "await (async () => { return ", STAT, "; })()"],
  ["ifs", "if (a) {", `${STAT};`, "}"],
  ["ifs and elses", "if (a) {", `${STAT};`, "} else { b(); }"],
  ["loops", "for (const x of l) {", `${STAT};`, "}"],
  ["tries", "try {", `${STAT};`, "} catch { return; }"],
  ["handlers", "try { b(); } catch {", `${STAT};`, "}"],
  ["finallys", "try { if (a) return; } finally {", `${STAT};`, "}"],
  ["switches", "switch (a) { case 1:", `${STAT};`, "}"],
  ["maps", "l.map((x) => ", STAT, ")"],
  ["forks", "Promise.all([", STAT, "])"],
  ["mapped forks", "Promise.all(l.map((x) => ", STAT, "))"],
  ["ternaries", "(a ? ", STAT, " : b)"],
  ["ternaries with calls", `(a ? ${STAT} : `, "b", ")"],
  ["logic", "(a && ", STAT, ")"],
  ["calls", "mcp.fs.read({path: ", "a", "})"],
  ["templates", "`$" + "{", STAT, "}`"],
  ["thens", `${STAT}.then((r) => `, "r", ")"],
  ["types", "type T = Array<", "string", ">"],
];

/** Of so many bytes at most, or less where fewer are allowed. */
export function longCodes(bytes: number): readonly LongCode[] {
  const { codeLevels } = LIMITS;
  return [
    ...REPEATED.map(([kind, before, part, after, most]) => ({
      kind,
      code: filled(bytes, before, typeof part === "string" ? () => part : part, after, most),
    })),
    ...DEEP.flatMap(([kind, open, inner, close]) =>
      [...sized([codeLevels / 4 - 10, codeLevels / 2 - 10], []), codeLevels - 10, 2 * codeLevels].map(
        (levels) => ({
          kind: `${kind} ${levels} deep`,
          code: nested(open, inner, close, levels),
        }),
      ),
    ),
  ];
}
