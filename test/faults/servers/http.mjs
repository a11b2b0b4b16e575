/** Streamable HTTP with sessions, by hand: `node http.mjs PORT`. Prints its port; forgets all sessions when it dies. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

const sessions = new Set();
const server = createServer(async (req, res) => {
  if (req.method !== "POST") return res.writeHead(405).end();
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
  const session = req.headers["mcp-session-id"];
  if (method !== "initialize" && !sessions.has(session)) return res.writeHead(session ? 404 : 400).end();
  if (id === undefined) return res.writeHead(202).end();
  const given = method === "initialize" ? randomUUID() : session;
  sessions.add(given);
  if (params?.name === "unusable-stream") {
    // The stream goes on; the answer in it is all that there will be.
    res.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": given });
    const news = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "é" } };
    const answer = `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id, result: null })}\n\n`;
    return res.write(`event: message\r\ndata: ${JSON.stringify(news)}\r\n\r\n${answer}`);
  }
  res.writeHead(200, { "content-type": "application/json", "mcp-session-id": given });
  res.end(JSON.stringify({ jsonrpc: "2.0", id, result: result(method, req, params) }));
});

function result(method, req, params) {
  if (params?.name === "unusable") return "done";
  if (method === "initialize")
    return {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "http", version: "1.0.0" },
    };
  if (method === "tools/list")
    return {
      tools: ["work", "unusable", "unusable-stream"].map((name) => ({
        name,
        inputSchema: { type: "object" },
      })),
    };
  if (method === "tools/call")
    return { content: [{ type: "text", text: `${process.pid} ${req.headers["x-key"]}` }] };
  return {};
}

server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => process.exit(0)).resume();
