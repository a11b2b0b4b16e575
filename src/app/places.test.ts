import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { dataDirectoryOf, keyDirectory, realPath, userDirectory } from "./places.js";

describe("the user's directory", () => {
  it.each([
    ["linux", { HOME: "/home/ada" }, "/home/ada/.local/share/pml"],
    ["linux", { HOME: "/home/ada", XDG_DATA_HOME: "/data" }, "/data/pml"],
    ["darwin", { HOME: "/Users/ada" }, "/Users/ada/Library/Application Support/pml"],
    ["darwin", { HOME: "/Users/ada", XDG_DATA_HOME: "/data" }, "/data/pml"],
  ] as const)("on %s with %o is %s", (platform, env, expected) => {
    expect(userDirectory(env, platform)).toBe(expected);
  });

  it("holds the keys, unless the environment names another directory", () => {
    expect(keyDirectory({ HOME: "/home/ada" }, "linux")).toBe("/home/ada/.local/share/pml/keys");
    expect(keyDirectory({ HOME: "/home/ada", PML_KEY_DIR: "/keys" }, "linux")).toBe("/keys");
  });
});

describe("the data directory of a configuration", () => {
  it("is outside of the project, one for each file, and the same through a link", () => {
    const place = realPath(mkdtempSync(join(tmpdir(), "pml-places-")));
    const env = { HOME: place };
    mkdirSync(join(place, "web"));
    writeFileSync(join(place, "web", "pml.json"), "{}");
    symlinkSync(join(place, "web"), join(place, "link"));
    const own = dataDirectoryOf(join(place, "web", "pml.json"), env, "linux");
    expect(own).toMatch(new RegExp(`^${place}/\\.local/share/pml/data/web-[0-9a-f]{16}$`));
    expect(dataDirectoryOf(join(place, "link", "pml.json"), env, "linux")).toBe(own);
    expect(dataDirectoryOf(join(place, "web", "other.json"), env, "linux")).not.toBe(own);
  });
});
