import { pmlCache } from "../gateway/own/cache.js";
import { cacheText } from "./cache-report.js";
import { action, group } from "./operation-command.js";
import { usage } from "./options.js";

export const cache = group(
  "cache",
  `PML caches the results of runs that only read, and returns them for the same code and arguments unless a run asks for a
fresh result (pml exec --no-cache). clear drops results, on every gateway of the store within a second.`,
  {
    stats: action({
      operation: pmlCache,
      title: "Cache hits since the gateway started, and the size of the cache (default)",
      implied: { action: "stats" },
      without: ["name", "tool", "all", "limit"],
      examples: ["pml cache"],
      text: cacheText,
    }),
    clear: action({
      operation: pmlCache,
      title: "Drop results: of a capability, of a tool, or all",
      takes: "name?",
      implied: { action: "clear" },
      flags: {
        tool: ["tool", "results that depend on this tool", "SERVER:TOOL"],
        all: ["all", "everything"],
      },
      without: ["limit"],
      examples: ["pml cache clear fs:read_json", "pml cache clear --tool filesystem:read_file"],
      complete(input) {
        const { name, tool, all } = input;
        const which = [name, tool, all].filter((value) => value !== undefined).length;
        if (which !== 1)
          throw usage(
            "cache",
            `Cannot clear: expected one of NAME, --tool and --all, found ${which === 0 ? "none" : "several"}`,
          );
        return input;
      },
      text: cacheText,
    }),
    log: action({
      operation: pmlCache,
      title: "When and why results were dropped",
      implied: { action: "log" },
      flags: { limit: ["limit", "rows (default: 50)"] },
      without: ["name", "tool", "all"],
      examples: ["pml cache log --limit 10"],
      text: cacheText,
    }),
  },
  "stats",
);
