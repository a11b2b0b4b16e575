/**
 * Takes the place of the background gateway: an MCP server behind a socket whose one tool runs a program in the bare
 * sandbox of this process. After a line on stdin it prints a line on stdout when the pool of guests is full.
 *
 *   node sandbox.mjs SOCKET DIST_URL CODE [--smoke]
 */
import { createServer } from "node:net";
import { openSandbox } from "../sandboxes.mjs";
import { eachLine } from "./lines.mjs";
import { listen } from "./listen.mjs";
import { serveRuns } from "./mcp.mjs";

const [, , socketPath, dist, code] = process.argv;
const build = { load: (path) => import(new URL(path, dist).href) };
// The sandbox ends with its process.
const { run, whenFull } = await openSandbox({ atEnd() {} }, build, "deno");

listen(
  createServer((client) => serveRuns(client, (args) => run(code, args))),
  socketPath,
);
eachLine(process.stdin, async () => {
  await whenFull();
  console.log("full");
});
