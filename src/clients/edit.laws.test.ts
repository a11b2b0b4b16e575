/** What holds for every file that a person may have: written here in all the ways that the formats allow. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sized } from "../../test/support/sizes.js";
import type { ConfigFormat } from "./client-table.js";
import { contentOf, editedText } from "./config-text.js";
import type { ConfigEdit } from "./text-change.js";
import { undoPlan } from "./undo-plan.js";

const RUNS = { numRuns: sized(2_000, 100) };
const ENTRY = { command: "npx", args: ["-y", "casys-pml", "serve"] };
const NAMES = ["a", "b c", "gone", "away", "pml", "ü.x", "1"] as const;
const GONE = ["gone", "away"];

/** Values as both sides know them: the text in the file, and what it says. */
const word = fc.stringMatching(/^[ -~äß€]{0,12}$/);
const eol = fc.constantFrom("\n", "\r\n");
const blank = fc.constantFrom("", " ", "\t", "  ");

interface Written {
  readonly text: string;
  readonly comments: readonly string[];
}

/** JSON with comments and commas wherever they may be. */
const jsonc: fc.Arbitrary<Written> = fc
  .record({
    servers: fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: NAMES.length }),
    others: fc.uniqueArray(word, { maxLength: 3 }),
    values: fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 12, maxLength: 12 }),
    gaps: fc.array(fc.tuple(fc.constantFrom("none", "line", "block"), blank), {
      minLength: 24,
      maxLength: 24,
    }),
    hasServers: fc.boolean(),
    isTrailing: fc.boolean(),
    isOneLine: fc.boolean(),
    end: eol,
    mark: fc.constantFrom("", "\uFEFF"),
  })
  .map(({ servers, others, values, gaps, hasServers, isTrailing, isOneLine, end, mark }) => {
    const comments: string[] = [];
    let gapAt = 0;
    const gap = (): string => {
      const [kind, spaces] = gaps[gapAt++ % gaps.length] ?? ["none", ""];
      if (kind === "none") return isOneLine ? spaces : `${spaces}${end}${spaces}`;
      const comment = `keep-${comments.length}`;
      comments.push(comment);
      return kind === "line" && !isOneLine
        ? `${spaces}// ${comment}${end}`
        : `${spaces}/* ${comment} */${isOneLine ? "" : end}`;
    };
    const object = (members: readonly string[]): string =>
      `{${gap()}${members.join(`,${gap()}`)}${isTrailing && members.length > 0 ? "," : ""}${gap()}}`;
    const inner = servers.map((name, index) => `${JSON.stringify(name)}: ${JSON.stringify(values[index])}`);
    const outer = others
      .filter((name) => name !== "mcpServers")
      .map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(values[6 + index])}`);
    const all = hasServers ? [...outer, `"mcpServers": ${object(inner)}`] : outer;
    const text = `${mark}${gap()}${object(all)}${gap()}`;
    return { text, comments: comments.filter((comment) => text.includes(comment)) };
  });

const toml: fc.Arbitrary<Written> = fc
  .record({
    blocks: fc.array(
      fc.record({
        name: fc.constantFrom(...NAMES),
        value: word,
        hasEnv: fc.boolean(),
        indent: blank,
        lines: fc.integer({ min: 0, max: 2 }),
        isQuoted: fc.boolean(),
      }),
      { maxLength: 5 },
    ),
    root: word,
    end: eol,
    isEnded: fc.boolean(),
  })
  .map(({ blocks, root, end, isEnded }) => {
    const comments: string[] = [];
    const comment = () => {
      comments.push(`keep-${comments.length}`);
      return `# ${comments.at(-1)}`;
    };
    const seen = new Set<string>();
    const lines = [
      comment(),
      `root = ${JSON.stringify(root)} ${comment()}`,
      "long = '''",
      "[mcp_servers.gone]",
      "'''",
    ];
    for (const { name, value, hasEnv, indent, lines: blanks, isQuoted } of blocks) {
      if (seen.has(name)) continue;
      seen.add(name);
      const key = isQuoted || !/^[a-z0-9]+$/.test(name) ? JSON.stringify(name) : name;
      lines.push(...Array<string>(blanks).fill(""), comment(), `${indent}[mcp_servers.${key}]`);
      lines.push(`${indent}command = ${JSON.stringify(value)}`, `args = [${end}  "]", # ]${end}]`);
      if (hasEnv) lines.push("", `[ mcp_servers . ${key} . env ]`, `KEY = """${end}[x]${end}"""`);
    }
    lines.push(comment(), "[last]", `x = { y = [1, 2], z = '#' } ${comment()}`);
    return { text: lines.join(end) + (isEnded ? end : ""), comments };
  });

