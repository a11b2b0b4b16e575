import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";

const CHILD = fileURLToPath(new URL("../../dist/sandbox/quickjs/quickjs-child.js", import.meta.url));
const MEMORY_MB = 64;
const children: Child[] = [];

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A process of the engine; `next` gives its lines, and at the end how it ended. */
function start(timeMs = 30_000): { send(line: string): void; next(): Promise<string> } {
  const child: Child = spawn(process.execPath, ["--stack-size=3900", CHILD, `${MEMORY_MB}`, `${timeMs}`], {
    stdio: ["pipe", "pipe", "pipe"],
    env: {},
  });
  children.push(child);
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  const take = (line: string): void => {
    const next = waiting.shift();
    if (next === undefined) lines.push(line);
    else next(line);
  };
  createInterface(child.stdout).on("line", take);
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  child.on("close", (code) => take(`ended ${code} ${stderr.trim()}`.trim()));
  return {
    send: (line) => void child.stdin.write(`${line}\n`),
    next: () => {
      const line = lines.shift();
      return line === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(line);
    },
  };
}

function runLine(code: string): string {
  const frame = {
    kind: "run",
    main: { code, parameters: [], lifted: [] },
    capabilities: [],
    args: {},
    toolCalls: 10,
    seed: "00".repeat(32),
    startedAt: 0,
    clock: [],
  };
  return `run\t${JSON.stringify(frame)}`;
}

function returned(value: unknown, usedRandomness = false): string {
  return `returned\t{"usedRandomness":${usedRandomness},"warnings":[]}\t${JSON.stringify(value)}`;
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

describe("a process of the QuickJS engine", () => {
  it("[EX-1] is used for one run after the other, and none sees the one before", async () => {
    const { send, next } = start();
    expect(await next()).toBe("ready");
    const code = `
      const seen = [globalThis.left, [].left, Math.max(1, 2), Math.random()];
      globalThis.left = "here";
      try { Array.prototype.left = "there"; } catch {}
      try { Math.max = () => "mine"; } catch {}
      return seen;`;
    const first = returned([null, null, 2, 0.4637585090540072], true);
    for (let run = 0; run < 5; run += 1) {
      send(runLine(code));
      expect(await next()).toBe(first);
      send("again");
      expect(await next()).toBe("ready");
    }
  });

  it("[EX-1] starts no timer of a run that is over in the next one", async () => {
    const { send, next } = start();
    await next();
    send(runLine("setTimeout(() => console.log('late'), 30); return 1"));
    expect(await next()).toBe(returned(1));
    send("again");
    expect(await next()).toBe("ready");
    send(runLine("await new Promise((wake) => setTimeout(wake, 80)); return 2"));
    expect(await next()).toBe('clock\t{"entries":[[1,0,"timer"]]}');
    expect(await next()).toBe(returned(2));
  });

  it("[EX-1] gives no answer to a call of the run before to the next one", async () => {
    const { send, next } = start();
    await next();
    send(runLine("void mcp.a.b({}); await Promise.resolve(); return 1"));
    expect(await next()).toContain("call\t");
    expect(await next()).toContain("returned\t");
    send('value\t1\t"late"');
    send("again");
    expect(await next()).toBe("ready");
    send(runLine("return await mcp.a.b({})"));
    expect(await next()).toContain("call\t");
    send('value\t1\t"mine"');
    expect(await next()).toBe(returned("mine"));
  });

  it("[EX-2] leaves when it is asked for another run while code still runs", async () => {
    const { send, next } = start();
    await next();
    send(runLine("await new Promise((wake) => setTimeout(wake, 60_000))"));
    send("again");
    expect(await next()).toBe("ended 0");
  });

  it("[EX-2] can be used again when code goes on after its return", async () => {
    const { send, next } = start();
    await next();
    send(runLine("(async () => { for (;;) await null; })(); return 1"));
    expect(await next()).toBe(returned(1));
    send("again");
    expect(await next()).toBe("ready");
  });

  it("[EX-2] leaves when code has made its memory large", async () => {
    const { send, next } = start();
    await next();
    send(runLine("return new Uint8Array(50_000_000).length"));
    expect(await next()).toBe(returned(50_000_000));
    send("again");
    expect(await next()).toBe("ended 0");
  });

  it("[EX-2] leaves when it has used the processor time of a run", async () => {
    const { send, next } = start(1);
    expect(await next()).toBe("ready");
    send(runLine("let sum = 0; for (let n = 0; n < 1_000_000; n += 1) sum += n; return sum"));
    expect(await next()).toBe(returned(499_999_500_000));
    send("again");
    expect(await next()).toBe("ended 0");
  });

  it("[EX-2] leaves after the engine itself ran out of stack, once it has said so", async () => {
    const { send, next } = start();
    await next();
    send(runLine(`return ${"(".repeat(40_000)}1${")".repeat(40_000)}`));
    expect(await next()).toMatch(/^threw\t.*"name":"RangeError"/);
    send("again");
    expect(await next()).toBe("ended 0");
  });

  it("[EX-2] says that memory was the reason when it ends for want of it", async () => {
    const { send, next } = start();
    await next();
    send(runLine("const all = []; for (;;) all.push({})"));
    expect(await next()).toBe("ended 1 out of memory");
  });

  it("[EX-1] loads no module for code, neither its own nor another", async () => {
    const { send, next } = start();
    await next();
    const names = ["guest/guest-core.js", "./guest-core.js", "node:fs", "pml:main"];
    send(
      runLine(`
        const all = await Promise.allSettled(${JSON.stringify(names)}.map((name) => import(name)));
        return all.map(({ status }) => status);`),
    );
    expect(await next()).toBe(returned(names.map(() => "rejected")));
  });

  it("ends with whoever started it", async () => {
    const { next } = start();
    await next();
    children[0]?.stdin.end();
    expect(await next()).toBe("ended 0");
  });
});
