import { describe, expect, it } from "vitest";
import { readResult } from "./recorded-session.js";
import { TranscriptReader } from "./transcripts.js";

/** Sessions as `id: tool(arguments) → result`, and how many lines were no use. */
function check(lines: readonly (object | string)[], expected: readonly string[], unknown = 0): void {
  const reader = new TranscriptReader("file");
  for (const line of lines) reader.line(typeof line === "string" ? line : JSON.stringify(line));
  expect(
    reader
      .sessions()
      .flatMap(({ id, calls }) =>
        calls.map(
          ({ tool, arguments: args, result, isError }) =>
            `${id}: ${tool}(${JSON.stringify(args)}) → ${isError ? "failed: " : ""}${JSON.stringify(result)}`,
        ),
      ),
  ).toEqual(expected);
  expect(reader.unknownLines).toBe(unknown);
}

it("[FP-27] lines that are nested too deep are left out, and results that are so stay text", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const line = (result: string) => `{"session":"s","tool":"a:b","arguments":{},"result":${result}}`;
  check([line(deep), line("1")], ["s: a:b({}) → 1"], 1);
  expect(readResult(deep)).toBe(deep);
});

const used = (id: string, name: string, input: object) => ({
  type: "assistant",
  sessionId: "s1",
  message: {
    role: "assistant",
    content: [
      { type: "text", text: "…" },
      { type: "tool_use", id, name, input },
    ],
  },
});
const answered = (id: string, content: unknown, is_error?: boolean) => ({
  type: "user",
  sessionId: "s1",
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error }] },
});

describe("[LC-4] recorded sessions", () => {
  it("[FP-27] plain JSONL: a session a line, or a call a line", () => {
    check(
      [
        { id: "a", calls: [{ tool: "x:y", arguments: { q: 1 }, result: { ok: true } }] },
        { calls: [{ tool: "x:y", arguments: {}, result: "text", isError: true }] },
        { session: "b", tool: "x:y", arguments: { q: 2 }, result: null },
        { session: "b", tool: "x:z", arguments: { q: 3 }, result: 4 },
      ],
      [
        'a: x:y({"q":1}) → {"ok":true}',
        'file 2: x:y({}) → failed: "text"',
        'b: x:y({"q":2}) → null',
        'b: x:z({"q":3}) → 4',
      ],
    );
  });

  it("Claude Code: calls of MCP tools, with their results wherever these stand", () => {
    check(
      [
        { type: "summary", summary: "…" },
        { type: "user", sessionId: "s1", message: { role: "user", content: "hello" } },
        used("1", "mcp__shop__find_customer", { email: "a" }),
        used("2", "mcp__pml__mcp__shop__latest_order", { id: "c" }),
        used("3", "Bash", { command: "ls" }),
        answered("2", [{ type: "text", text: '{"order":1}' }]),
        answered("3", "files"),
        answered("1", "found", true),
        used("4", "mcp__shop__never_answered", {}),
      ],
      [
        's1: shop:find_customer({"email":"a"}) → failed: "found"',
        's1: shop:latest_order({"id":"c"}) → "{\\"order\\":1}"',
      ],
    );
  });

  it("Codex: function calls and their output", () => {
    const item = (payload: object) => ({ timestamp: "t", type: "response_item", payload });
    check(
      [
        { type: "session_meta", payload: { id: "c1", cwd: "/" } },
        item({ type: "function_call", name: "mcp__shop__find", arguments: '{"q":1}', call_id: "1" }),
        item({ type: "function_call", name: "shell", arguments: "{}", call_id: "2" }),
        item({ type: "function_call_output", call_id: "1", output: '{"id":7}' }),
        item({ type: "function_call_output", call_id: "2", output: "x" }),
      ],
      ['c1: shop:find({"q":1}) → "{\\"id\\":7}"'],
    );
  });

  it("lines that are something else are counted and left out", () => {
    check(
      ["no json", "[]", { foo: 1 }, { tool: "no-server", arguments: {} }, { tool: "a:b", arguments: [] }],
      [],
      5,
    );
  });
});
