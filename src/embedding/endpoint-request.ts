/**
 * One request to an OpenAI-compatible endpoint, with retries if it is busy.
 *
 * @module
 */
import { setTimeout as sleep } from "node:timers/promises";
import { LIMITS } from "../base/limits.js";
import { messageOf } from "../base/pml-error.js";
import { retryAfterMs } from "../base/retry-after.js";

export interface Endpoint {
  /** The address for the texts. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Patience {
  readonly tries: number;
  readonly waitMs: number;
  readonly waitMostMs: number;
}

/** A permanent refusal, with its reason. */
export class EndpointRefused extends Error {
  override readonly name = "EndpointRefused";
}

/** Returns the body of the answer. Rejects with {@link EndpointRefused}, or with the reason of `signal`. */
export async function post(
  { url, headers }: Endpoint,
  body: string,
  signal: AbortSignal,
  patience: Patience,
): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const outcome = await once(url, headers, body, signal);
    if (typeof outcome === "string") return outcome;
    signal.throwIfAborted();
    if (!outcome.isPassing || tries === patience.tries) throw new EndpointRefused(outcome.why);
    await sleep(waitOf(outcome.retryAfterMs, tries, patience), undefined, { signal });
  }
}

interface Failure {
  readonly why: string;
  /** Whether a retry may succeed soon. */
  readonly isPassing: boolean;
  readonly retryAfterMs?: number | undefined;
}

async function once(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<string | Failure> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      signal,
      // A key is sent only to the configured address.
      redirect: "manual",
    });
    if (response.ok) return await readBody(response);
  } catch (error) {
    if (error instanceof EndpointRefused) throw error;
    return { why: `it cannot be reached: ${reasonOf(error)}`, isPassing: true };
  }
  // The body is not shown, since it may repeat what was sent.
  await response.body?.cancel().catch(() => {});
  return refusalOf(response);
}

const MEANING: Readonly<Record<number, string>> = {
  400: "it rejected the request; check the model's name and dimensions",
  401: "it does not accept the API key",
  403: "the API key may not use this",
  404: "there is no such address or model; check url and model",
  413: "the texts are too long for the model",
  422: "it rejected the request; check the model's name and dimensions",
  429: "its rate limit is exceeded",
};

function refusalOf({ status, headers }: Response): Failure {
  const meaning =
    MEANING[status] ?? (status >= 500 ? "it failed with a server error" : "it rejected the request");
  return {
    why: `${meaning} (HTTP ${status})`,
    isPassing: status === 429 || status === 408 || status >= 500,
    retryAfterMs: retryAfterMs(headers.get("retry-after")),
  };
}

/** Doubles each time, with jitter. */
function waitOf(asked: number | undefined, tries: number, { waitMs, waitMostMs }: Patience): number {
  const own = waitMs * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
  return Math.min(asked ?? own, waitMostMs);
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > LIMITS.endpointAnswerBytes)
      throw new EndpointRefused(`its answer has more than ${LIMITS.endpointAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** `fetch` has the reason in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return messageOf(cause ?? error);
}
