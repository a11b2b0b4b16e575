import { describe, expect, it } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import { PmlError } from "../base/pml-error.js";
import type { Values } from "./command-line.js";
import { DISCOVER } from "./discover.js";
import { discoverReport as report } from "./discover-report.js";
import { STDIN } from "./stdin.js";

const discoverReport = loosely(report);

const TOOL = {
  type: "tool",
  id: "fs:read_file",
  name: "mcp__fs__read_file",
  score: 0.5,
  description: "Read a file as text",
  signature: "mcp.fs.read_file(args: { path: string })",
  why: "has read, file",
};
const CAPABILITY = {
  type: "capability",
  id: "local.default.data.read_json.ab12",
  name: "data:read_json",
  score: 0.912,
  description: "read a JSON file",
  signature: "mcp.data.read_json(args: { path: string })",
  why: "nearly the same text",
  usage_count: 8,
  success_rate: 0.88,
  trust: "verified",
};
const HERE = { offset: 0, isFull: false };

describe("[UX-1, DI-1] pml discover", () => {
  it("is a table, best first", () =>
    expect(discoverReport({ results: [CAPABILITY, TOOL] }, HERE)).toEqual({
      text: [
        "SCORE  TYPE        NAME            USED  SUCCESS  DESCRIPTION",
        "0.91   capability  data:read_json  8     88 %     read a JSON file",
        "0.50   tool        fs:read_file                   Read a file as text",
      ].join("\n"),
      notes: [],
    }));

  it("has no columns that nothing is in", () =>
    expect(discoverReport({ results: [TOOL] }, HERE).text).toBe(
      "SCORE  TYPE  NAME          DESCRIPTION\n0.50   tool  fs:read_file  Read a file as text",
    ));

  it("fits the terminal, and obeys nothing", () => {
    const name = "n".repeat(200);
    const bad = { ...TOOL, id: name, description: `\u001b[31mred ${"word ".repeat(50)}` };
    const { text } = discoverReport({ results: [bad] }, HERE, 100);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    expect(text).toContain("\\u{1b}[31mred");
  });

  it("says where the next page begins", () =>
    expect(discoverReport({ results: [TOOL], next_offset: 11 }, { ...HERE, offset: 10 }).text).toMatch(
      /\n\n11 to 11; next: --offset 11$/,
    ));

  it("says beside the results that they hardly fit", () => {
    const answer = { results: [TOOL], hint: "No good match: say otherwise, or leave filter.type out" };
    expect(discoverReport(answer, HERE).notes).toEqual([
      "No good match for this intent: rephrase it, or list everything with `pml tools list` and `pml cap list`",
    ]);
  });

  it("shows which step a result is for, and which steps find nothing", () => {
    const answer = {
      results: [{ ...TOOL, for: "read the report" }, TOOL],
      note: 'Nothing matches "brew coffee".',
      hint: "1 weaker match left out: filter.minScore 0 shows them.",
      left_out: 1,
    };
    const { text, notes } = discoverReport(answer, HERE);
    expect(text.split("\n").map((line) => line.split(/ {2,}/).slice(2, 4))).toEqual([
      ["NAME", "FOR"],
      ["fs:read_file", "read the report"],
      ["fs:read_file", "Read a file as text"],
    ]);
    expect(notes).toEqual([
      "1 more below the minimum score: --min-score 0 shows them",
      'Nothing matches "brew coffee".',
    ]);
    expect(discoverReport(answer, { ...HERE, isFull: true }).text).toContain("  for        read the report");
  });

  it("says how it was ranked where that is not all, and what went wrong", () =>
    expect(discoverReport({ results: [TOOL], ranking: "words", warnings: ["odd"] }, HERE).notes).toEqual([
      "Warning: odd",
      "Ranked by words only: the embedding model is not ready; see `pml doctor`",
    ]));

  it.each([
    [{ hint: "Nothing fits: ask otherwise." }, 0, /^No match for this intent: rephrase it, or list/],
    [{ hint: "There is nothing so far down" }, 20, "No results from 20 on"],
    [
      { hint: "No match with filter.type and filter.minScore: remove that filter" },
      0,
      "No match with --type and --min-score: remove that filter",
    ],
    [{ hint: 'No server or namespace is called "x"' }, 0, 'No server or namespace is called "x"'],
  ])("%j says so", (answer, offset, text) =>
    expect(discoverReport({ results: [], ...answer }, { ...HERE, offset }).text).toMatch(text),
  );

  it("--full shows all of it", () => {
    const source = { type: "code", code: "const a = 1;\nreturn a;", note: "Cut short" };
    const full = { ...CAPABILITY, parameters: { type: "object" }, source };
    const { text } = discoverReport(
      { results: [full, { ...TOOL, inputSchema: { type: "object" }, outputSchema: {} }] },
      { ...HERE, isFull: true },
    );
    expect(text).toBe(
      [
        "data:read_json  0.91  capability",
        "  read a JSON file",
        "  signature  mcp.data.read_json(args: { path: string })",
        "  why        nearly the same text",
        "  id         local.default.data.read_json.ab12",
        "  used       8 times, 88 % success",
        "  trust      verified",
        '  takes      {"type":"object"}',
        "  code",
        "    const a = 1;",
        "    return a;",
        "  Cut short",
        "",
        "fs:read_file  0.50  tool",
        "  Read a file as text",
        "  signature  mcp.fs.read_file(args: { path: string })",
        "  why        has read, file",
        "  id         fs:read_file",
        '  takes      {"type":"object"}',
        "  gives      {}",
      ].join("\n"),
    );
  });
});

const read = (words: readonly string[], values: Values) => DISCOVER.read("discover", words, values, STDIN);

describe("[UX-1] what stands on the command line of pml discover", () => {
  it("is what the tool takes", () => {
    expect(read(["read", "a file"], {})).toEqual({ intent: "read a file" });
    expect(
      read(["x"], {
        type: "tool",
        namespace: "fs",
        "min-score": "0.5",
        limit: "3",
        offset: "6",
        full: true,
      }),
    ).toEqual({
      intent: "x",
      filter: { type: "tool", namespace: "fs", minScore: 0.5 },
      limit: 3,
      offset: 6,
      detail: "full",
    });
  });

  it.each([
    [[], {}, "The intent is missing: expected INTENT"],
    [["x"], { type: "server" }, '--type is "server": expected tool, capability, all'],
    [["x"], { "min-score": "-1" }, '--min-score is "-1": expected a number from 0 on'],
    [["x"], { "min-score": "1e-2" }, '--min-score is "1e-2": expected a number from 0 on'],
    [["x"], { limit: "0" }, '--limit is "0": expected a number from 1 to 50'],
    [["x"], { offset: "10001" }, '--offset is "10001": expected a number from 0 to 10000'],
  ])("%j %j is refused", (words, values, message) =>
    expect(() => read(words, values)).toThrow(
      new PmlError("USAGE", message, { hint: "Run `pml discover --help`." }),
    ),
  );
});
