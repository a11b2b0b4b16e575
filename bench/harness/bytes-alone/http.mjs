/**
 * Takes the place of `pml serve --http`: passes each message of a client to a server over stdio, and returns its answer
 * as one JSON body. It checks nothing. No two concurrent requests may have the same id.
 *
 *   node http.mjs SERVER…
 */
import { createServer } from "node:http";
import { eachLine } from "./lines.mjs";
import { listen } from "./listen.mjs";
import { startServer } from "./start-server.mjs";

const MODERN = "2026-07-28";
/** The server speaks 2025, so fields that a client of 2026 needs in its answers are added. */
const MODERN_FIELDS = '"resultType":"complete","ttlMs":0,"cacheScope":"private"';
const DISCOVERED = `{${MODERN_FIELDS},"supportedVersions":["${MODERN}"],"capabilities":{"tools":{}}}`;

const server = startServer(process.argv.slice(2));
/** Callbacks for the server's answers, by the id of the request. */
const waiting = new Map();

eachLine(server.stdout, (line) => {
  const { id, method } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(line);
});

function answered(request, text) {
  const { id, method } = JSON.parse(text);
  if (method === "server/discover")
    return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${DISCOVERED}}`;
  server.stdin.write(`${text}\n`);
  if (id === undefined) return undefined;
  const isModern = request.headers["mcp-protocol-version"] === MODERN;
  return new Promise((resolve) => {
    waiting.set(id, (line) => {
      waiting.delete(id);
      resolve(isModern ? line.replace('"result":{', `"result":{${MODERN_FIELDS},`) : line);
    });
  });
}

listen(
  createServer((request, response) => {
    if (request.method !== "POST") return response.writeHead(405).end();
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", async () => {
      const body = await answered(request, text);
      if (body === undefined) return response.writeHead(202).end();
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "mcp-session-id": "the-only-one",
      });
      response.end(body);
    });
  }),
  { host: "127.0.0.1", port: 0 },
);
