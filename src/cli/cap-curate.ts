import { type AnswerOf, call, type InputOf } from "../app/call-operation.js";
import type { GatewayClient } from "../app/gateway-client.js";
import { parseShallow } from "../base/json-depth.js";
import { isJsonObject } from "../base/json-object.js";
import { messageOf } from "../base/pml-error.js";
import { capCurate } from "../gateway/own/cap-curate.js";
import { atGateway } from "./at-gateway.js";
import { appliedText, autoText, suggestionsText } from "./cap-curate-report.js";
import { review } from "./cap-review.js";
import { readText } from "./cap-source.js";
import type { GivenOf } from "./command-line.js";
import { KeyReader } from "./key-reader.js";
import { action } from "./operation-command.js";
import { usage } from "./options.js";
import { printJson, printLine, printNote, printWarnings } from "./output.js";
import type { Stdin } from "./stdin.js";

const EXIT_FAILED = 1;

const OWN = {
  auto: ["", "apply suggestions with confidence over 0.8, without asking"],
  apply: ["FILE", "apply names from a JSON file (- for stdin): edited output of --json, or [{ id, name }]"],
  all: ["", "also capabilities with a name"],
} as const;

/** `pml cap curate`: a review in a terminal, otherwise one call and its answer. */
export const curate = action({
  operation: capCurate,
  flags: {
    "min-usage": ["min_usage", "only capabilities used at least N times"],
    namespace: ["namespace", "only capabilities of this namespace"],
    limit: ["limit", "how many"],
    offset: ["offset", "skip the first N"],
  },
  without: ["mode", "unnamed_only", "renames", "detail"],
  own: OWN,
  examples: [
    "pml cap curate",
    "pml cap curate --auto --min-usage 3",
    "pml cap curate --json > names.json && pml cap curate --apply names.json",
  ],
  complete: completed,
  async session(input, values, settings) {
    const isReviewed =
      process.stdin.isTTY === true &&
      process.stdout.isTTY === true &&
      process.stderr.isTTY === true &&
      [values.auto, values.apply, values.json, input.limit, input.offset].every((one) => one === undefined);
    return await atGateway(settings, (client) =>
      isReviewed ? reviewAt(client, input.filter) : once(client, input, values.json === true),
    );
  },
});

type Input = InputOf<"cap:curate">;
type Answer = AnswerOf<"cap:curate">;
type Rename = NonNullable<Input["renames"]>[number];

async function once(client: GatewayClient, input: Input, json: boolean): Promise<number> {
  const answer = await call(client, "cap:curate", input, { onProgress: () => {} });
  printWarnings(answer);
  if (json) printJson(answer);
  else printLine(textOf(answer, input.offset ?? 0));
  return answer.mode === "apply" && answer.failed > 0 ? EXIT_FAILED : 0;
}

async function reviewAt(client: GatewayClient, filter: Input["filter"]): Promise<number> {
  const keys = new KeyReader(process.stdin, process.stderr);
  const warned = new Set<string>();
  const ask = async <Mode extends Answer["mode"]>(mode: Mode, input: Omit<Input, "mode">) => {
    const answer = await call(client, "cap:curate", { mode, ...input }, { onProgress: () => {} });
    printWarnings(answer, warned);
    return answer as Extract<Answer, { readonly mode: Mode }>;
  };
  try {
    const { accepted, skipped, failed } = await review({
      suggest: (offset, limit) => ask("suggest", { filter, detail: "full", offset, limit }),
      apply: (renames) => ask("apply", { renames }),
      key: (question) => keys.key(question),
      line: (question) => keys.line(question),
      print: printNote,
    });
    const seen = accepted + skipped + failed;
    printLine(
      seen === 0
        ? "Nothing was named"
        : `${accepted} named, ${skipped} skipped${failed === 0 ? "" : `, ${failed} failed`}`,
    );
    return failed > 0 ? EXIT_FAILED : 0;
  } finally {
    keys.close();
  }
}

function textOf(answer: Answer, offset: number): string {
  if (answer.mode === "auto") return autoText(answer);
  if (answer.mode === "apply") return appliedText(answer);
  return suggestionsText(answer, offset);
}

function completed(read: Input, { auto, apply, all, json }: GivenOf<typeof OWN>, stdin: Stdin): Input {
  const input: Input = all === true ? { ...read, filter: { ...read.filter, unnamed_only: false } } : read;
  if (apply !== undefined) {
    if (auto === true) throw usage("cap", "Expected either --auto or --apply, found both");
    if (Object.keys(input).length > 0)
      throw usage(
        "cap",
        "--apply takes the capabilities from its file and cannot be combined with other options",
      );
    return { mode: "apply", renames: renamesOf(readText(apply, "list of names", stdin), apply) };
  }
  if (auto !== true) return { mode: "suggest", ...input, detail: json === true ? "full" : undefined };
  if (input.offset !== undefined) throw usage("cap", "--offset cannot be combined with --auto");
  return { mode: "auto", ...input };
}

/** A list of renames, an object with such a list, or the output of `--json`, whose suggested names are used. */
export function renamesOf(text: string, file: string): readonly Rename[] {
  const where = file === "-" ? "stdin" : `"${file}"`;
  let value: unknown;
  try {
    value = parseShallow(text);
  } catch (error) {
    throw usage("cap", `Cannot read ${where}: ${messageOf(error)}`);
  }
  const rows = isJsonObject(value) ? (value.renames ?? value.suggestions) : value;
  if (!Array.isArray(rows))
    throw usage("cap", `Cannot read ${where}: expected [{ "id": …, "name": … }], or what --json printed`);
  if (rows.length === 0) throw usage("cap", `Nothing to apply: ${where} holds no names`);
  return rows.map((row: unknown, at) => {
    if (!isJsonObject(row)) throw usage("cap", `Cannot read ${where}: entry ${at + 1} is not an object`);
    const { id, name, suggestedName, currentName, description, tags } = row;
    // The gateway validates the person's input.
    return { id, name: name ?? suggestedName, currentName, description, tags } as Rename;
  });
}
