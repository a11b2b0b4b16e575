import { followLogs, type LogLine, loggedServers, readLogs, withoutRepeats } from "../app/read-logs.js";
import { readDataDirectory } from "../app/settings.js";
import { meantWord } from "../base/nearest.js";
import { readOwner } from "../daemon/owner-file.js";
import { paintFor } from "./colour.js";
import { ownAction, single } from "./command.js";
import { logText } from "./log-report.js";
import { usage } from "./options.js";
import { printLine, printNote } from "./output.js";

const LINES_SHOWN = 100;
const LINES_MOST = 100_000;

export const logs = single(
  "logs",
  ownAction({
    about: `Shows the newest lines of the gateway's log and of what its servers wrote to stderr, oldest first. With
SERVER, only lines about that server. Lines that a failing server repeats at each retry are left out; repeatedLines
counts them. --json prints all lines as they are in the files: one JSON object a line.

The files are gateway.log and logs/SERVER.log in the data directory. A full file is renamed to FILE.1, and a new file
begins. Values of variables that the configuration gives to a server are replaced by their names. A gateway in the
foreground writes its own log to stderr.`,
    takes: "server?",
    own: {
      server: ["SERVER", "only lines about this server"],
      follow: ["", "wait for more lines; Ctrl-C ends it"],
      lines: ["N", `number of lines (default: ${LINES_SHOWN})`],
    },
    examples: ["pml logs", "pml logs -f", "pml logs filesystem -n 20"],
    async session({ server, follow, lines, config, "data-dir": named, json }) {
      const dataDir = readDataDirectory({ config, dataDir: named }, process.env);
      const paint = paintFor(process.stdout);
      const print = (line: LogLine) => printLine(json === true ? line.raw : logText(line, paint));
      const shown = json === true ? (line: LogLine) => [line] : withoutRepeats();
      const found = readLogs(dataDir, server, countOf(lines), shown);
      for (const line of found) print(line);
      if (found.length === 0) printNote(whyNone(dataDir, server));
      if (follow !== true) return 0;
      const end = new AbortController();
      process.once("SIGINT", () => end.abort());
      for await (const line of followLogs(dataDir, server, end.signal)) shown(line).forEach(print);
      return 0;
    },
  }),
);

function countOf(lines: string | undefined): number {
  if (lines === undefined) return LINES_SHOWN;
  if (/^[1-9]\d{0,5}$/.test(lines) && Number(lines) <= LINES_MOST) return Number(lines);
  throw usage("logs", `--lines is "${lines}": expected a number from 1 to ${LINES_MOST}`);
}

function whyNone(dataDir: string, server: string | undefined): string {
  const mode = readOwner(dataDir)?.mode;
  if (server !== undefined) {
    const meant = meantWord(server, loggedServers(dataDir));
    return `No lines about "${server}"${meant === undefined || meant === server ? "" : `; did you mean "${meant}"?`}`;
  }
  return mode === undefined || mode === "background"
    ? `No lines yet: no gateway has written a log in ${dataDir}`
    : "No lines: the gateway runs in the foreground, and its log is on its stderr";
}
