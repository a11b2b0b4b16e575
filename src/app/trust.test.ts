/** What is accepted is what is used, whatever happens to the file between two looks at it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { findConfig } from "./config-file.js";
import { trust } from "./trust.js";

const fs = vi.hoisted(() => ({ afterRead: (_file: unknown): void => {} }));
vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const readFileSync = (...args: Parameters<typeof real.readFileSync>) => {
    const content = real.readFileSync(...args);
    fs.afterRead(args[0]);
    return content;
  };
  return { ...real, readFileSync };
});

const directory = mkdtempSync(join(tmpdir(), "pml-trust-"));
const env = { XDG_CONFIG_HOME: join(directory, "xdg") };
const before = process.cwd();
afterAll(() => {
  process.chdir(before);
  rmSync(directory, { recursive: true, force: true });
});

it("[GW-3] uses the very bytes that were found to be accepted", () => {
  mkdirSync(join(directory, "work"));
  process.chdir(join(directory, "work"));
  const file = join(process.cwd(), "pml.json");
  const good = JSON.stringify({ mcpServers: { good: { command: "good" } } });
  const evil = JSON.stringify({ mcpServers: { evil: { command: "evil" } } });
  writeFileSync(file, good);
  trust(file, Buffer.from(good), env);
  let swaps = 0;
  fs.afterRead = (read) => {
    if (read !== file) return;
    swaps += 1;
    writeFileSync(file, evil);
  };
  expect(findConfig(undefined, env).value).toEqual(JSON.parse(good));
  expect(swaps).toBe(1);
  expect(() => findConfig(undefined, env)).toThrow("it has changed since it was accepted");
});
