import { describe, expect, it } from "vitest";
import { PmlError, type PmlErrorCode } from "../../src/base/pml-error.js";
import { toProtocolError } from "../../src/gateway/error-mapping.js";

/** Literals on purpose: clients match on these. A code may be added; none is renamed, removed or used anew. */
const PINNED: Readonly<Record<PmlErrorCode, number>> = {
  NAME_INVALID: -32602,
  TOOL_NOT_FOUND: -32602,
  ARGUMENTS_INVALID: -32602,
  TOOL_FAILED: -32603,
  SERVER_UNAVAILABLE: -32603,
  SERVER_NOT_FOUND: -32602,
  MESSAGE_INVALID: -32700,
  LIMIT_EXCEEDED: -32603,
  PROMPT_NOT_FOUND: -32602,
  RESOURCE_NOT_FOUND: -32002,
  RESOURCE_AMBIGUOUS: -32602,
  INPUT_EXPIRED: -32602,
  CONFIG_INVALID: -32603,
  VARIABLE_UNSET: -32603,
  SECRET_UNKNOWN: -32603,
  SECRET_UNREADABLE: -32603,
  CONFIG_UNTRUSTED: -32603,
  CONFIG_MISMATCH: -32603,
  CLIENT_FILE_INVALID: -32603,
  CLIENT_FILE_CHANGED: -32603,
  STORE_LOCKED: -32603,
  STORE_FAILED: -32603,
  DATA_FOREIGN: -32603,
  GATEWAY_UNREACHABLE: -32603,
  GATEWAY_RESTARTED: -32603,
  BIND_REFUSED: -32603,
  USAGE: -32602,
  NAME_TAKEN: -32602,
  CAPABILITY_NOT_FOUND: -32602,
  VERSION_NOT_FOUND: -32602,
  TAG_TAKEN: -32602,
  MERGE_UNCLEAR: -32602,
  CODE_SYNTAX: -32602,
  CODE_REFUSED: -32602,
  RUN_FAILED: -32603,
  RUN_CANCELLED: -32603,
  SANDBOX_FAILED: -32603,
  APPROVAL_REQUIRED: -32603,
  TOOL_DENIED: -32603,
  NOT_ALLOWED: -32602,
  PIN_REQUIRED: -32602,
  PIN_WRONG: -32602,
  PIN_LOCKED: -32603,
  SIGNATURE_INVALID: -32603,
  CAPABILITY_DELETED: -32602,
  CAPABILITY_EXISTS: -32602,
  CAPABILITY_CHANGED: -32602,
  ROUTING_REFUSED: -32603,
  IMPORT_INVALID: -32602,
  BACKUP_INVALID: -32602,
  KEY_INVALID: -32602,
  RUN_NOT_FOUND: -32602,
  RUN_BUSY: -32603,
  RUN_ENDED: -32602,
  RUN_DIVERGED: -32603,
  CALL_IN_DOUBT: -32603,
  APPROVAL_REJECTED: -32603,
  APPROVAL_EXPIRED: -32603,
  TASK_NOT_FOUND: -32602,
  RESULT_EXPIRED: -32602,
  TOOL_QUARANTINED: -32603,
  DAG_INVALID: -32602,
  EMBEDDER_FAILED: -32603,
};

describe("error codes", () => {
  it.each(Object.entries(PINNED))("%s is sent as %i", (code, number) => {
    expect(toProtocolError(new PmlError(code as PmlErrorCode, "x"))).toMatchObject({
      code: number,
      data: { code },
    });
  });

  it("an error of ours is -32603 and says nothing", () => {
    expect(toProtocolError(new Error("x"))).toMatchObject({ code: -32603, message: "Internal error" });
  });
});
