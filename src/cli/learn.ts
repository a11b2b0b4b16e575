import { createReadStream, statSync } from "node:fs";
import { resolve } from "node:path";
import { type AnswerOf, call, type InputOf } from "../app/call-operation.js";
import type { GatewayClient } from "../app/gateway-client.js";
import { LIMITS } from "../base/limits.js";
import { messageOf } from "../base/pml-error.js";
import { pmlLearn } from "../gateway/own/learn.js";
import type { RecordedSession } from "../observation/recorded-session.js";
import { TranscriptReader } from "../observation/transcripts.js";
import { atGateway } from "./at-gateway.js";
import { fileLines } from "./file-lines.js";
import { acceptedText, candidatesText, importedText, shownText } from "./learn-report.js";
import { action, group } from "./operation-command.js";
import { usage } from "./options.js";
import { printJson, printLine, printNote } from "./output.js";
import { stderrProgress } from "./run-progress.js";

const OTHERS = ["new_name", "constants", "sessions", "batch", "last"];
const of = "name";

type Answer<Key extends string> = Extract<AnswerOf<"pml:learn">, Readonly<Record<Key, unknown>>>;

export const learn = group(
  "learn",
  `PML watches the tools that your clients call one by one. Calls that you made at least three times, with the same data
passed from one to the next, become a candidate: a program that does them in one call. Only you see it until you accept
it. learning.observe: false in the configuration switches this off.

pml learn --from FILE… learns from recorded sessions instead: transcripts of Claude Code (~/.claude/projects) and Codex
(~/.codex/sessions), sessions of opencode (opencode export), and plain JSONL with one session or one call per line.`,
  {
    list: action({
      operation: pmlLearn,
      title: "List the candidates (default), or learn --from recorded sessions",
      takes: "files…?",
      implied: { action: "list" },
      without: ["name", ...OTHERS],
      own: {
        from: ["FILE", "learn from this file of recorded sessions; more files may follow"],
        files: ["FILE", "more files"],
      },
      examples: ["pml learn", "pml learn --from ~/.claude/projects/*/*.jsonl"],
      async session(input, { from, json }, settings) {
        const { files: more = [] } = input as { readonly files?: readonly string[] };
        if (from === undefined && more.join("").trim() !== "")
          throw usage(
            "learn",
            `Unexpected argument "${more[0]}": expected list, show, accept, reject or --from`,
          );
        return await atGateway(settings, async (client) => {
          if (from === undefined) {
            const answer = (await call(client, "pml:learn", { action: "list" })) as Answer<"candidates">;
            if (json === true) printJson(answer);
            else printLine(candidatesText(answer.candidates));
            return 0;
          }
          const { answer, unknownLines } = await sendFiles(client, [from, ...more]);
          if (unknownLines > 0) printNote(`${unknownLines} lines contain no call and were left out`);
          if (json === true) printJson(answer);
          else printLine(importedText(answer));
          return 0;
        });
      },
    }),
    show: action({
      operation: pmlLearn,
      title: "Show the code of a candidate, and the evidence for it",
      takes: "name",
      of,
      implied: { action: "show" },
      without: OTHERS,
      examples: ["pml learn show shop:add_note"],
      text: (answer) => shownText(answer as Answer<"code">),
    }),
    accept: action({
      operation: pmlLearn,
      title: "Turn a candidate into a capability of the project, which clients see",
      takes: "name",
      of,
      implied: { action: "accept" },
      flags: { name: ["new_name", "name of the new capability", "NAMESPACE:ACTION"] },
      own: { "no-constants": ["", "keep values that were always the same as parameters"] },
      without: OTHERS.filter((field) => field !== "new_name"),
      examples: ["pml learn accept shop:add_note --name shop:call_back"],
      complete: (input, given) => (given["no-constants"] === true ? { ...input, constants: false } : input),
      text: (answer) => acceptedText(answer as Answer<"accepted">),
    }),
    reject: action({
      operation: pmlLearn,
      title: "Delete a candidate; the same calls are not offered again",
      takes: "name",
      of,
      implied: { action: "reject" },
      without: OTHERS,
      examples: ["pml learn reject shop:add_note"],
      text: (answer) => `Rejected: ${(answer as Answer<"rejected">).rejected}. It will not be offered again.`,
    }),
  },
  "list",
);

type Sessions = NonNullable<InputOf<"pml:learn">["sessions"]>;

async function sendFiles(client: GatewayClient, files: readonly string[]) {
  const batch = crypto.randomUUID();
  const progress = stderrProgress();
  let unknownLines = 0;
  let done = 0;
  const total = files.reduce((sum, file) => sum + sizeOf(file), 0);
  const parts = new Map<string, RecordedSession>();
  const send = async (all: readonly RecordedSession[]) => {
    for (const sessions of batchesOf(all))
      await call(client, "pml:learn", { action: "from", batch, last: false, sessions });
  };
  try {
    for (const file of files) {
      const reader = new TranscriptReader(resolve(file));
      for await (const { text, problem } of fileLines(createReadStream(file), LIMITS.importLineBytes)) {
        if (text === undefined) printNote(`A line of ${file} was left out: ${problem}`);
        else reader.line(text);
      }
      reader.end();
      unknownLines += reader.unknownLines;
      done += sizeOf(file);
      if (!reader.isPart) await send(reader.sessions());
      else
        for (const { id, calls } of reader.sessions())
          parts.set(id, { id, calls: [...(parts.get(id)?.calls ?? []), ...calls] });
      if (files.length > 1) progress.report({ progress: done, total, message: `read ${file}` });
    }
    await send([...parts.values()]);
    const answer = await call(client, "pml:learn", { action: "from", batch, last: true });
    return { answer: answer as Answer<"sessions">, unknownLines };
  } finally {
    progress.end();
  }
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch (error) {
    throw usage("learn", `Cannot read "${file}": ${messageOf(error)}`);
  }
}

/** Splits sessions so that each batch fits one message to the gateway. */
function* batchesOf(sessions: readonly RecordedSession[]): Generator<Sessions> {
  let batch: RecordedSession[] = [];
  let chars = 0;
  for (const session of sessions) {
    const size = JSON.stringify(session).length;
    if (size > LIMITS.importLineBytes) {
      printNote(`The session ${session.id} was left out: it is larger than ${LIMITS.importLineBytes} bytes`);
      continue;
    }
    if (chars + size > LIMITS.importBatchChars && batch.length > 0) {
      yield batch as Sessions;
      batch = [];
      chars = 0;
    }
    batch.push(session);
    chars += size;
  }
  if (batch.length > 0) yield batch as Sessions;
}
