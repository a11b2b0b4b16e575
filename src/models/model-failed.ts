import { LIMITS } from "../base/limits.js";
import { retryAfterMs } from "../base/retry-after.js";

export interface FailureDetails {
  /** Whether a retry may succeed: the model is overloaded, or the rate limit is reached. */
  readonly isPassing?: boolean;
  /** The time after which the model allows a retry. */
  readonly retryAfterMs?: number | undefined;
}

/** A model gave no answer. The message says why, in one sentence without anything that was sent or received. */
export class ModelFailed extends Error {
  override readonly name = "ModelFailed";
  readonly isPassing: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { isPassing = false, retryAfterMs }: FailureDetails = {}) {
    super(message);
    this.isPassing = isPassing;
    this.retryAfterMs = retryAfterMs;
  }
}

const MEANING: Readonly<Record<number, string>> = {
  400: "It rejected the request; check the model's name",
  401: "It does not accept the API key",
  403: "The API key may not use this model",
  404: "There is no such address or model; check baseUrl and model",
  413: "The request is too long for the model",
  422: "It rejected the request; check the model's name",
  429: "Its rate limit is exceeded",
  529: "It is overloaded",
};

/** Converts a status to an error. The body is not shown, because it may repeat what was sent. */
export function refusedWith(status: number, headers: Headers | undefined, isOverloaded = false): ModelFailed {
  const meaning =
    MEANING[status] ?? (status >= 500 ? "It failed with a server error" : "It rejected the request");
  return new ModelFailed(`${isOverloaded ? "It is overloaded" : meaning} (HTTP ${status})`, {
    isPassing: isOverloaded || status === 429 || status >= 500,
    retryAfterMs: retryAfterMs(headers?.get("retry-after") ?? null),
  });
}

export function tooLong(): ModelFailed {
  return new ModelFailed(`Its answer has more than ${LIMITS.nameAnswerBytes} bytes`);
}

/** `fetch` gives the reason in the cause. Only its code is used, which has no address and no header. */
export function unreachable(error: unknown): ModelFailed {
  let code: unknown;
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth += 1)
    code ??= (inner as { readonly code?: unknown }).code;
  const why = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? `: ${code}` : "";
  return new ModelFailed(`It cannot be reached${why}`);
}

/** Returns the `ModelFailed` among the causes of an error. */
export function failureIn(error: unknown): ModelFailed | undefined {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth += 1)
    if (inner instanceof ModelFailed) return inner;
  return undefined;
}
