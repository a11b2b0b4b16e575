/**
 * The types of operations' answers, as the pages use them.
 *
 * @module
 */
import type { AnswerOf } from "./api.js";

export type Stats = AnswerOf<"pml:stats">;
export type WaitingRun = NonNullable<AnswerOf<"pml:approvals">["waiting"]>[number];
export type Whois = Extract<AnswerOf<"cap:whois">, { readonly type: "capability" }>;
export type History = Extract<AnswerOf<"cap:history">, { readonly type: "capability" }>;
/** A run that has ended. */
export type Trace = Extract<AnswerOf<"pml:trace">, { readonly traceId: string }>;
/** A run in progress. */
export type RunningTrace = Extract<
  AnswerOf<"pml:trace">,
  { readonly status: "running"; readonly tasks: unknown }
>;
export type Runs = Extract<AnswerOf<"pml:trace">, { readonly runs: unknown }>;
export type Run = Runs["runs"][number];
export type Listed = Extract<
  AnswerOf<"cap:list">,
  { readonly capabilities: readonly { readonly id: string }[] }
>;
export type Row = Listed["capabilities"][number];
export type Suggestion = Extract<AnswerOf<"cap:curate">, { readonly mode: "suggest" }>["suggestions"][number];
export type ServerHealth = AnswerOf<"pml:servers">["servers"][number];
export type ChangedTool = AnswerOf<"pml:tools_changed">["tools"][number];
export type Graph = AnswerOf<"pml:graph">;
