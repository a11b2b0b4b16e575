import { describe, expect, it } from "vitest";
import { readResult } from "./recorded-session.js";
import { TranscriptReader } from "./transcripts.js";

/** Sessions as `id: tool(arguments) → result`, and how many lines were no use. */
function check(lines: readonly (object | string)[], expected: readonly string[], unknown = 0): void {
  const reader = new TranscriptReader("file");
  for (const line of lines) reader.line(typeof line === "string" ? line : JSON.stringify(line));
  reader.end();
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

  it("Codex: what it says of calls of MCP tools", () => {
    const event = (call_id: string, tool: string, result: object) => ({
      type: "event_msg",
      payload: {
        type: "mcp_tool_call_end",
        call_id,
        invocation: { server: "shop", tool, arguments: { q: 1 } },
        result,
      },
    });
    const output = (call_id: string, text: string) => ({
      type: "response_item",
      payload: { type: "function_call_output", call_id, output: text },
    });
    check(
      [
        { type: "session_meta", payload: { id: "c1", cwd: "/" } },
        {
          type: "response_item",
          payload: {
            type: "function_call",
            name: "find",
            namespace: "mcp__shop",
            arguments: '{"q":1}',
            call_id: "1",
          },
        },
        event("1", "find", {
          Ok: { content: [{ type: "text", text: "text" }], structuredContent: { id: 7 } },
        }),
        output("1", "text"),
        event("2", "stock", { Ok: { content: [{ type: "text", text: "no" }], isError: true } }),
        event("3", "list", { Err: "timed out" }),
        {
          type: "response_item",
          payload: { type: "function_call", name: "mcp__shop__get", arguments: "{}", call_id: "4" },
        },
        output("4", 'Wall time: 0.1 seconds\nOutput:\n[{"type":"text","text":"{\\"n\\":1}"}]'),
      ],
      [
        'c1: shop:find({"q":1}) → {"id":7}',
        'c1: shop:stock({"q":1}) → failed: "no"',
        'c1: shop:list({"q":1}) → failed: "timed out"',
        'c1: shop:get({}) → "{\\"n\\":1}"',
      ],
    );
  });

  const part = (tool: string, state: object) => ({
    id: "prt_1",
    sessionID: "ses_1",
    messageID: "msg_1",
    type: "tool",
    callID: "call_1",
    tool,
    state,
  });
  const done = { status: "completed", input: { q: 1 }, output: '{"id":7}', title: "", metadata: {} };

  it("opencode: an exported session, printed over many lines", () => {
    const exported = {
      info: { id: "ses_1", title: "…", time: { created: 1 } },
      messages: [
        { info: { id: "msg_0", role: "user" }, parts: [{ type: "text", text: "hello" }] },
        {
          info: { id: "msg_1", role: "assistant" },
          parts: [
            { type: "step-start" },
            part("shop_find_customer", done),
            part("pml_mcp__shop__latest_order", { ...done, input: {} }),
            part("bash", done),
            part("shop_stock", { status: "error", input: {}, error: "no such item" }),
            part("shop_never_ended", { status: "running", input: {} }),
          ],
        },
      ],
      todos: [],
    };
    check(JSON.stringify(exported, null, 2).split("\n"), [
      'ses_1: shop:find_customer({"q":1}) → "{\\"id\\":7}"',
      'ses_1: shop:latest_order({}) → "{\\"id\\":7}"',
      'ses_1: shop:stock({}) → failed: "no such item"',
    ]);
  });

  it("opencode: files of parts, and the lines of a run", () => {
    check(JSON.stringify(part("shop_find", done), null, 2).split("\n"), [
      'ses_1: shop:find({"q":1}) → "{\\"id\\":7}"',
    ]);
    check(
      [
        { type: "step_start", sessionID: "ses_2", part: { type: "step-start" } },
        { type: "tool_use", sessionID: "ses_2", part: part("shop_find", done) },
      ],
      ['ses_2: shop:find({"q":1}) → "{\\"id\\":7}"'],
    );
    check(["{", '"cut": [', "off"], [], 1);
  });

  it("lines that are something else are counted and left out", () => {
    check(
      ["no json", "[]", { foo: 1 }, { tool: "no-server", arguments: {} }, { tool: "a:b", arguments: [] }],
      [],
      5,
    );
  });
});
