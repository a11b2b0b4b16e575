/**
 * Computes what a run saved, for the ledger: results that the caller did not have to read, and code that it did not
 * have to send.
 *
 * @module
 */
import { LIMITS } from "../../base/limits.js";
import { CHARS_PER_TOKEN, type ColdRun, type RunSaving } from "../../registry/savings.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { RunReport } from "../run/run-bridge.js";
import type { EndedRun } from "../run/runner.js";

/** An upper bound of the tokens of a text, computed without a tokenizer. */
export type TokenCost = (text: string) => number;

/** A longer text counts as one token per character: counting would take longer than the answer may wait. */
const READ_CHARS = 4_000;

/** Estimated tokens of results of tools that were not part of the answer. */
export function unreadTokens({ resultChars, outcome }: Pick<RunReport, "resultChars" | "outcome">): number {
  const answered = outcome.kind === "returned" ? outcome.text.length : 0;
  const tokens = Math.floor(Math.max(0, resultChars - answered) / CHARS_PER_TOKEN);
  return Math.min(tokens, LIMITS.savedRunTokens);
}

/** The cost of a run that creates a version. */
export function coldRunOf(report: Pick<RunReport, "resultChars" | "outcome" | "programMs">): ColdRun {
  const { programMs } = report;
  return { resultTokens: unreadTokens(report), ...(programMs !== undefined && { programMs }) };
}

/** The saving of a run that succeeded and whose code was not sent. */
export function savedByRun(prepared: PreparedRun, { trace, report }: EndedRun, cost: TokenCost): RunSaving {
  const { executedAt: at, durationMs } = trace;
  return {
    at,
    sentTokens: sentTokens(prepared, cost),
    resultTokens: unreadTokens(report),
    ...(report.isReplayed === true ? {} : { durationMs }),
  };
}

/** The saving of an answer from a cache. */
export function savedByCache(prepared: PreparedRun, durationMs: number, cost: TokenCost): RunSaving {
  const isCodeSent = prepared.sent !== undefined;
  return { at: new Date(), durationMs, ...(isCodeSent ? {} : { sentTokens: sentTokens(prepared, cost) }) };
}

/** At most the tokens of the name and the arguments. */
function sentTokens({ of, request }: PreparedRun, cost: TokenCost): number {
  const sent = `${of?.capability.displayName ?? ""} ${JSON.stringify(request.args ?? {})}`;
  return sent.length > READ_CHARS ? sent.length : cost(sent);
}
