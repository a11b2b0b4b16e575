import { describe, expect, it } from "vitest";
import type { Fqdn } from "../../registry/fqdn.js";
import type { SandboxFailure, SandboxThrew } from "../ports/sandbox.js";
import { failureError, type UnitSource } from "./run-failure.js";

const END = { clock: [], warnings: [] };
const INNER = "local.default.num.inc.abcd" as Fqdn;
const MAIN: UnitSource = {
  code: "const a = 1;\r\n  await mcp.num.inc({});\u2028last",
  // As if instrumentation had pushed everything one to the right.
  originalPosition: ({ line, column }) => ({ line, column: column - 1 }),
};
const CALLEE: UnitSource = { name: "num:inc", code: "throw 1;", originalPosition: (position) => position };

function told(outcome: SandboxFailure): string {
  const error = failureError(outcome, (unit) => (unit === undefined ? MAIN : CALLEE));
  return `${error.code}: ${error.message} ${JSON.stringify(error.data)}`;
}

function threw(more: Partial<SandboxThrew>): SandboxThrew {
  return { ...END, kind: "threw", name: "Error", message: "no luck", positions: [], ...more };
}

describe("[EX-4] failureError", () => {
  it("has the message, the place and the line of the agent's own code", () =>
    expect(told(threw({ positions: [{ line: 2, column: 4 }] }))).toBe(
      'RUN_FAILED: no luck (line 2: await mcp.num.inc({});) {"name":"Error","line":2,"column":3,"source":"await mcp.num.inc({});"}',
    ));
  it("counts lines as the language does", () =>
    expect(told(threw({ positions: [{ line: 3, column: 2 }] }))).toContain("(line 3: last)"));
  it("prefers the place in the main code to the one inside of a capability", () =>
    expect(
      told(
        threw({
          positions: [
            { unit: INNER, line: 1, column: 1 },
            { line: 1, column: 2 },
          ],
        }),
      ),
    ).toContain("(line 1: const a = 1;)"));
  it("names the capability where that is all that is known", () =>
    expect(told(threw({ positions: [{ unit: INNER, line: 1, column: 1 }] }))).toContain(
      "(line 1 of num:inc: throw 1;)",
    ));
  it("[ID-7] tells no place in what may not be seen, and rather one further out", () => {
    const hidden = "local.default.num.secret.abcd" as Fqdn;
    const at = (...units: readonly Fqdn[]) => {
      const outcome = threw({ positions: units.map((unit) => ({ unit, line: 1, column: 1 })) });
      return failureError(outcome, (unit) => (unit === hidden ? undefined : CALLEE)).message;
    };
    expect(at(hidden)).toBe("no luck");
    expect(at(hidden, INNER)).toBe("no luck (line 1 of num:inc: throw 1;)");
  });
  it("does without a place", () => expect(told(threw({}))).toBe('RUN_FAILED: no luck {"name":"Error"}'));
  it("says so where there is no message", () =>
    expect(told(threw({ name: "TypeError", message: "" }))).toContain("TypeError without a message"));
  it("[FP-1] has the tool's own error", () =>
    expect(
      told(threw({ tool: { code: "TOOL_FAILED", tool: "fs:read", content: '[{"type":"text"}]' } })),
    ).toBe('TOOL_FAILED: fs:read: no luck {"tool":"fs:read","content":[{"type":"text"}]}'));
  it("keeps the code of a call that PML refused", () =>
    expect(told(threw({ tool: { code: "ARGUMENTS_INVALID", tool: "fs:read" } }))).toMatch(
      /^ARGUMENTS_INVALID: /,
    ));
  it("takes no code from a guest that the bridge does not give, and content that is no JSON as it is", () =>
    expect(told(threw({ tool: { code: "\u0000STORE_FAILED", tool: "fs:read", content: "x" } }))).toBe(
      'TOOL_FAILED: fs:read: no luck {"tool":"fs:read","content":"x"}',
    ));
  it("[EX-2] names the limit", () =>
    expect(told({ ...END, kind: "limit", limit: "time", message: "the time limit of 5 ms" })).toBe(
      'LIMIT_EXCEEDED: the time limit of 5 ms {"limit":"time"}',
    ));
  it("tells a lost sandbox from a failed run", () =>
    expect(told({ ...END, kind: "lost", message: "gone" })).toBe("SANDBOX_FAILED: gone {}"));
  it("tells a cancelled run", () =>
    expect(told({ ...END, kind: "cancelled" })).toBe("RUN_CANCELLED: The run was cancelled {}"));
});
