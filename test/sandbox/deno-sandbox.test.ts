import { afterAll, describe, expect, it } from "vitest";
import { createDenoSandbox } from "../../src/sandbox/host/deno-sandbox.js";
import { describeSandbox } from "../suites/sandbox.suite.js";
import { resultOf, tryCode } from "../suites/sandbox-runs.js";

describeSandbox("deno", () => createDenoSandbox({ poolSize: 2 }));

describe("Sandbox: deno, while it waits for an answer", () => {
  const sandbox = createDenoSandbox({ poolSize: 1 });
  afterAll(() => sandbox.close());

  it("[FP-4] has told of rejections that nobody handles before the code goes on", async () => {
    const code = `Promise.reject("lost"); await mcp.a.b({}); console.log("after"); return "ok"`;
    const { outcome, events } = await tryCode(sandbox, code);
    expect(resultOf(outcome)).toBe("ok");
    expect(events.flatMap((event) => (event.kind === "log" ? [event.text] : []))).toEqual([
      "Unhandled promise rejection: lost",
      "after",
    ]);
  });
});
