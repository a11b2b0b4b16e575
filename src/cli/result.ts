import { once } from "node:events";
import { type AnswerOf, call, type InputOf } from "../app/call-operation.js";
import { LIMITS } from "../base/limits.js";
import { pmlGetTaskResult } from "../gateway/own/get-task-result.js";
import { atGateway } from "./at-gateway.js";
import { action, single } from "./operation-command.js";
import { usage } from "./options.js";
import { printJson, visibleLines } from "./output.js";
import { LAST, runIdOf } from "./run-id.js";

type Page = AnswerOf<"pml:get_task_result">;

interface Range {
  readonly offset: number;
  /** The maximum of characters in total. */
  readonly most: number;
}

export const result = single(
  "result",
  action({
    operation: pmlGetTaskResult,
    about: `Prints the full result of one task of a run, as JSON. The answer of a run contains only a preview of large
results. WORKFLOW is the id of the run or the beginning of it, TASK one of its tasks, as \`pml trace\` shows them.
Results are kept for an hour by default (results.ttlSeconds).`,
    forms: ["result WORKFLOW TASK [OPTIONS]", "result --last TASK [OPTIONS]"],
    takes: "workflow_id task_id?",
    of: "result",
    flags: { offset: ["offset", "start at this character (default: 0)"] },
    without: "others",
    own: {
      last: ["", "of the newest run"],
      pretty: ["", "indented"],
      limit: ["N", "maximum number of characters (default: all)"],
    },
    examples: ["pml result 0b0f9d56 n1", "pml result --last n2 --pretty | less"],
    // A person may request more than one page.
    complete: (input, { limit, last }) => ({
      ...taskOf(input, last === true),
      ...(limit === undefined ? {} : { limit: count(limit) }),
    }),
    async session({ workflow_id: run, task_id, offset = 0, limit: most }, { pretty, json }, settings) {
      const range: Range = { offset, most: most ?? Number.POSITIVE_INFINITY };
      const format = pretty === true ? "pretty" : "raw";
      await atGateway(settings, async (client) => {
        const workflow_id = await runIdOf(client, run, "ended");
        const page = (offset: number, limit: number) =>
          call(client, "pml:get_task_result", { workflow_id, task_id, offset, limit, format });
        if (json === true) return printWhole(page, range);
        for await (const { content } of pages(page, range)) await write(content);
        await write("\n");
      });
      return 0;
    },
  }),
);

type Asked = InputOf<"pml:get_task_result">;

/** With `--last`, the only word is the task. */
function taskOf({ workflow_id: first, task_id: second, ...input }: Asked, isLast: boolean): Asked {
  if (isLast && second !== undefined) throw usage("result", "Expected WORKFLOW or --last, found both");
  if (!isLast && second === undefined) throw usage("result", "The task is missing: expected TASK");
  return isLast
    ? { ...input, workflow_id: LAST, task_id: first }
    : { ...input, workflow_id: first, task_id: second };
}

/** Requests one page after the other, so that a large result is never completely in memory. */
export async function* pages(
  ask: (offset: number, limit: number) => Promise<Page>,
  { offset, most }: Range,
): AsyncGenerator<Page> {
  let left = most;
  for (let at: number | undefined = offset; at !== undefined && left > 0; ) {
    const page: Page = await ask(at, Math.min(left, LIMITS.resultPageMostChars));
    yield page;
    left -= page.length;
    at = page.next_offset;
  }
}

async function printWhole(ask: Parameters<typeof pages>[0], range: Range): Promise<void> {
  const parts: Page[] = [];
  for await (const page of pages(ask, range)) parts.push(page);
  const last = parts.at(-1);
  printJson({
    content: parts.map(({ content }) => content).join(""),
    offset: range.offset,
    length: parts.reduce((sum, { length }) => sum + length, 0),
    total: last?.total,
    ...(last?.next_offset === undefined ? {} : { next_offset: last.next_offset }),
  });
}

/** Escapes control sequences for a terminal; a file gets the unchanged text. */
async function write(text: string): Promise<void> {
  const shown = process.stdout.isTTY === true ? visibleLines(text) : text;
  if (!process.stdout.write(shown)) await once(process.stdout, "drain");
}

function count(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw usage("result", `--limit is "${text}": expected a number from 1 on`);
}
