import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { takeProcessLock } from "./process-lock.js";

/** Called when a lock file is about to get its name, and when a file is about to be opened or read. */
const beforeNamed = vi.hoisted(() => vi.fn<(file: string) => void>());
const beforeRead = vi.hoisted(() => vi.fn<(file: string) => void>());
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const renameSync: typeof fs.renameSync = (from, to) => {
    beforeNamed(String(from));
    fs.renameSync(from, to);
  };
  const openSync: typeof fs.openSync = (path, ...more) => {
    beforeRead(String(path));
    return fs.openSync(path, ...more);
  };
  const readFileSync = ((path: string, ...more: []) => {
    beforeRead(path);
    return fs.readFileSync(path, ...more);
  }) as typeof fs.readFileSync;
  return { ...fs, renameSync, openSync, readFileSync };
});

it.runIf(process.platform === "linux")(
  "[ST-2] a lock is had by nobody twice, though two have looked before either has put its file",
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "pml-lock-"));
    try {
      beforeNamed.mockImplementationOnce((own) => {
        const rival = join(directory, "rival.lock");
        writeFileSync(rival, "");
        const mark = JSON.parse(readFileSync(own, "utf8")) as object;
        writeFileSync(rival, JSON.stringify({ ...mark, inode: statSync(rival).ino }));
      });
      expect(await takeProcessLock(directory)).toBeUndefined();
      expect(readdirSync(directory)).toEqual(["rival.lock"]);
      rmSync(join(directory, "rival.lock"));
      const lock = await takeProcessLock(directory);
      expect(readdirSync(directory)).toHaveLength(1);
      lock?.release();
      expect(readdirSync(directory)).toEqual([]);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
);

it.runIf(process.platform === "linux").each([
  ["its file", /\.lock$/],
  ["its process", /^\/proc\/\d+\/stat$/],
])("[ST-2] a lock is not taken from a holder of whom %s cannot be read at the moment", async (_, file) => {
  const directory = mkdtempSync(join(tmpdir(), "pml-lock-"));
  try {
    const lock = await takeProcessLock(directory);
    const held = readdirSync(directory);
    let reads = 0;
    beforeRead.mockImplementation((path) => {
      reads += Number(file.test(path));
      // The first process that is looked at is this one, which wants the lock.
      if (file.test(path) && (path.endsWith(".lock") || reads > 1))
        throw Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    });
    await expect(takeProcessLock(directory)).rejects.toThrow("EMFILE");
    expect(readdirSync(directory)).toEqual(held);
    lock?.release();
  } finally {
    beforeRead.mockReset();
    rmSync(directory, { recursive: true, force: true });
  }
});
