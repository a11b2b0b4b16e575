/**
 * PML's own question to a 2025-era client, sent while the client's request is open.
 *
 * The question outlives the request: if the client cancels the request, the question stays with its user, and a later
 * answer is passed to `late`.
 *
 * @module
 */
import type { InputRequiredResult, Server } from "@modelcontextprotocol/server";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { Caller } from "../mcp/real-servers.js";

type Input = NonNullable<Caller["input"]>;

export interface OpenRequest {
  readonly server: Server;
  readonly id: string | number;
  readonly caller: Caller;
}

/** The answer; undefined if the client could not ask or no answer came in time. Throws if the request was cancelled. */
export async function pushQuestion(
  { inputRequests = {}, requestState: state }: InputRequiredResult,
  { server, id, caller }: OpenRequest,
  late: (input: Input) => void,
): Promise<Input> {
  const withState = (responses: Input["responses"]): Input => ({
    responses,
    ...(state === undefined ? {} : { state }),
  });
  const options = { relatedRequestId: id, timeout: LIMITS.approvalExpiresSeconds * 1_000 };
  const answer = Promise.all(
    Object.entries(inputRequests).map(
      async ([key, question]) => [key, await server.request(question as never, options)] as const,
    ),
  ).then(
    (responses) => withState(Object.fromEntries(responses)),
    // The client cannot show it, or has disconnected.
    () => withState({}),
  );
  const stopProgress = tellProgress(caller);
  const waiting = new AbortController();
  try {
    const first = await Promise.race([answer, givenUp(caller.signal, waiting.signal)]);
    if (first !== undefined) return first;
    void answer.then(late);
    if (!caller.signal.aborted) return withState({});
    throw new PmlError("RUN_CANCELLED", "The request was cancelled while the user was asked");
  } finally {
    waiting.abort();
    stopProgress();
  }
}

/** Resolves when the client has cancelled its request, or the time limit has passed. */
function givenUp(request: AbortSignal, waiting: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      request.removeEventListener("abort", end);
      resolve(undefined);
    };
    const timer = setTimeout(end, LIMITS.inputWaitMs);
    request.addEventListener("abort", end);
    waiting.addEventListener("abort", end);
    if (request.aborted) end();
  });
}

/** Clients that reset their timeout on progress keep the request open. The values rise and stay below 1. */
function tellProgress({ onProgress }: Caller): () => void {
  if (onProgress === undefined) return () => {};
  let told = 0;
  const tell = () => {
    told += 1;
    onProgress({ progress: 1 - 1 / (told + 1), message: "Waiting for approval" });
  };
  tell();
  const timer = setInterval(tell, LIMITS.questionProgressMs);
  return () => clearInterval(timer);
}
