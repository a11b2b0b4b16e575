import { call, type InputOf } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import { nearest } from "../base/nearest.js";
import { cacheText } from "./cache-report.js";
import { count } from "./cap-values.js";
import type { Command } from "./commands.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printJson, printLine } from "./output.js";

const ACTIONS = ["stats", "clear", "log"] as const;

interface CacheValues {
  readonly tool?: string | undefined;
  readonly all?: boolean | undefined;
  readonly limit?: string | undefined;
}

export const cache: Command = {
  help: `Usage: pml cache [stats] [OPTIONS]
       pml cache clear NAME [OPTIONS]
       pml cache clear --tool SERVER:TOOL [OPTIONS]
       pml cache clear --all [OPTIONS]
       pml cache log [--limit N] [OPTIONS]

PML caches the results of runs that only read, and returns them for the same code and arguments unless a run asks for a
fresh result (pml exec --no-cache). Without an action, shows the cache hits since the gateway started and the size of
the cache. clear drops results, on every gateway of the store within a second; log shows when and why results were dropped.

  NAME                 results of this capability, and of those that call it
  --tool SERVER:TOOL   results that depend on this tool
  --all                everything
  --limit N            rows of the log (default: 50)

${COMMON_HELP}  --json               the whole answer, for scripts

Examples:
  pml cache
  pml cache clear fs:read_json
  pml cache clear --tool filesystem:read_file
  pml cache log --limit 10
`,
  async run(argv) {
    const { values, positionals } = parseOptions("cache", argv, {
      ...COMMON_OPTIONS,
      tool: { type: "string" },
      all: { type: "boolean" },
      limit: { type: "string" },
    });
    const input = inputOf(positionals, values);
    const answer = await withGateway(settingsOf("cache", values), (client) =>
      call(client, "pml:cache", input),
    );
    if (values.json === true) printJson(answer);
    else printLine(cacheText(answer));
    return 0;
  },
};

function inputOf(
  [action = "stats", name, extra]: readonly string[],
  { tool, all, limit }: CacheValues,
): InputOf<"pml:cache"> {
  if (action !== "stats" && action !== "clear" && action !== "log") {
    const [like] = nearest(action, ACTIONS, 1);
    const offer = like === undefined ? "" : `; did you mean "${like}"?`;
    throw usage("cache", `Expected ${ACTIONS.join(", ")}, found ${JSON.stringify(action)}${offer}`);
  }
  const isClear = action === "clear";
  const unexpected = isClear ? extra : name;
  if (unexpected !== undefined) throw usage("cache", `Unexpected argument "${unexpected}"`);
  if (!isClear && (tool !== undefined || all === true))
    throw usage("cache", `${tool === undefined ? "--all" : "--tool"} needs clear`);
  if (limit !== undefined && action !== "log") throw usage("cache", "--limit needs log");
  if (action === "log") return { action, limit: count("limit", limit, 1) };
  if (!isClear) return { action };
  const given = { name, tool, all: all === true ? (true as const) : undefined };
  const which = Object.values(given).filter((value) => value !== undefined);
  if (which.length !== 1)
    throw usage(
      "cache",
      `Cannot clear: expected one of NAME, --tool and --all, found ${which.length === 0 ? "none" : "several"}`,
    );
  return { action, ...given };
}
