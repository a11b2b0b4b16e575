/**
 * The one place that decides what clients are told about a failure.
 *
 * A model can react to a failed tool call, so those are results with `isError`. Errors that the protocol layer of a
 * client must notice are JSON-RPC errors. Errors that are not a `PmlError` are bugs of PML, and their text is not sent.
 *
 * @module
 */
import { type CallToolResult, ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/server";
import type { Log } from "../base/log.js";
import { type ErrorShape, errorShape, messageOf, PmlError, type PmlErrorCode } from "../base/pml-error.js";
import { structuredResult } from "./tool-result.js";

/** The `_meta` key where programs find code, message and further fields of an error that a model reads as text. */
const ERROR_META = "pml/error";

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** JSON-RPC code for each PML code; a new code does not compile until it has a line here. */
const JSON_RPC_CODE: Readonly<Record<PmlErrorCode, number>> = {
  NAME_INVALID: INVALID_PARAMS,
  NAME_TAKEN: INVALID_PARAMS,
  CAPABILITY_NOT_FOUND: INVALID_PARAMS,
  CAPABILITY_DELETED: INVALID_PARAMS,
  CAPABILITY_CHANGED: INVALID_PARAMS,
  CAPABILITY_EXISTS: INVALID_PARAMS,
  VERSION_NOT_FOUND: INVALID_PARAMS,
  TAG_TAKEN: INVALID_PARAMS,
  MERGE_UNCLEAR: INVALID_PARAMS,
  CODE_SYNTAX: INVALID_PARAMS,
  CODE_REFUSED: INVALID_PARAMS,
  RUN_FAILED: INTERNAL_ERROR,
  RUN_CANCELLED: INTERNAL_ERROR,
  SANDBOX_FAILED: INTERNAL_ERROR,
  RUN_NOT_FOUND: INVALID_PARAMS,
  RUN_BUSY: INTERNAL_ERROR,
  RUN_ENDED: INVALID_PARAMS,
  RUN_DIVERGED: INTERNAL_ERROR,
  CALL_IN_DOUBT: INTERNAL_ERROR,
  APPROVAL_REJECTED: INTERNAL_ERROR,
  APPROVAL_EXPIRED: INTERNAL_ERROR,
  TASK_NOT_FOUND: INVALID_PARAMS,
  RESULT_EXPIRED: INVALID_PARAMS,
  TOOL_QUARANTINED: INTERNAL_ERROR,
  DAG_INVALID: INVALID_PARAMS,
  APPROVAL_REQUIRED: INTERNAL_ERROR,
  TOOL_DENIED: INTERNAL_ERROR,
  NOT_ALLOWED: INVALID_PARAMS,
  TOKEN_REFUSED: INVALID_PARAMS,
  SCOPE_INSUFFICIENT: INVALID_PARAMS,
  ISSUER_UNAVAILABLE: INTERNAL_ERROR,
  TOKEN_NOT_FOUND: INVALID_PARAMS,
  AUDIT_BROKEN: INTERNAL_ERROR,
  PIN_REQUIRED: INVALID_PARAMS,
  PIN_WRONG: INVALID_PARAMS,
  PIN_LOCKED: INTERNAL_ERROR,
  SIGNATURE_INVALID: INTERNAL_ERROR,
  ROUTING_REFUSED: INTERNAL_ERROR,
  IMPORT_INVALID: INVALID_PARAMS,
  BACKUP_INVALID: INVALID_PARAMS,
  NOTHING_RECORDED: INVALID_PARAMS,
  RECORDING_INVALID: INVALID_PARAMS,
  CAPABILITY_BROKEN: INTERNAL_ERROR,
  KEY_INVALID: INVALID_PARAMS,
  TOOL_NOT_FOUND: INVALID_PARAMS,
  ARGUMENTS_INVALID: INVALID_PARAMS,
  PROMPT_NOT_FOUND: INVALID_PARAMS,
  // The SDK sends it as -32602 to clients of the revision that removed this code.
  RESOURCE_NOT_FOUND: -32002,
  RESOURCE_AMBIGUOUS: INVALID_PARAMS,
  INPUT_EXPIRED: INVALID_PARAMS,
  USAGE: INVALID_PARAMS,
  MESSAGE_INVALID: -32700,
  LIMIT_EXCEEDED: INTERNAL_ERROR,
  TOOL_FAILED: INTERNAL_ERROR,
  SERVER_UNAVAILABLE: INTERNAL_ERROR,
  SIGN_IN_REQUIRED: INTERNAL_ERROR,
  SIGN_IN_FAILED: INTERNAL_ERROR,
  SERVER_NOT_FOUND: INVALID_PARAMS,
  EMBEDDER_FAILED: INTERNAL_ERROR,
  CONFIG_INVALID: INTERNAL_ERROR,
  VARIABLE_UNSET: INTERNAL_ERROR,
  SECRET_UNKNOWN: INTERNAL_ERROR,
  SECRET_UNREADABLE: INTERNAL_ERROR,
  EXEC_FAILED: INTERNAL_ERROR,
  CONFIG_UNTRUSTED: INTERNAL_ERROR,
  CONFIG_MISMATCH: INTERNAL_ERROR,
  CLIENT_FILE_INVALID: INTERNAL_ERROR,
  CLIENT_FILE_CHANGED: INTERNAL_ERROR,
  STORE_LOCKED: INTERNAL_ERROR,
  STORE_FAILED: INTERNAL_ERROR,
  DATA_FOREIGN: INTERNAL_ERROR,
  GATEWAY_UNREACHABLE: INTERNAL_ERROR,
  GATEWAY_RESTARTED: INTERNAL_ERROR,
  SESSION_REQUIRED: INTERNAL_ERROR,
  CSRF_INVALID: INTERNAL_ERROR,
  BIND_REFUSED: INTERNAL_ERROR,
};

export function toProtocolError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const known = asPmlError(error);
  return known === undefined
    ? new ProtocolError(INTERNAL_ERROR, "Internal error")
    : new ProtocolError(JSON_RPC_CODE[known.code], known.message, errorShape(known));
}

