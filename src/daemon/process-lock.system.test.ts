import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { takeProcessLock } from "./process-lock.js";

/** Called when a lock file is about to get its name. */
const beforeNamed = vi.hoisted(() => vi.fn<(file: string) => void>());
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const renameSync: typeof fs.renameSync = (from, to) => {
    beforeNamed(String(from));
    fs.renameSync(from, to);
  };
  return { ...fs, renameSync };
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
