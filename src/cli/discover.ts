import { call, type InputOf } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import type { Command } from "./commands.js";
import { discoverReport } from "./discover-report.js";
import { COMMON_HELP, COMMON_OPTIONS, parseOptions, settingsOf, usage } from "./options.js";
import { printJson, printLine, printNote, visibleLines } from "./output.js";

const OPTIONS = {
  type: { type: "string" },
  namespace: { type: "string" },
  "min-score": { type: "string" },
  limit: { type: "string" },
  offset: { type: "string" },
  full: { type: "boolean" },
} as const;

const LIMIT_MOST = 50;
const OFFSET_MOST = 10_000;

export const discover: Command = {
  help: `Usage: pml discover INTENT [OPTIONS]

Finds the tools and capabilities that match an intent, best first, as pml_discover does for an agent. Scores are between
0 and 1, and are comparable between intents. Intents in English work best.

  INTENT               the task, in one sentence
  --type tool|capability
                       only results of this type
  --namespace NAME     only tools of this server, and capabilities of this namespace
  --min-score X        only results with score X or more, between 0 and 1; 0 shows all (default: good matches)
  --limit N            results; 10 by default, 50 at most
  --offset N           skip the best N
  --full               with signature, reason, schemas and source

${COMMON_HELP}  --json               the whole answer, for scripts

Examples:
  pml discover "read a JSON file"
  pml discover "send a message" --type tool --limit 3
  pml discover "summarise a page" --namespace web --full
`,
  async run(argv) {
    const { values, positionals } = parseOptions("discover", argv, { ...COMMON_OPTIONS, ...OPTIONS });
    const input = discoverInput(positionals, values);
    const answer = await withGateway(settingsOf("discover", values), (client) =>
      call(client, "pml:discover", input),
    );
    if (values.json === true) {
      printJson(answer);
      return 0;
    }
    const { text, notes } = discoverReport(answer, {
      offset: Number(values.offset ?? 0),
      isFull: values.full === true,
    });
    for (const note of notes) printNote(visibleLines(note));
    printLine(text);
    return 0;
  },
};

type Values = { readonly [K in Exclude<keyof typeof OPTIONS, "full">]?: string | undefined } & {
  readonly full?: boolean | undefined;
  readonly json?: boolean | undefined;
};

/** What the tool is called with. */
export function discoverInput(words: readonly string[], values: Values): InputOf<"pml:discover"> {
  const intent = words.join(" ").trim();
  if (intent === "") throw usage("discover", "The intent is missing: expected INTENT");
  const { type, namespace } = values;
  if (type !== undefined && type !== "tool" && type !== "capability")
    throw usage("discover", `--type is "${type}": expected tool or capability`);
  const filter: NonNullable<InputOf<"pml:discover">["filter"]> = {
    type,
    namespace,
    minScore: scoreOf(values["min-score"]),
  };
  return {
    intent,
    filter: Object.values(filter).every((one) => one === undefined) ? undefined : filter,
    limit: countOf("limit", values.limit, 1, LIMIT_MOST),
    offset: countOf("offset", values.offset, 0, OFFSET_MOST),
    // Scripts are given what agents are given.
    detail: values.full === true ? "full" : undefined,
  };
}

function scoreOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const score = Number(text);
  if (/^\d*\.?\d+$/.test(text) && score <= 1) return score;
  throw usage("discover", `--min-score is "${text}": expected a number from 0 to 1`);
}

function countOf(option: string, text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (/^\d{1,9}$/.test(text) && count >= least && count <= most) return count;
  throw usage("discover", `--${option} is "${text}": expected a number from ${least} to ${most}`);
}
