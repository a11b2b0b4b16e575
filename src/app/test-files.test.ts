import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TestBundle } from "../execution/replay/bundle.js";
import type { Fqdn } from "../registry/fqdn.js";
import type { Recording } from "../registry/recording.js";
import { writeTestFiles } from "./test-files.js";

const recording = (n: number): Recording => ({
  format: 1,
  args: { n },
  structure: "s",
  calls: [],
  result: n,
  path: [],
  decisions: ["../../d1=true"],
});

const bundle = (...recordings: readonly Recording[]): TestBundle => ({
  format: 1,
  name: "num:same",
  fqdn: "local.default.num.same.0000" as Fqdn,
  version: 1,
  parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
  toolsUsed: [],
  dependencies: [],
  code: "return args.n;",
  units: [],
  recordings,
});

describe("[SW-1] files of recordings", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "pml-test-files-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const files = () => readdirSync(join(home, "num.same", "recordings"));

  it("are one each, inside of their directory whatever they say, and those that are no more go", async () => {
    await writeTestFiles(home, [bundle(recording(1), recording(2))]);
    const before = files();
    expect(before).toHaveLength(2);
    writeFileSync(join(home, "num.same", "recordings", "notes.json"), "{}");
    await writeTestFiles(home, [bundle(recording(2))]);
    expect(files()).toHaveLength(2);
    expect(files()).toContain("notes.json");
    expect(readdirSync(home)).toEqual(["num.same"]);
    expect(before.every((file) => /^-d1-true-[0-9a-f]{8}\.json$/.test(file))).toBe(true);
  });

  it("are in no directory that Windows takes for a device", async () => {
    const names = ["con:read", "LPT1", "nul:a:b", "console:read"];
    await writeTestFiles(
      home,
      names.map((name) => ({ ...bundle(recording(1)), name })),
    );
    expect(readdirSync(home).toSorted()).toEqual(["console.read", "~LPT1", "~con.read", "~nul.a.b"]);
  });

  it.each(["num.same", "num.same/recordings"])("are not written through a link: %s", async (link) => {
    const other = join(home, "other");
    mkdirSync(join(other, "recordings"), { recursive: true });
    const kept = [join(other, "mine-01234567.json"), join(other, "recordings", "mine-01234567.json")];
    for (const file of kept) writeFileSync(file, "{}");
    if (link.includes("/")) mkdirSync(join(home, "num.same"));
    symlinkSync(other, join(home, link));
    await expect(writeTestFiles(home, [bundle(recording(1))])).rejects.toMatchObject({
      code: "RECORDING_INVALID",
      message: expect.stringContaining("is a link"),
    });
    expect(kept.every((file) => existsSync(file))).toBe(true);
  });
});