/** Clients get no details of a fault of the gateway itself, so it is logged. */
export function toldError(error: unknown, log: Pick<Log, "error">): ProtocolError {
  if (!(error instanceof ProtocolError) && asPmlError(error) === undefined)
    log.error("request.failed", { message: messageOf(error) });
  return toProtocolError(error);
}

/** The answer to a failed call of `tool`. Rethrows a JSON-RPC error that the server itself sent. */
export function toToolResult(error: unknown, tool: CalledTool = {}): CallToolResult {
  // Servers report "unknown tool" and the like as protocol errors; the client gets the error unchanged.
  if (error instanceof ProtocolError) throw error;
  const known = asPmlError(error);
  if (known === undefined || known.code === "TOOL_NOT_FOUND" || known.code === "INPUT_EXPIRED")
    throw toProtocolError(error);
  return errorResult(errorShape(known), tool);
}

/** The error code of the answer, for usage and audit. */
export function codeOf(error: unknown): PmlErrorCode {
  return asPmlError(error)?.code ?? "TOOL_FAILED";
}

/** The properties of a tool that the form of an answer depends on. */
export interface CalledTool {
  readonly outputSchema?: unknown;
}

/**
 * Clients check `structuredContent` against the tool's output schema, even of errors, and some parse text that is JSON
 * into it. So the error of a tool with such a schema is plain text, and programs find its fields in `_meta`.
 */
export function errorResult(error: ErrorShape, { outputSchema }: CalledTool = {}): CallToolResult {
  const result = outputSchema === undefined ? structuredResult({ error }, true) : plainError(error);
  return { ...result, _meta: { [ERROR_META]: error } };
}

function plainError({ code, message, hint, workflowId }: ErrorShape): CallToolResult {
  const lines = [
    `${code}: ${message}`,
    hint,
    workflowId === undefined ? undefined : `workflowId: ${workflowId}`,
  ];
  return {
    content: [{ type: "text", text: lines.filter((line) => line !== undefined).join("\n") }],
    isError: true,
  };
}

/** Translates the SDK's errors about a server; returns undefined if the fault is PML's own. */
function asPmlError(error: unknown): PmlError | undefined {
  if (error instanceof PmlError) return error;
  if (!(error instanceof SdkError)) return undefined;
  if (error.code === SdkErrorCode.RequestTimeout) {
    return new PmlError("LIMIT_EXCEEDED", `Cannot wait longer for the server: ${messageOf(error)}`, {
      hint: "Raise `timeoutMs` of the server's entry in the configuration.",
      cause: error,
    });
  }
  return new PmlError("TOOL_FAILED", `Cannot use the server's answer: ${messageOf(error)}`, { cause: error });
}
