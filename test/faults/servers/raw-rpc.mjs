/**
 * The least that a server over stdio needs, by hand: no SDK stands between a test and what it wants to go wrong.
 * Ends with its stdin, so that none is left behind when a gateway is killed.
 */
import { writeSync } from "node:fs";

export function write(text) {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (error.code !== "EAGAIN") process.exit(0);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

export const send = (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
export const text = (value) => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
});
export const tool = (name, more = {}) => ({
  name,
  description: `The tool ${name}`,
  inputSchema: { type: "object" },
  ...more,
});

/**
 * `methods[name](params, id)` answers with a result, or with nothing, after which it may send what it likes.
 * `methods.answered(message)` takes the answers to its own requests.
 */
export function serve(methods) {
  const all = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: "raw", version: "1.0.0" },
    }),
    ping: () => ({}),
    "tools/list": () => ({ tools: [] }),
    ...methods,
  };
  let held = "";
  process.stdin.setEncoding("utf8");
  process.stdin.on("end", () => process.exit(0));
  process.stdin.on("data", async (chunk) => {
    const lines = (held + chunk).split("\n");
    held = lines.pop();
    for (const line of lines) void answer(JSON.parse(line), all);
  });
}

async function answer(message, methods) {
  const { id, method, params = {} } = message;
  if (method === undefined) return methods.answered?.(message);
  const handler = methods[method];
  if (handler === undefined) {
    if (id !== undefined) send({ id, error: { code: -32601, message: "Method not found" } });
    return;
  }
  const result = await handler(params, id);
  if (id !== undefined && result !== undefined) send({ id, result });
}
