/**
 * Takes the place of code in the sandbox, in a plain Node process: it receives orders over file descriptor 3, and calls
 * the tools of a server over stdio. A run returns how many of its calls had the wrong answer.
 */
import { Socket } from "node:net";
import { eachLine } from "./lines.mjs";
import { serveRuns } from "./mcp.mjs";

const waiting = new Map();
let asked = 0;

eachLine(process.stdin, (line) => {
  const { id, method, result } = JSON.parse(line);
  if (method !== undefined) return;
  waiting.get(id)(result);
  waiting.delete(id);
});

function say(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function ask(method, params) {
  asked += 1;
  const id = asked;
  say({ id, method, params });
  return new Promise((resolve) => {
    waiting.set(id, resolve);
  });
}

const call = (name, args) => ask("tools/call", { name, arguments: args });

async function isLookupWrong(id) {
  const { structuredContent } = await call("lookup", { id });
  return structuredContent.id !== id;
}

async function isReadWrong({ path, length }) {
  const { structuredContent } = await call("read_text_file", { path });
  return structuredContent.content.length !== length;
}

async function run({ calls, atOnce, file }) {
  const isWrong = (n) => (file === undefined ? isLookupWrong(n) : isReadWrong(file));
  const wrong = [];
  if (atOnce) wrong.push(...(await Promise.all(Array.from({ length: calls }, (_, n) => isWrong(n)))));
  else for (let n = 0; n < calls; n += 1) wrong.push(await isWrong(n));
  return wrong.filter(Boolean).length;
}

await ask("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "pml-bench", version: "1.0.0" },
});
say({ method: "notifications/initialized" });
serveRuns(new Socket({ fd: 3 }), run);
