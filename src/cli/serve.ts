import { sectionOf } from "../app/config-file.js";
import type { Settings } from "../app/settings.js";
import { shellCommand } from "../app/shell-command.js";
import type { Command } from "./command.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, refuseArguments, settingsOf, usage } from "./options.js";
import { printLine, printNote } from "./output.js";

const HELP = `Usage: pml serve [OPTIONS]

Serves MCP on stdio. Joins the gateway of the data directory, and starts it in the background if none is running, so that
all clients of one directory share memory and servers.

${COMMON_HELP}  --http [HOST:]PORT   serve Streamable HTTP at /mcp in the foreground; 0 takes a free port (default: http.port of
                       the configuration)
  --no-daemon          serve stdio from this process, which then owns the data directory
  --role local|cloud   where this instance runs (default: local)

Examples:
  pml serve                            for an MCP client to start
  pml serve --config pml.json --http 7423
  pml serve --no-daemon --data-dir /srv/pml/data
`;

const PORT_MOST = 65_535;

export const serve: Command = {
  help: HELP,
  async run(argv) {
    const { values, positionals } = parseOptions("serve", withPort(argv), {
      ...COMMON_OPTIONS,
      http: { type: "string" },
      "no-daemon": { type: "boolean" },
    });
    refuseArguments("serve", positionals);
    const settings = settingsOf("serve", values);
    if (values.http === undefined && process.stdin.isTTY === true) printNote(inTerminal(settings));
    if (values.http !== undefined) return serveHttp(settings, values.http);
    if (values["no-daemon"] === true)
      return (await import("../app/serve-foreground.js")).serveStdioForeground(settings);
    const { serveJoined } = await import("../app/serve-joined.js");
    await serveJoined(settings, () => settingsOf("serve", values));
    // Ends even if a gateway is still being started, because the client has disconnected.
    process.exit(0);
  },
};

/** `--http` without a port uses the configured one. */
function withPort(argv: readonly string[]): readonly string[] {
  return argv.map((word, at) =>
    word === "--http" && (argv[at + 1] ?? "-").startsWith("-") ? "--http=" : word,
  );
}

async function serveHttp(settings: Settings, given: string): Promise<number> {
  const { host: configured, port } = sectionOf(settings.config, "http");
  if (given === "" && typeof port !== "number")
    throw usage("serve", "--http needs a port, such as --http 7423, or http.port in the configuration");
  const address = given === "" ? String(port) : given;
  const found = /^(?:(.+):)?(\d{1,5})$/.exec(address);
  if (found === null || Number(found[2]) > PORT_MOST)
    throw usage(
      "serve",
      `--http is "${address}": expected PORT or HOST:PORT, with a port up to ${PORT_MOST}`,
    );
  const { serveHttpForeground } = await import("../app/serve-foreground.js");
  const host = (found[1] ?? (typeof configured === "string" ? configured : "127.0.0.1")).replace(
    /^\[(.*)\]$/,
    "$1",
  );
  return serveHttpForeground(settings, { host, port: Number(found[2]) }, (url) =>
    printLine(welcome(url, settings)),
  );
}

/** For people who expected a prompt, or a server that prints its address. */
function inTerminal(settings: Settings): string {
  return `pml: This command speaks MCP on stdin and stdout, for an MCP client that starts it. It waits for JSON here.
     To connect a client, for example: ${shellCommand(settings, ["connect", "claude-code"])}
     To see whether everything works: ${shellCommand(settings, ["doctor"])}
     Ctrl-C ends it.`;
}

function welcome(url: string, settings: Settings): string {
  return `PML serves MCP at ${url}

Next, in another terminal:
  ${shellCommand(settings, ["tools", "list"])}
or give the endpoint to a client, for example:
  claude mcp add --transport http pml ${url}

Ctrl-C stops it.`;
}
