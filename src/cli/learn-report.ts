/**
 * The output of `pml learn`.
 *
 * @module
 */
import type { AnswerOf } from "../app/call-operation.js";
import { ANY_WIDTH, counted, table, visible, visibleLines } from "./output.js";

type Answer<Key extends string> = Extract<AnswerOf<"pml:learn">, Readonly<Record<Key, unknown>>>;
type Candidates = Answer<"calls_saved" | "sessions">["candidates"];

const NONE =
  "Nothing was learnt yet. Calls that a client makes three times, passing data from one to the next, appear here.";

export function candidatesText(candidates: Candidates): string {
  if (candidates.length === 0) return NONE;
  const rows = candidates.map(({ name, times, calls_saved, tools }) =>
    [name, `${times}`, `${calls_saved}`, tools.join(", ")].map((cell) => visible(cell)),
  );
  return `${table([["NAME", "TIMES", "CALLS SAVED", "TOOLS"], ...rows], ANY_WIDTH)}\n\npml learn show NAME shows one; accept and reject decide.`;
}

export function shownText(answer: Answer<"code">): string {
  const { name, description, source, trust, times, calls_saved, replayed, flows, usual = {}, code } = answer;
  const constants = Object.entries(usual).map(([key, value]) => `  ${key} = ${JSON.stringify(value)}`);
  return visibleLines(
    [
      `${name} (${source}, ${trust})`,
      description,
      "",
      `Seen ${counted(times, "time")}; ${counted(calls_saved, "call")} would have been saved. Replayed on ${counted(replayed, "recording")}, with the same calls.`,
      ...(flows.length === 0 ? [] : ["", "Data flow:", ...flows.map((flow) => `  ${flow}`)]),
      ...(constants.length === 0
        ? []
        : [
            "",
            "Values that were the same every time (kept in memory only); accept writes them into the program:",
            ...constants,
          ]),
      "",
      code,
    ].join("\n"),
  );
}

export function acceptedText({ accepted, constants }: Answer<"accepted">): string {
  const also = constants.length === 0 ? "" : ` Constants: ${constants.join(", ")}.`;
  return visible(`Accepted: ${accepted} is a capability of the project now.${also}`);
}

export function importedText(answer: Answer<"sessions">): string {
  const { sessions, calls, candidates, calls_saved, unknown_tools: unknown } = answer;
  const read = `${counted(sessions, "session")} with ${counted(calls, "call")} read`;
  const missing = unknown.length === 0 ? "" : `\n\n${missingText(unknown)}`;
  if (candidates.length === 0)
    return `${read}; no calls of ${unknown.length === 0 ? "theirs" : "tools that this gateway has"} occur three times with the same data flow.${missing}`;
  const share = calls === 0 ? 0 : Math.round((100 * calls_saved) / calls);
  return `${candidatesText(candidates)}\n\n${read}: these programs would have saved ${counted(calls_saved, "call")} (${Math.min(100, share)} %).${missing}`;
}

const UNKNOWN_SHOWN = 10;

function missingText(unknown: readonly string[]): string {
  const shown = unknown.slice(0, UNKNOWN_SHOWN).map((tool) => visible(tool));
  const more = unknown.length - shown.length;
  return `This gateway does not have ${counted(unknown.length, "tool")} of these sessions: ${shown.join(", ")}${more === 0 ? "" : ` and ${more} more`}.
Programs that call them are not offered. Add their servers with \`pml add\` or \`pml init\`, under the same names, and run this again.`;
}
