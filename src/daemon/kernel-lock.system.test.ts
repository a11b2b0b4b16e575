import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { takeKernelLock } from "./kernel-lock.js";

const place = mkdtempSync(join(tmpdir(), "pml-lock-"));
const children = new Set<ChildProcess>();
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

let count = 0;
function directory(): string {
  count += 1;
  const path = join(place, String(count));
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

/** A process that takes the lock, says whether it has it, and keeps it. */
async function holder(path: string): Promise<{ readonly child: ChildProcess; readonly has: boolean }> {
  const built = new URL("../../dist/daemon/kernel-lock.js", import.meta.url).href;
  const script = `const { takeKernelLock } = await import(${JSON.stringify(built)});
    const lock = await takeKernelLock(${JSON.stringify(path)});
    console.log(lock === undefined ? "no" : "yes");
    setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.add(child);
  const said = await new Promise<string>((resolve) =>
    child.stdout?.once("data", (text) => resolve(String(text))),
  );
  return { child, has: said.trim() === "yes" };
}

const gone = (child: ChildProcess) => new Promise((resolve) => child.once("exit", resolve));

describe("takeKernelLock [ST-2]", () => {
  it("is had by one, and free again when it is released", async () => {
    const path = directory();
    const first = await takeKernelLock(path);
    expect(first).toBeDefined();
    expect(await takeKernelLock(path)).toBeUndefined();
    first?.release();
    const second = await takeKernelLock(path);
    expect(second).toBeDefined();
    second?.release();
    if (process.platform === "linux") expect(readdirSync(path)).toEqual([]);
  });

  it("is free again when its holder was killed, and not while it is stopped", async () => {
    const path = directory();
    const { child, has } = await holder(path);
    expect(has).toBe(true);
    child.kill("SIGSTOP");
    expect(await takeKernelLock(path)).toBeUndefined();
    const exited = gone(child);
    child.kill("SIGKILL");
    await exited;
    const lock = await takeKernelLock(path);
    expect(lock).toBeDefined();
    lock?.release();
  });

  it("is had by one of many that come at once, in one process or several", async () => {
    for (let round = 0; round < 5; round += 1) {
      const path = directory();
      const locks = await Promise.all(Array.from({ length: 8 }, () => takeKernelLock(path)));
      expect(locks.filter((lock) => lock !== undefined)).toHaveLength(1);
      for (const lock of locks) lock?.release();
    }
    const path = directory();
    const holders = await Promise.all(Array.from({ length: 5 }, () => holder(path)));
    expect(holders.filter(({ has }) => has)).toHaveLength(1);
  });

  it.runIf(process.platform === "linux")("is another one in a copy of the directory", async () => {
    const path = directory();
    const first = await takeKernelLock(path);
    cpSync(path, `${path}-copy`, { recursive: true });
    expect(readdirSync(`${path}-copy`)).toHaveLength(1);
    const second = await takeKernelLock(`${path}-copy`);
    expect(second).toBeDefined();
    expect(await takeKernelLock(path)).toBeUndefined();
    for (const lock of [first, second]) lock?.release();
  });

  it.runIf(process.platform === "linux")(
    "is free where its process number is another process's by now",
    async () => {
      const path = directory();
      const lock = await takeKernelLock(path);
      const [name = ""] = readdirSync(path);
      const mark = JSON.parse(readFileSync(join(path, name), "utf8")) as { pid: number };
      writeFileSync(join(path, name), JSON.stringify({ ...mark, pid: process.ppid }));
      const next = await takeKernelLock(path);
      expect(next).toBeDefined();
      for (const one of [lock, next]) one?.release();
    },
  );

  it.runIf(process.platform === "linux")(
    "[TB-8] cannot be taken by whoever has seen its name in /proc/net/unix",
    async () => {
      const path = directory();
      const names = () => new Set(readFileSync("/proc/net/unix", "utf8").match(/@pml-[0-9a-f]{40}/g) ?? []);
      const before = names();
      const first = await takeKernelLock(path);
      const seen = [...names()].filter((name) => !before.has(name));
      first?.release();
      const squatters = await Promise.all(seen.map((name) => listening(`\0${name.slice(1)}`)));
      const again = await takeKernelLock(path);
      for (const squatter of squatters) squatter.close();
      expect(again).toBeDefined();
      again?.release();
    },
  );
});

function listening(path: string): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path }, () => resolve(server));
  });
}
