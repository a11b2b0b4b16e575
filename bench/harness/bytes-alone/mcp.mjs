import { eachLine } from "./lines.mjs";

/**
 * The minimum of an MCP server that a client needs.
 *
 * @param {import("node:stream").Duplex} client
 * @param {(args: any) => Promise<unknown>} run returns the `result` of a call of its one tool, `run`
 */
export function serveRuns(client, run) {
  const answers = {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "bytes-alone", version: "1.0.0" },
    }),
    "tools/list": () => ({ tools: [{ name: "run", inputSchema: { type: "object" } }] }),
    "tools/call": async ({ arguments: args }) => {
      const structuredContent = { result: await run(args) };
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
    },
  };
  eachLine(client, async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = await answers[method](params);
    client.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  });
}
