import { setTimeout as sleep } from "node:timers/promises";
import { LIMITS } from "../base/limits.js";
import { ModelFailed } from "./model-failed.js";

export interface RetryTimes {
  readonly nameRetryMs: number;
  readonly nameRetryMostMs: number;
}

/**
 * Retries once if the model is overloaded: at the time that it asks for, or after a moment, and never later than
 * `nameRetryMostMs`.
 */
export async function withOneRetry<T>(
  ask: () => Promise<T>,
  signal: AbortSignal,
  times: Partial<RetryTimes> = {},
): Promise<T> {
  const { nameRetryMs, nameRetryMostMs }: RetryTimes = { ...LIMITS, ...times };
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ModelFailed && error.isPassing)) throw error;
    // With jitter, so that clients do not retry at the same moment.
    const own = nameRetryMs * (0.5 + Math.random() / 2);
    await sleep(Math.min(error.retryAfterMs ?? own, nameRetryMostMs), undefined, { signal });
    return await ask();
  }
}
