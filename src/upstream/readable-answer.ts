import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { isJsonObject } from "../base/json-object.js";

/**
 * The message, or an error that replaces an answer that the protocol layer would silently skip: so the request fails at
 * once because the answer is unreadable, and not after a timeout of ten minutes.
 */
export function readableAnswer(message: JSONRPCMessage): JSONRPCMessage {
  const { jsonrpc, id, method, result, error } = message as Readonly<Record<string, unknown>>;
  if (method !== undefined || id === undefined || id === null) return message;
  const isFine = error === undefined ? isJsonObject(result) : result === undefined && isError(error);
  if (isFine && jsonrpc === "2.0") return message;
  const why = "Cannot use the server's answer: it is neither a result object nor an error object";
  return {
    jsonrpc: "2.0",
    id: id as string | number,
    error: { code: -32603, message: why, data: { code: "TOOL_FAILED", message: why } },
  };
}

function isError(error: unknown): boolean {
  return isJsonObject(error) && Number.isSafeInteger(error.code) && typeof error.message === "string";
}
