/**
 * The ledger in the form for people: what a week of runs from memory saved, and which capabilities saved most.
 *
 * @module
 */
import type { AnswerOf } from "../app/call-operation.js";
import { ANY_WIDTH, table, visible } from "./output.js";

type ProjectSaved = AnswerOf<"pml:stats">["saved"];
type Figures = Pick<ProjectSaved, "runs" | "tokens" | "tokens_measured" | "tokens_estimated" | "ms">;

const NOTHING_YET =
  "Nothing saved yet. Run a capability by its name instead of sending its code again: `pml cap list` shows what there is.";

export function savedReport(saved: ProjectSaved): string {
  const { week } = saved;
  if (saved.runs === 0) return NOTHING_YET;
  const best = week.by_capability.map(({ name, deleted, ...figures }) => [
    `${visible(name)}${deleted === true ? " (deleted)" : ""}`,
    number(figures.runs),
    number(figures.tokens),
    number(figures.tokens_measured),
    number(figures.tokens_estimated),
    durationText(figures.ms),
  ]);
  return [
    week.runs === 0 ? "This week: no runs from memory." : `This week: ${savedSentence(week)}`,
    ...(week.runs === saved.runs ? [] : [`In all: ${savedSentence(saved)}`]),
    ...(best.length === 0
      ? []
      : ["", table([["SAVED BY", "RUNS", "TOKENS", "MEASURED", "ESTIMATED", "TIME"], ...best], ANY_WIDTH)]),
  ].join("\n");
}

/** `41 runs from memory saved about 18,200 tokens (12,900 measured, 5,300 estimated) and 3 min 12 s.` */
export function savedSentence({ runs, tokens, tokens_measured, tokens_estimated, ms }: Figures): string {
  const marks = `${number(tokens_measured)} measured, ${number(tokens_estimated)} estimated`;
  const tokensText = `${tokens_estimated > 0 ? "about " : ""}${number(tokens)} tokens (${marks})`;
  return `${number(runs)} ${runs === 1 ? "run" : "runs"} from memory saved ${tokensText} and ${durationText(ms)}.`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

/** The two largest units: `3 min 12 s`, `2 h 5 min`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.floor(ms)} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return two(minutes, "min", seconds % 60, "s");
  return two(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

function two(large: number, unit: string, small: number, smaller: string): string {
  return `${number(large)} ${unit}${small === 0 ? "" : ` ${small} ${smaller}`}`;
}
