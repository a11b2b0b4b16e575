import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Log, silentLog } from "../../src/base/log.js";
import type { Sandbox } from "../../src/execution/ports/sandbox.js";
import { createDenoSandbox, type DenoSandboxOptions } from "../../src/sandbox/host/deno-sandbox.js";
import { findDeno } from "../../src/sandbox/host/find-deno.js";
import { createQuickjsSandbox } from "../../src/sandbox/quickjs/quickjs-sandbox.js";
import { result, resultOf, tryCode, value } from "../suites/sandbox-runs.js";

const opened: Sandbox[] = [];

function open(options: DenoSandboxOptions = {}): Sandbox {
  const sandbox = createDenoSandbox({ poolSize: 1, ...options });
  opened.push(sandbox);
  return sandbox;
}

afterEach(async () => {
  for (const sandbox of opened.splice(0)) await sandbox.close();
});

/** Pids of the children of a process, by the kernel's list. */
function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return text === "" ? [] : text.split(" ").map(Number);
}

function brokers(): readonly number[] {
  return childrenOf(process.pid).filter((pid) => commandOf(pid).includes("broker.js"));
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

async function isGone(pid: number): Promise<boolean> {
  await vi.waitFor(() => expect(existsSync(`/proc/${pid}`)).toBe(false), { timeout: 5_000 });
  return true;
}

async function whenReady(sandbox: Sandbox): Promise<void> {
  await vi.waitFor(async () => expect((await sandbox.status()).ready).toBeGreaterThan(0), {
    timeout: 20_000,
  });
}

describe("the broker of the sandbox", () => {
  it("[EX-2] killed while it is idle, it is started again by the next run", async () => {
    const sandbox = open();
    await whenReady(sandbox);
    const [broker] = brokers();
    const guests = childrenOf(broker ?? 0);
    process.kill(broker ?? 0, "SIGKILL");
    for (const guest of guests) await isGone(guest);
    expect(await result(sandbox, "return 'again'")).toBe("again");
  });

  it("[EX-2] killed while code runs, the run is lost, its guest ends, and the next run works", async () => {
    const warned: string[] = [];
    const log: Log = { ...silentLog, warn: (event) => warned.push(event) };
    const sandbox = open({ log });
    let isAborted = false;
    const { outcome } = await tryCode(sandbox, "console.log('x'); mcp.a.b({}); for (;;) await null", {
      call(_call, signal) {
        signal.addEventListener("abort", () => {
          isAborted = true;
        });
        const [broker] = brokers();
        guests = childrenOf(broker ?? 0);
        process.kill(broker ?? 0, "SIGKILL");
        return new Promise(() => {});
      },
    });
    expect(resultOf(outcome)).toBe("lost: The process that runs the sandbox ended (signal SIGKILL)");
    expect(isAborted).toBe(true);
    expect(warned).toEqual(["sandbox.broker_ended"]);
    for (const guest of guests) await isGone(guest);
    expect(await result(sandbox, "return 'again'")).toBe("again");
  });
  let guests: readonly number[] = [];

  it("[EX-2] killed before a guest had the run, the run is started once more, unseen", async () => {
    const sandbox = open();
    const running = result(sandbox, "return await mcp.a.b({})", { call: async () => value("done") });
    await vi.waitFor(() => expect(brokers().length).toBeGreaterThan(0));
    process.kill(brokers().at(-1) ?? 0, "SIGKILL");
    expect(await running).toBe("done");
  });

  it("[EX-2] replaces a guest that was killed while it waited", async () => {
    const sandbox = open();
    await whenReady(sandbox);
    const [guest] = childrenOf(brokers().at(-1) ?? 0);
    process.kill(guest ?? 0, "SIGKILL");
    await isGone(guest ?? 0);
    expect(await result(sandbox, "return 1")).toBe(1);
  });

  it("[EX-2] a run gets another guest where the one that it was given has just ended", async () => {
    const sandbox = open();
    await whenReady(sandbox);
    const [guest = 0] = childrenOf(brokers().at(-1) ?? 0);
    process.kill(guest, "SIGKILL");
    // The broker notices. This process does not, because its event loop has no turn.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    expect(childrenOf(brokers().at(-1) ?? 0)).not.toContain(guest);
    expect(await result(sandbox, "return await mcp.a.b({})", { call: async () => value("done") })).toBe(
      "done",
    );
  });

  it("[SC-1] guests end when nothing runs; the next run has one, and others wait again", async () => {
    const sandbox = open({ poolSize: 2, idleMs: 2_000 });
    expect(await result(sandbox, "return 1 + 1")).toBe(2);
    const [broker = 0] = brokers();
    await vi.waitFor(() => expect(childrenOf(broker)).toEqual([]), { timeout: 20_000 });
    expect(await sandbox.status()).toMatchObject({ state: "ready", ready: 0 });
    expect(await result(sandbox, "return 2 + 2")).toBe(4);
    await vi.waitFor(async () => expect((await sandbox.status()).ready).toBe(2), { timeout: 20_000 });
    expect(brokers()).toEqual([broker]);
  });

  it("[EX-2] a run whose process was killed from outside is lost, and the next one works", async () => {
    const sandbox = open();
    await whenReady(sandbox);
    const [guest] = childrenOf(brokers().at(-1) ?? 0);
    const { outcome } = await tryCode(sandbox, "console.log('looping'); for (;;);", {
      onEvent: () => process.kill(guest ?? 0, "SIGKILL"),
    });
    expect(resultOf(outcome)).toBe("lost: The process of the run ended with signal SIGKILL");
    expect(await result(sandbox, "return 'again'")).toBe("again");
  });

  it("[EX-2] ends with the gateway, and every guest with it", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pml-"));
    const script = join(folder, "gateway.mjs");
    const host = new URL("../../dist/sandbox/host/deno-sandbox.js", import.meta.url).href;
    writeFileSync(
      script,
      `import { readFileSync } from "node:fs";
       import { createDenoSandbox } from ${JSON.stringify(host)};
       const sandbox = createDenoSandbox({ poolSize: 1 });
       const children = (pid) => readFileSync(\`/proc/\${pid}/task/\${pid}/children\`, "utf8").trim().split(" ");
       void sandbox.run({ program: { main: { code: "console.log('x'); for (;;);", parameters: [], lifted: [] }, capabilities: [] }, args: {},
         limits: { timeMs: 60000, memoryMb: 128, toolCalls: 10 }, seed: "00".repeat(32), startedAt: 0 },
         { call: async () => ({ kind: "value", text: "1" }), event() {
           const [broker] = children(process.pid);
           console.log([broker, ...children(broker)].join(" "));
           console.log(/"wire":"([^"]+)"/.exec(readFileSync(\`/proc/\${broker}/cmdline\`, "utf8"))[1]);
           process.kill(process.pid, "SIGKILL");
         } }, new AbortController().signal);`,
    );
    let printed = "";
    try {
      execFileSync(process.execPath, [script], { encoding: "utf8" });
    } catch (error) {
      printed = (error as { readonly stdout: string }).stdout;
    }
    rmSync(folder, { recursive: true });
    const [list = "", wire = ""] = printed.trim().split("\n");
    const pids = list.split(" ").map(Number);
    expect(pids.length).toBeGreaterThan(1);
    for (const pid of pids) await isGone(pid);
    expect(wire).toContain("guests");
    expect(existsSync(dirname(wire))).toBe(false);
  });

  it("[EX-2] leaves nothing behind when it is closed", async () => {
    const sandbox = open();
    await whenReady(sandbox);
    const broker = brokers().at(-1) ?? 0;
    const waiting = childrenOf(broker);
    const running = result(sandbox, "for (;;);");
    await sandbox.close();
    expect(await running).toMatch(/^lost: /);
    for (const pid of [broker, ...waiting]) await isGone(pid);
    await expect(result(sandbox, "return 1")).rejects.toMatchObject({ code: "SANDBOX_FAILED" });
  });

  it("[EX-2] leaves no directory behind, whoever of the two is killed", async () => {
    const sandbox = open();
    await whenReady(sandbox);
    const wireOf = (broker: number) => /"wire":"([^"]+)"/.exec(commandOf(broker))?.[1] ?? "";
    const broker = brokers().at(-1) ?? 0;
    const first = wireOf(broker);
    expect(existsSync(first)).toBe(true);
    process.kill(broker, "SIGKILL");
    // A guest of the first broker may still answer before it ends, too.
    await vi.waitFor(async () => {
      expect(await result(sandbox, "return 1")).toBe(1);
      expect(brokers()).not.toEqual([]);
    });
    const second = wireOf(brokers().at(-1) ?? 0);
    expect(existsSync(second)).toBe(true);
    await vi.waitFor(() => expect(existsSync(dirname(first))).toBe(false));
    await sandbox.close();
    expect(existsSync(dirname(second))).toBe(false);
  });

  it("[EX-2] gives a run with another size a process of its own", async () => {
    const sandbox = open();
    const code = "const a = new Uint8Array(150 * 1024 * 1024).fill(1); return a.length";
    expect(await result(sandbox, code, { limits: { memoryMb: 32 } })).toMatch(/^limit memory: .* 32 MiB/);
    expect(await result(sandbox, code, { limits: { memoryMb: 256, timeMs: 60_000 } })).toBe(
      150 * 1024 * 1024,
    );
  });

  it("says what is wrong when there is no Deno, or another program in its place", async () => {
    expect(findDeno("sunos", "sparc")).toBeUndefined();
    const missing = open({ deno: "/nowhere/deno" });
    await expect(result(missing, "return 1")).rejects.toMatchObject({
      code: "SANDBOX_FAILED",
      message: expect.stringMatching(/^Cannot start a process for the sandbox: .*\/nowhere\/deno/),
    });
    expect(await missing.status()).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("/nowhere/deno"),
    });
    const wrong = open({ deno: process.execPath });
    await expect(result(wrong, "return 1")).rejects.toMatchObject({ code: "SANDBOX_FAILED" });
  });
});

describe("a sandbox that has no place for wires", () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each([
    ["deno", createDenoSandbox],
    ["quickjs", createQuickjsSandbox],
  ])(
    "[EX-2] runs code, one run after the other, ends it, and bounds its lines: %s",
    async (_name, create) => {
      vi.stubEnv("TMPDIR", "/nowhere");
      const sandbox = create({ poolSize: 1 });
      opened.push(sandbox);
      const call = async () => value("done");
      for (const n of [1, 2, 3]) {
        const code = `return [${n}, await mcp.a.b({}), ...(await Promise.all([mcp.a.b({}), mcp.a.b({})]))]`;
        expect(await result(sandbox, code, { call })).toEqual([n, "done", "done", "done"]);
      }
      expect(commandOf(brokers().at(-1) ?? 0)).not.toContain('"wire"');
      expect(await result(sandbox, "for (;;);", { limits: { timeMs: 300 } })).toMatch(/^limit time: /);
      expect(await result(sandbox, "return 'x'.repeat(20_000_000)")).toMatch(/^limit output: /);
      expect(await result(sandbox, "return 'again'")).toBe("again");
    },
  );
});
