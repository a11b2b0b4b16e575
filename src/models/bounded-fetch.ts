/**
 * `fetch` for models: a key is sent where the configuration says and nowhere else, so redirects are not followed; and an
 * answer that does not end is not read to its end.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { tooLong } from "./model-failed.js";

/** These have no body, and must not be given one. */
const BODILESS: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

export async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: "manual" });
  const { status, headers, body } = response;
  if (body === null || BODILESS.has(status)) return response;
  let bytes = 0;
  const bounded = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > LIMITS.nameAnswerBytes) controller.error(tooLong());
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(bounded, { status, headers });
}
