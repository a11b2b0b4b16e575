import { LIMITS } from "../base/limits.js";
import { retryAfterMs } from "../base/retry-after.js";

export interface FailureDetails {
  /** It may be otherwise soon: it is overloaded, or asked too often. */
  readonly isPassing?: boolean;
  /** When it wants to be asked again. */
  readonly retryAfterMs?: number | undefined;
}

/** There is no answer, and why: a sentence that holds nothing of what was sent, nor of what came back. */
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

/** What a status says; the body is not shown, since it may repeat what was sent. */
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

/** `fetch` says what went wrong in the cause; of it only the code, which names no address and no header. */
export function unreachable(error: unknown): ModelFailed {
  let code: unknown;
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth += 1)
    code ??= (inner as { readonly code?: unknown }).code;
  const why = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? `: ${code}` : "";
  return new ModelFailed(`It cannot be reached${why}`);
}

/** A `ModelFailed` that is somewhere in what was thrown. */
export function failureIn(error: unknown): ModelFailed | undefined {
  for (let inner = error, depth = 0; inner instanceof Error && depth < 5; inner = inner.cause, depth += 1)
    if (inner instanceof ModelFailed) return inner;
  return undefined;
}
