/**
 * Sends one request to a model over HTTP. A key is sent only to the configured address, so redirects are not followed.
 * An answer that is too long is not read to its end.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { failureIn, ModelFailed, refusedWith, tooLong, unreachable } from "./model-failed.js";

export type ModelAnswer = Readonly<Record<string, unknown>>;

export interface ModelRequest {
  readonly url: string;
  /** Local endpoints need none. */
  readonly apiKey: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The address of `path` below the configured address, which may end in slashes. */
export function addressBelow(baseUrl: string, path: string): string {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
  return url.href;
}

export async function post(
  { url, apiKey, headers = {}, body }: ModelRequest,
  signal: AbortSignal,
): Promise<Response> {
  const authorization = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  try {
    return await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/json", ...authorization, ...headers },
      body: JSON.stringify(body),
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw unreachable(error);
  }
}

/** Returns the JSON object of the answer; throws if the status is an error. */
export async function answerIn(response: Response, signal: AbortSignal): Promise<ModelAnswer> {
  const { ok, status, headers } = response;
  const text = await textOf(response, signal, ok);
  const value = parsed(text);
  if (!ok) throw refusedWith(status, headers, isOverloaded(value));
  if (value === undefined) throw new ModelFailed("Its answer is not JSON");
  return isJsonObject(value) ? value : {};
}

/** The text of an error is not needed: if it is too long or incomplete, returns an empty text. */
async function textOf(response: Response, signal: AbortSignal, isNeeded: boolean): Promise<string> {
  try {
    return await boundedText(response);
  } catch (error) {
    signal.throwIfAborted();
    if (!isNeeded) return "";
    throw failureIn(error) ?? unreachable(error);
  }
}

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > LIMITS.nameAnswerBytes) throw tooLong();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A proxy may return the error of the API under another status. */
function isOverloaded(value: unknown): boolean {
  const error = isJsonObject(value) ? value.error : undefined;
  return isJsonObject(error) && error.type === "overloaded_error";
}
