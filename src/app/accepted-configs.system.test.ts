/** The file of accepted configurations: private, whole, and refused when it is not. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { acceptedConfig, keepAccepted, removeAccepted } from "./accepted-configs.js";

const directory = mkdtempSync(join(tmpdir(), "pml-accepted-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const keyDir = join(directory, "deep", "keys");
const file = join(keyDir, "accepted.json");
const STATE = {
  config: "c",
  rules: undefined,
  facts: { servers: {}, settings: {}, rules: { servers: {} } },
};
beforeEach(() => rmSync(join(directory, "deep"), { recursive: true, force: true }));

describe("[TB-5] accepted.json", () => {
  it("keeps a state for each file, for its owner alone", () => {
    expect(acceptedConfig(keyDir, "/a")).toBeUndefined();
    keepAccepted(keyDir, "/a", STATE);
    keepAccepted(keyDir, "__proto__", { ...STATE, config: "d" });
    expect(acceptedConfig(keyDir, "/a")).toEqual(STATE);
    expect(acceptedConfig(keyDir, "__proto__")?.config).toBe("d");
    expect(acceptedConfig(keyDir, "constructor")).toBeUndefined();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(keyDir).mode & 0o777).toBe(0o700);
    expect(readdirSync(keyDir)).toEqual(["accepted.json"]);
    expect([removeAccepted(keyDir, "/a"), removeAccepted(keyDir, "/a")]).toEqual([true, false]);
    expect(acceptedConfig(keyDir, "/a")).toBeUndefined();
  });

  it.each<[string, () => void, RegExp]>([
    ["others may write it", () => chmodSync(file, 0o602), /other users may read or write it \(mode 0602/],
    ["others may read it", () => chmodSync(file, 0o640), /other users may read or write it/],
    [
      "others may write its directory",
      () => chmodSync(keyDir, 0o770),
      /other users may write to its directory/,
    ],
    ["it is no JSON", () => writeFileSync(file, "{"), /it is not JSON/],
    ["it is something else", () => writeFileSync(file, '{"configurations":{"/a":{}}}'), /PML did not write/],
  ])("is refused where %s, and stays as it is", (_what, spoil, message) => {
    keepAccepted(keyDir, "/a", STATE);
    spoil();
    const text = readFileSync(file, "utf8");
    for (const use of [
      () => acceptedConfig(keyDir, "/a"),
      () => keepAccepted(keyDir, "/b", STATE),
      () => removeAccepted(keyDir, "/a"),
    ])
      expect(use).toThrow(
        expect.objectContaining({ code: "CONFIG_INVALID", message: expect.stringMatching(message) }),
      );
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("takes no lock for held that a killed process has left", () => {
    mkdirSync(keyDir, { recursive: true, mode: 0o700 });
    writeFileSync(`${file}.lock`, "");
    utimesSync(`${file}.lock`, 1, 1);
    keepAccepted(keyDir, "/a", STATE);
    expect(acceptedConfig(keyDir, "/a")).toEqual(STATE);
  });

  it("loses nothing when several processes write at the same time", async () => {
    const module = fileURLToPath(new URL("../../dist/app/accepted-configs.js", import.meta.url));
    const program = `
      const { keepAccepted } = await import(process.argv[1]);
      for (let n = 0; n < 20; n += 1)
        keepAccepted(process.argv[2], process.argv[3] + n, ${JSON.stringify(STATE)});
    `;
    const names = ["p", "q", "r", "s"];
    const codes = await Promise.all(
      names.map(
        (name) =>
          new Promise((resolve) => {
            const child = spawn(process.execPath, [
              "--input-type=module",
              "-e",
              program,
              module,
              keyDir,
              name,
            ]);
            child.once("close", resolve);
          }),
      ),
    );
    expect(codes).toEqual([0, 0, 0, 0]);
    for (const name of names)
      for (let n = 0; n < 20; n += 1) expect(acceptedConfig(keyDir, `${name}${n}`)?.config).toBe("c");
  });
});
