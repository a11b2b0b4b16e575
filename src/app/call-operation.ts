/**
 * Calls of operations over the gateway's socket, for commands and the library.
 *
 * @module
 */

import { isJsonObject } from "../base/json-object.js";
import { type ErrorShape, errorFromShape, messageOf, PmlError } from "../base/pml-error.js";
import type { GatewayClient, ToolCallOptions } from "./gateway-client.js";
import type { AnswerOf, InputOf, OperationId } from "./operations.js";

export { argumentsText, callNotes, taskText } from "../execution/wait/ask-person.js";
export type { AnswerOf, InputOf, OperationId } from "./operations.js";

/** Returns the answer of an operation; throws its error, also if the gateway refuses the call. */
export async function call<Id extends OperationId, Answer extends AnswerOf<Id> = AnswerOf<Id>>(
  client: GatewayClient,
  id: Id,
  input: InputOf<Id>,
  options?: ToolCallOptions,
): Promise<Answer> {
  const result = await client.callTool(id, { ...input }, options).catch((error: unknown) => {
    throw toldError(error);
  });
  if (isJsonObject(result.structuredContent)) return answerOf(result);
  const [first] = result.content;
  throw new PmlError("TOOL_FAILED", `Cannot read the answer of ${id}: ${first?.text ?? "it is empty"}`);
}

/** The answer of a gateway, which is assumed to have the type of its operation; throws if it is an error. */
export function answerOf<Answer>({
  structuredContent,
  _meta,
}: {
  readonly structuredContent?: unknown;
  readonly _meta?: Readonly<Record<string, unknown>> | undefined;
}): Answer {
  // The answer of a run is compact: the rest of it is in `_meta`.
  const content = { ...(structuredContent as object), ...(_meta?.["pml/run"] as object | undefined) };
  const { status, traceId, error } = content as Readonly<Record<string, unknown>>;
  // A failed run has a status or a trace: then the error is part of the answer.
  const thrown = status === undefined && traceId === undefined ? errorOf({ error }) : undefined;
  if (thrown !== undefined) throw thrown;
  return content as Answer;
}

/** The error in an answer, if there is one. */
export function errorOf({ error }: { readonly error?: unknown }): PmlError | undefined {
  if (!isJsonObject(error) || typeof error.message !== "string") return undefined;
  return errorFromShape({ ...error, code: String(error.code), message: error.message } as ErrorShape);
}

/** An error of the gateway has its own code; one without a code comes from a server, and is shown unchanged. */
export function toldError(error: unknown, hints: Readonly<Record<string, string>> = {}): unknown {
  const { code, data } = error as { readonly code?: unknown; readonly data?: Partial<ErrorShape> };
  if (typeof code !== "number") return error;
  const message = messageOf(error);
  if (typeof data?.code !== "string")
    return new PmlError("TOOL_FAILED", message, { data: { rpcCode: code }, cause: error });
  const hint = Object.hasOwn(hints, data.code) ? hints[data.code] : undefined;
  return errorFromShape({ ...data, code: data.code, message, ...(hint === undefined ? {} : { hint }) });
}
