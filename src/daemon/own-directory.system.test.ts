/** Taking a data directory: whose it may be, who may look into it, and what happens when it is removed under us. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import { makeDataDirectory, ownDirectory } from "./own-directory.js";

const place = mkdtempSync(join(tmpdir(), "pml-own-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));
afterEach(() => vi.useRealTimers());
const ownerFile = (directory: string) => join(directory, "owner.json");

describe("a directory that is removed under its owner [ST-2]", () => {
  it("is lost to it, and what a new owner has put there stays when the old one leaves", async () => {
    const directory = join(place, "removed");
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const old = await ownDirectory(directory, "old");
    const lost = vi.fn();
    void old.lost.then(lost);
    await vi.advanceTimersByTimeAsync(LIMITS.heartbeatEveryMs * 3);
    expect(lost).not.toHaveBeenCalled();

    rmSync(directory, { recursive: true });
    const next = await ownDirectory(directory, "next");
    const written = readFileSync(ownerFile(directory), "utf8");
    expect(written).toContain('"next"');
    await vi.advanceTimersByTimeAsync(LIMITS.heartbeatEveryMs);
    expect(lost).toHaveBeenCalledOnce();

    old.release();
    expect(readFileSync(ownerFile(directory), "utf8")).toBe(written);
    next.release();
    expect(existsSync(ownerFile(directory))).toBe(false);
  });

  it("is lost to it where nothing comes after, too", async () => {
    const directory = join(place, "gone");
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const owned = await ownDirectory(directory, "old");
    const lost = vi.fn();
    void owned.lost.then(lost);
    rmSync(directory, { recursive: true });
    await vi.advanceTimersByTimeAsync(LIMITS.heartbeatEveryMs);
    expect(lost).toHaveBeenCalledOnce();
    owned.release();
    expect(existsSync(directory)).toBe(false);
  });
});

it("[SC-3] a directory whose disk is full is owned, and names its owner as soon as there is room", async () => {
  const directory = join(place, "full");
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const obstacle = join(directory, "owner.json.new");
  mkdirSync(join(obstacle, "in-the-way"), { recursive: true });
  const owned = await ownDirectory(directory, "full");
  const lost = vi.fn();
  void owned.lost.then(lost);
  await vi.advanceTimersByTimeAsync(LIMITS.heartbeatEveryMs);
  expect(existsSync(ownerFile(directory))).toBe(false);
  rmSync(obstacle, { recursive: true });
  await vi.advanceTimersByTimeAsync(LIMITS.heartbeatEveryMs);
  expect(readFileSync(ownerFile(directory), "utf8")).toContain('"full"');
  expect(lost).not.toHaveBeenCalled();
  owned.release();
  expect(existsSync(ownerFile(directory))).toBe(false);
});

describe("a directory that is there already [ST-2]", () => {
  const directory = (name: string, mode: number, holds: readonly string[] = []) => {
    const path = join(place, name);
    mkdirSync(path);
    for (const file of holds) writeFileSync(join(path, file), "");
    chmodSync(path, mode);
    return path;
  };
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it.each<[string, number, readonly string[]]>([
    ["private", 0o700, ["lock-id"]],
    ["readable, empty", 0o755, []],
    ["readable, with a file", 0o755, ["mcp-permissions.yaml"]],
    ["writable, empty", 0o777, []],
  ])("is closed to others: %s", (name, mode, holds) => {
    const path = directory(name, mode, holds);
    makeDataDirectory(path);
    expect(modeOf(path)).toBe("700");
  });

  it.each(["775", "757", "777"])("is refused where others may have put something into it (%s)", (text) => {
    const mode = Number.parseInt(text, 8);
    const path = directory(`theirs-${text}`, mode, ["lock-id"]);
    expect(() => makeDataDirectory(path)).toThrow(
      expect.objectContaining({
        code: "STORE_FAILED",
        message: `Cannot use the data directory "${path}": other users may write to it, and it is not empty`,
        hint: expect.stringContaining(`chmod 700 "${path}"`),
      }),
    );
    expect(modeOf(path)).toBe(text);
  });

  it.runIf(process.getuid?.() === 0)("is refused if it belongs to another user", () => {
    const path = directory("foreign", 0o700);
    chownSync(path, 12_345, 12_345);
    expect(() => makeDataDirectory(path)).toThrow(
      `Cannot use the data directory "${path}": it belongs to user 12345, this is user 0`,
    );
  });
});
