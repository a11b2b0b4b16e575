import { parseArgs } from "node:util";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { serveHttp } from "./fixture/http.mjs";
import { createConnectionServer } from "./fixture/server.mjs";

/**
 * The MCP server that the conformance suites know by heart: every tool, prompt and resource they call.
 *
 *   node fixture-server.mjs               over stdio, for a gateway that starts it
 *   node fixture-server.mjs --http PORT   over HTTP; prints its URL on stdout once it listens (PORT 0: a free one)
 */
const { values } = parseArgs({ options: { http: { type: "string" } } });

if (values.http === undefined) {
  serveStdio(({ era }) => createConnectionServer(era), {
    onerror: (error) => console.error("fixture:", error.message),
  });
} else {
  const { url } = await serveHttp(Number(values.http));
  console.log(url);
}
