/**
 * Calls of PML's own tools over the socket of a gateway, as commands and the library make them.
 *
 * @module
 */

import { isJsonObject } from "../base/json-object.js";
import { type ErrorShape, errorFromShape, messageOf, PmlError } from "../base/pml-error.js";
import type { GatewayClient, ToolCallOptions } from "./gateway-client.js";

export type { CallNotes } from "../execution/approval-request.js";
export { argumentsText, callNotes, taskText } from "../execution/approval-text.js";

export type OwnAnswer = Readonly<Record<string, unknown>>;

/** The structured answer; throws where the gateway refused the call, not where the answer itself is an error. */
export async function callOwnTool(
  client: GatewayClient,
  name: string,
  args: Readonly<Record<string, unknown>>,
  options?: ToolCallOptions,
): Promise<OwnAnswer> {
  const { structuredContent, content } = await client
    .callTool(name, args, options)
    .catch((error: unknown) => {
      throw toldError(error);
    });
  if (isJsonObject(structuredContent)) return structuredContent;
  throw new PmlError(
    "TOOL_FAILED",
    `Cannot read the answer of ${name}: ${content[0]?.text ?? "it is empty"}`,
  );
}

/** The error that an answer holds, if it does. */
export function errorOf({ error }: OwnAnswer): PmlError | undefined {
  if (!isJsonObject(error) || typeof error.message !== "string") return undefined;
  return errorFromShape({ ...error, code: String(error.code), message: error.message } as ErrorShape);
}

/** The answer, where it is no error; else throws that. */
export function told(answer: OwnAnswer): OwnAnswer {
  const error = errorOf(answer);
  if (error !== undefined) throw error;
  return answer;
}

/** An error of the gateway has its own code with it; one without is a server's, and is shown as the server put it. */
export function toldError(error: unknown, hints: Readonly<Record<string, string>> = {}): unknown {
  const { code, data } = error as { readonly code?: unknown; readonly data?: Partial<ErrorShape> };
  if (typeof code !== "number") return error;
  const message = messageOf(error);
  if (typeof data?.code !== "string")
    return new PmlError("TOOL_FAILED", message, { data: { rpcCode: code }, cause: error });
  const hint = Object.hasOwn(hints, data.code) ? hints[data.code] : undefined;
  return errorFromShape({ ...data, code: data.code, message, ...(hint === undefined ? {} : { hint }) });
}
