import { ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { PmlError } from "../base/pml-error.js";
import { errorResult, toldError, toProtocolError, toToolResult } from "./error-mapping.js";

/** The JSON-RPC error that a client is sent. */
function rpc(error: unknown): unknown {
  const { code, message, data } = toProtocolError(error);
  return { code, message, ...(data === undefined ? {} : { data }) };
}

/** `result CODE` where a model reads it, `error NUMBER` where the client does. */
function answer(error: unknown): string {
  try {
    const { structuredContent, isError } = toToolResult(error);
    const { code } = (structuredContent as { error: { code: string } }).error;
    return isError === true ? `result ${code}` : "no error at all";
  } catch (thrown) {
    return thrown instanceof ProtocolError ? `error ${thrown.code}` : `thrown ${String(thrown)}`;
  }
}

describe("toProtocolError", () => {
  it("sends code, message, hint and data of a PmlError", () => {
    const error = new PmlError("PROMPT_NOT_FOUND", "no", { hint: "look", data: { name: "x" } });
    expect(rpc(error)).toEqual({
      code: -32602,
      message: "no",
      data: { code: "PROMPT_NOT_FOUND", message: "no", hint: "look", name: "x" },
    });
  });

  it("leaves a server's own error as it is", () => {
    const error = new ProtocolError(-32042, "theirs", { any: 1 });
    expect(toProtocolError(error)).toBe(error);
  });

  it("says nothing of what is our own fault", () => {
    expect(rpc(new TypeError("cannot read /home/me/secret"))).toEqual({
      code: -32603,
      message: "Internal error",
    });
    expect(rpc("password")).toEqual({ code: -32603, message: "Internal error" });
  });

  it("tells the log of what is our own fault, and of nothing else", () => {
    const logged: unknown[] = [];
    const log = { error: (event: string, fields?: object) => void logged.push([event, fields]) };
    const errors = [
      new TypeError("x is no function"),
      new PmlError("USAGE", "no"),
      new ProtocolError(1, "theirs"),
    ];
    expect(errors.map((error) => toldError(error, log).code)).toEqual([-32603, expect.any(Number), 1]);
    expect(logged).toEqual([["request.failed", { message: "x is no function" }]]);
  });

  it("takes a timeout for a limit, and says what to do", () => {
    expect(rpc(new SdkError(SdkErrorCode.RequestTimeout, "Request timed out"))).toEqual({
      code: -32603,
      message: "Cannot wait longer for the server: Request timed out",
      data: {
        code: "LIMIT_EXCEEDED",
        message: "Cannot wait longer for the server: Request timed out",
        hint: "Raise `timeoutMs` of the server's entry in the configuration.",
      },
    });
  });

  it("takes anything else of the SDK for the server's failure", () => {
    expect(rpc(new SdkError(SdkErrorCode.ConnectionClosed, "closed"))).toMatchObject({
      code: -32603,
      data: { code: "TOOL_FAILED", message: "Cannot use the server's answer: closed" },
    });
  });
});

describe("[FP-15] toToolResult", () => {
  it.each([
    ["SERVER_UNAVAILABLE", "result SERVER_UNAVAILABLE"],
    ["ARGUMENTS_INVALID", "result ARGUMENTS_INVALID"],
    ["LIMIT_EXCEEDED", "result LIMIT_EXCEEDED"],
    ["TOOL_FAILED", "result TOOL_FAILED"],
    ["TOOL_NOT_FOUND", "error -32602"],
    ["INPUT_EXPIRED", "error -32602"],
  ] as const)("answers %s with %s", (code, expected) => {
    expect(answer(new PmlError(code, "no"))).toBe(expected);
  });

  it("passes a server's own error on", () => {
    expect(answer(new ProtocolError(-32601, "no such tool"))).toBe("error -32601");
  });
  it("answers a timeout with a result", () => {
    expect(answer(new SdkError(SdkErrorCode.RequestTimeout, "late"))).toBe("result LIMIT_EXCEEDED");
  });
  it("answers our own fault with an internal error", () => {
    expect(answer(new Error("bug"))).toBe("error -32603");
  });
});

describe("[FP-15, FP-21] errorResult", () => {
  it("says the error in structuredContent, and the same as text", () => {
    const error = { code: "TOOL_FAILED", message: "no", hint: "again" };
    expect(errorResult(error)).toEqual({
      content: [{ type: "text", text: '{"error":{"code":"TOOL_FAILED","message":"no","hint":"again"}}' }],
      structuredContent: { error },
      isError: true,
      _meta: { "pml/error": error },
    });
  });

  it("is plain text without structuredContent for a tool with an output schema", () => {
    const error = { code: "TOOL_FAILED", message: "no", hint: "again", workflowId: "w1", tool: "a:b" };
    expect(errorResult(error, { outputSchema: { type: "object" } })).toEqual({
      content: [{ type: "text", text: "TOOL_FAILED: no\nagain\nworkflowId: w1" }],
      isError: true,
      _meta: { "pml/error": error },
    });
  });

  it("has no empty lines", () => {
    const { content } = errorResult({ code: "TOOL_FAILED", message: "no" }, { outputSchema: {} });
    expect(content).toEqual([{ type: "text", text: "TOOL_FAILED: no" }]);
  });
});
