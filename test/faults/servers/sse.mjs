/** HTTP with SSE as in revision 2024-11-05, by hand: `node sse.mjs PORT`. */
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

const streams = new Map();
const server = createServer(async (req, res) => {
  const url = new URL(req.url, "http://localhost");
  if (req.method === "GET" && url.pathname === "/sse") {
    const id = randomUUID();
    streams.set(id, res);
    req.on("close", () => streams.delete(id));
    res.writeHead(200, { "content-type": "text/event-stream" });
    return res.write(`event: endpoint\ndata: /messages?session=${id}\n\n`);
  }
  const stream = streams.get(url.searchParams.get("session"));
  if (req.method !== "POST" || stream === undefined) return res.writeHead(404).end();
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
  res.writeHead(202).end();
  if (id === undefined) return;
  const message = { jsonrpc: "2.0", id, result: params?.name === "unusable" ? [1] : result(method) };
  stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
});

function result(method) {
  if (method === "initialize")
    return {
      protocolVersion: "2024-11-05",
      capabilities: { tools: {} },
      serverInfo: { name: "sse", version: "1.0.0" },
    };
  if (method === "tools/list")
    return { tools: ["work", "unusable"].map((name) => ({ name, inputSchema: { type: "object" } })) };
  if (method === "tools/call") return { content: [{ type: "text", text: String(process.pid) }] };
  return {};
}

server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => console.log(server.address().port));
process.stdin.on("end", () => process.exit(0)).resume();
