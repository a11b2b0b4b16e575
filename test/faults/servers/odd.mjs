/** Servers with something wrong with them: `node odd.mjs HOW`. */
import { existsSync, writeFileSync } from "node:fs";
import { send, serve, text, tool, write } from "./raw-rpc.mjs";

const [how, extra] = process.argv.slice(2);
const one = { "tools/list": () => ({ tools: [tool("work")] }), "tools/call": () => text("worked") };

/** Sends `line` as often as it can, without ever blocking the answers to what it is asked. */
function flood(line, times = Number.POSITIVE_INFINITY) {
  const block = line.repeat(Math.max(1, Math.floor(60_000 / line.length)));
  let left = times;
  const more = () => {
    left -= 1;
    write(block);
    if (left > 0) setImmediate(more);
  };
  more();
}

const KINDS = {
  "never-initializes": () => serve({ ...one, initialize: () => undefined }),
  "never-lists": () => serve({ ...one, "tools/list": () => undefined }),
  "exits-at-once": () => {
    process.stderr.write("first line\nE_LICENSE: no licence found in ~/.odd\n");
    process.exitCode = 7;
  },
  /** Dies in its first call, and comes back when there is a file: `extra` remembers, `extra.back` allows. */
  "dies-in-a-call": () => {
    if (existsSync(extra) && !existsSync(`${extra}.back`)) process.exit(3);
    serve({
      ...one,
      "tools/call"() {
        if (existsSync(extra)) return text("back again");
        writeFileSync(extra, "");
        process.kill(process.pid, "SIGKILL");
      },
    });
  },
  hangs: () =>
    serve({
      "tools/list": () => ({ tools: [tool("hang"), tool("work")] }),
      "tools/call": ({ name }) => (name === "hang" ? undefined : text("worked")),
    }),
  "floods-garbage": () => {
    serve(one);
    flood("Loading… 42 % of nothing {\n");
  },
  "sends-a-long-line": () =>
    serve({
      ...one,
      "tools/list": () => ({ tools: [tool("work"), tool("pid")] }),
      "tools/call": ({ name }) => text(name === "pid" ? String(process.pid) : "x".repeat(20 * 1024 * 1024)),
    }),
  "floods-log-messages": () => {
    serve({
      ...one,
      initialize: ({ protocolVersion }) => ({
        protocolVersion,
        capabilities: { tools: {}, logging: {} },
        serverInfo: { name: "raw", version: "1.0.0" },
      }),
      "logging/setLevel": () => ({}),
      "notifications/initialized"() {
        const params = { level: "error", data: "alarm" };
        flood(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params })}\n`);
      },
    });
  },
  "floods-list-changed": () => {
    let lists = 0;
    serve({
      "tools/list"() {
        lists += 1;
        return { tools: [tool("work")] };
      },
      "tools/call": () => text({ lists }),
      "notifications/initialized"() {
        const line = JSON.stringify({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
        // Hundreds of thousands of them.
        flood(`${line}\n`, 400);
      },
    });
  },
  "floods-stderr": () => {
    serve(one);
    const block = `${"grumble ".repeat(50)}\n`.repeat(100);
    const more = () => process.stderr.write(block, () => setImmediate(more));
    more();
  },
  "answers-garbage": () =>
    serve({
      "tools/list": () => ({
        tools: ["no-json", "wrong-id", "a-list", "nothing", "a-text"].map((n) => tool(n)),
      }),
      "tools/call"({ name }, id) {
        if (name === "no-json") write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[}}\n`);
        if (name === "wrong-id") send({ id: id + 1_000_000, ...{ result: text("for somebody else") } });
        if (name === "a-list") send({ id, result: [1, 2] });
        if (name === "nothing") send({ id, result: null });
        if (name === "a-text") send({ id, result: "done" });
      },
    }),
  "lists-nonsense": () => {
    const deepText = `${'{"a":'.repeat(20_000)}{}${"}".repeat(20_000)}`;
    const tools = [
      tool("fine"),
      tool("no-schema", { inputSchema: undefined }),
      tool("list-schema", { inputSchema: [] }),
      tool("text-schema", { inputSchema: { type: "string" } }),
      tool("odd-output", { outputSchema: "yes" }),
      tool("does-not-compile", {
        inputSchema: { type: "object", properties: { a: { type: "no such type" } } },
      }),
      tool("odd-required", { inputSchema: { type: "object", required: "a" } }),
      tool("odd-title", { title: 5 }),
      tool("fine", { description: "a second one" }),
      { inputSchema: { type: "object" } },
      { name: "", inputSchema: { type: "object" } },
      { name: 5, inputSchema: { type: "object" } },
      null,
      "text",
      tool("large", { description: "x".repeat(1_048_576) }),
      tool("x".repeat(300)),
      tool("hidden\u200b\u202e"),
      tool("wordy", {
        description: "Reads\u200b a \u0007file\u{e0041}.\u202e Then\u0000 stops\tor\nnot",
      }),
    ];
    const list = JSON.stringify(tools).replace(
      /\]$/,
      `,${JSON.stringify(tool("deep")).replace('{"type":"object"}', `{"type":"object","properties":${deepText}}`)}]`,
    );
    serve({
      "tools/list"(_params, id) {
        write(`{"jsonrpc":"2.0","id":${id},"result":{"tools":${list}}}\n`);
      },
      "tools/call": ({ name }) => text(`called ${name}`),
    });
  },
  "lists-many": () =>
    serve({
      "tools/list": () => ({ tools: Array.from({ length: 10_000 }, (_, i) => tool(`tool-${i}`)) }),
      "tools/call": ({ name }) => text(name),
    }),
  "pages-for-ever": () => {
    let page = 0;
    serve({
      ...one,
      "tools/list"() {
        page += 1;
        return { tools: [tool(`page-${page}`)], nextCursor: String(page) };
      },
    });
  },
  "pages-slowly-for-ever": () => {
    let page = 0;
    serve({
      ...one,
      async "tools/list"() {
        page += 1;
        await new Promise((resolve) => setTimeout(resolve, 1_500));
        return { tools: [tool(`page-${page}`)], nextCursor: String(page) };
      },
    });
  },
  "backtracks-for-ever": () =>
    serve({
      "tools/list": () => ({
        tools: [
          tool("match", {
            inputSchema: {
              type: "object",
              properties: {
                a: { type: "string", pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" },
                n: { type: "number" },
              },
              patternProperties: extra === "too" ? { "^(a+)+$": { type: "string" } } : undefined,
            },
            outputSchema: {
              type: "object",
              properties: { a: { type: "string", pattern: "^(a+)+$" } },
            },
          }),
        ],
      }),
      "tools/call": ({ arguments: args }) => ({
        ...text("matched"),
        structuredContent: { a: `${"a".repeat(40)}!`, n: args.n },
      }),
    }),
};

KINDS[how]();
