import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { Sandbox, SandboxRun } from "../../src/execution/ports/sandbox.js";
import { type CreateSandboxOptions, createSandbox } from "../../src/sandbox/create-sandbox.js";

const folder = mkdtempSync(join(tmpdir(), "pml-engine-"));
const sandboxes: Sandbox[] = [];

function make(options: CreateSandboxOptions): Sandbox {
  const sandbox = createSandbox({ poolSize: 1, ...options });
  sandboxes.push(sandbox);
  return sandbox;
}

afterEach(async () => {
  for (const sandbox of sandboxes.splice(0)) await sandbox.close();
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const RUN: SandboxRun = {
  program: { main: { code: "return 1 + 1", parameters: [], lifted: [] }, capabilities: [] },
  args: {},
  limits: { timeMs: 20_000, memoryMb: 128, toolCalls: 1 },
  seed: "00".repeat(32),
  startedAt: 0,
};

async function result(sandbox: Sandbox): Promise<unknown> {
  const bridge = { call: () => Promise.reject(new Error("no call")), event() {} };
  const outcome = await sandbox.run(RUN, bridge, new AbortController().signal);
  return outcome.kind === "returned" ? outcome.text : outcome;
}

describe("[EX-2] the choice of an engine", () => {
  it("is QuickJS where there is no Deno, and says so", async () => {
    const sandbox = make({ findDeno: () => undefined });
    expect(await result(sandbox)).toBe("2");
    const { engine, reason } = await sandbox.status();
    expect([engine, reason]).toEqual([
      "quickjs",
      `Deno cannot be used: there is none for ${process.platform}-${process.arch}`,
    ]);
  });

  it("is QuickJS where Deno does not start", async () => {
    const broken = join(folder, "deno");
    writeFileSync(broken, "#!/bin/sh\nexit 127\n", { mode: 0o755 });
    const sandbox = make({ findDeno: () => broken });
    expect(await result(sandbox)).toBe("2");
    expect(await sandbox.status()).toMatchObject({
      engine: "quickjs",
      reason: `Deno cannot be used: "${broken}" does not start (127)`,
    });
  });

  it("is QuickJS where somebody wants it", async () => {
    const sandbox = make({ engine: "quickjs" });
    expect(await sandbox.status()).toMatchObject({ engine: "quickjs", reason: "the configuration says so" });
  });

  it("refuses runs where somebody wants Deno and there is none", async () => {
    const sandbox = make({ engine: "deno", findDeno: () => undefined });
    await expect(result(sandbox)).rejects.toMatchObject({ code: "SANDBOX_FAILED" });
    expect(await sandbox.status()).toMatchObject({ engine: "deno", state: "failed" });
  });

  it("refuses runs after it was closed", async () => {
    const sandbox = make({ engine: "quickjs" });
    await sandbox.close();
    await expect(result(sandbox)).rejects.toMatchObject({ code: "SANDBOX_FAILED" });
  });
});
