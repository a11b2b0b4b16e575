import type { JSONRPCErrorResponse } from "@modelcontextprotocol/server";
import { errorShape, PmlError } from "../base/pml-error.js";

const INVALID_REQUEST = -32600;

/** The error for the sender of a message that is too long, or for the receiver that waits for it. */
export function tooLongError(bytesMost: number): PmlError {
  return new PmlError(
    "LIMIT_EXCEEDED",
    `Cannot read a message: it is longer than ${bytesMost} bytes, the limit of one message`,
    { hint: "Send less at a time; the limit is fixed." },
  );
}

export function tooDeepError(levelsMost: number): PmlError {
  return new PmlError(
    "LIMIT_EXCEEDED",
    `Cannot read a message: it is nested deeper than ${levelsMost} levels`,
  );
}

/** The error as the answer to the request `id`. */
export function tooLongAnswer(id: string | number, error: PmlError): JSONRPCErrorResponse {
  return {
    jsonrpc: "2.0",
    id,
    error: { code: INVALID_REQUEST, message: error.message, data: errorShape(error) },
  };
}