const yaml: fc.Arbitrary<Written> = fc
  .record({
    blocks: fc.uniqueArray(
      fc.record({
        name: fc.constantFrom(...NAMES),
        value: word,
        isFlow: fc.boolean(),
        isSpaced: fc.boolean(),
      }),
      { maxLength: 5, selector: ({ name }) => name },
    ),
    step: fc.constantFrom("  ", "    "),
    end: eol,
    isEnded: fc.boolean(),
    isLast: fc.boolean(),
  })
  .map(({ blocks, step, end, isEnded, isLast }) => {
    const comments: string[] = [];
    const comment = () => {
      comments.push(`keep-${comments.length}`);
      return `# ${comments.at(-1)}`;
    };
    const lines = [comment(), `root:   "x"   ${comment()}`, "extensions:"];
    for (const { name, value, isFlow, isSpaced } of blocks) {
      if (isSpaced) lines.push("");
      lines.push(`${step}${comment()}`);
      const key = JSON.stringify(name);
      if (isFlow) lines.push(`${step}${key}: { cmd: ${JSON.stringify(value)} }`);
      else
        lines.push(
          `${step}${key}:`,
          `${step}${step}cmd: ${JSON.stringify(value)}`,
          `${step}${step}text: |`,
          `${step}${step}${step}a: b`,
        );
    }
    if (!isLast) lines.push(`${comment()}`, "last:", "- 1", "- x: y");
    return { text: lines.join(end) + (isEnded ? end : ""), comments };
  });

const FILES = [
  ["jsonc", jsonc, ["mcpServers"]],
  ["toml", toml, ["mcp_servers"]],
  ["yaml", yaml, ["extensions"]],
] as const satisfies readonly (readonly [ConfigFormat, fc.Arbitrary<Written>, readonly string[]])[];

function hasUnixLines(text: string): boolean {
  return /(^|[^\r])\n/.test(text);
}

describe.each(FILES)("[FH-3] every %s file", (format, files, path) => {
  const edit: ConfigEdit = { path, remove: GONE, put: { name: "pml", entry: ENTRY } };

  it("can be edited, keeps the comments outside of servers that go, and says the rest as before", () => {
    fc.assert(
      fc.property(files, ({ text, comments }) => {
        // It compares what the file says with what it should say, and throws where they differ.
        const after = editedText(format, text, edit);
        for (const comment of comments) expect(after).toContain(comment);
        expect(contentOf(format, after)).toHaveProperty([...path, "pml"], ENTRY);
        expect(after.startsWith("\uFEFF")).toBe(text.startsWith("\uFEFF"));
        if (text.includes("\n")) expect(hasUnixLines(after)).toBe(hasUnixLines(text));
      }),
      RUNS,
    );
  });

  it("can lose servers, keeps the comments outside of them, and says the rest as before", () => {
    fc.assert(
      fc.property(files, ({ text, comments }) => {
        const after = editedText(format, text, { path, remove: GONE });
        for (const comment of comments) expect(after).toContain(comment);
        const content = contentOf(format, after);
        for (const name of GONE) expect(content ?? {}).not.toHaveProperty([...path, name]);
      }),
      RUNS,
    );
  });

  it("says the same after the change is undone, with what was added since", () => {
    const client = { jsonc: "cursor", toml: "codex", yaml: "goose" } as const;
    fc.assert(
      fc.property(files, ({ text: before }) => {
        const after = editedText(format, before, edit);
        const known = { client: client[format], before, after };
        if (after !== before) expect(undoPlan({ ...known, now: after })).toEqual({ kind: "exact" });
        expect(undoPlan({ ...known, now: before })).toEqual({ kind: "nothing" });
        const added = (text: string) =>
          text.replace(/^\uFEFF?/, `$&${format === "jsonc" ? "//" : "#"} later\n`);
        const undone = undoPlan({ ...known, now: added(after) });
        const text = undone.kind === "merged" ? undone.text : added(after);
        expect(text).toContain("later");
        expect(serversOf(text)).toEqual(serversOf(before));
      }),
      RUNS,
    );
    function serversOf(text: string): unknown {
      const content = contentOf(format, text) as Record<string, unknown> | undefined;
      const [key] = path;
      return { ...content, [key]: content?.[key] ?? {} };
    }
  });

  it("is edited once: a second time changes nothing that it says", () => {
    fc.assert(
      fc.property(files, ({ text }) => {
        const once = editedText(format, text, edit);
        expect(contentOf(format, editedText(format, once, edit))).toEqual(contentOf(format, once));
      }),
      RUNS,
    );
  });
});
