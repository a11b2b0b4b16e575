import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { draftFor, removeDrafts, takePlace } from "./replace-directory.js";

describe("[SC-4] a directory that takes the place of another", () => {
  let root: string;
  let to: string;
  let backups: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "pml-replace-"));
    to = join(root, "data-1");
    backups = join(root, "backups");
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const filled = (directory: string, text: string) => {
    mkdirSync(join(directory, "pgdata"), { recursive: true });
    writeFileSync(join(directory, "pgdata", "file"), text);
    return directory;
  };
  const textIn = (directory: string) => readFileSync(join(directory, "pgdata", "file"), "utf8");

  it.each([
    ["beside it", () => draftFor(to)],
    // As in a volume of a container, which cannot be renamed.
    ["inside of it", () => join(to, basename(draftFor(join(root, "data"))))],
  ])("is made %s, and the other one goes to the backups", (_, draftOf) => {
    filled(to, "old");
    writeFileSync(join(to, "catalogue.json"), "{}");
    const draft = filled(draftOf(), "new");
    const [moved = ""] = takePlace(draft, to, backups);
    rmSync(draft, { recursive: true, force: true });
    expect([textIn(to), textIn(moved)]).toEqual(["new", "old"]);
    expect(readdirSync(to)).toEqual(["pgdata"]);
    expect(basename(moved)).toMatch(/^data-1-\d{8}T\d{6}Z$/);
    expect(readdirSync(root).toSorted()).toEqual(["backups", "data-1"]);
  });

  it.each([
    ["beside it", () => draftFor(to)],
    ["inside of it", () => join(to, basename(draftFor(join(root, "data"))))],
  ])("[ST-2] made %s, it has its owner until the new one is there", (_, draftOf) => {
    const owners = ["0a1b.lock", "owner.json"];
    mkdirSync(to);
    for (const name of owners) writeFileSync(join(to, name), "");
    const draft = filled(draftOf(), "new");
    const release = vi.fn((now: string) => {
      expect([textIn(to), readdirSync(now)]).toEqual(["new", expect.arrayContaining(owners)]);
      for (const name of owners) rmSync(join(now, name));
    });
    expect(takePlace(draft, to, backups, release)).toEqual([]);
    rmSync(draft, { recursive: true, force: true });
    expect([release.mock.calls.length, readdirSync(to)]).toEqual([1, ["pgdata"]]);
  });

  it("needs no backup where there was nothing", () => {
    mkdirSync(to);
    expect([takePlace(filled(draftFor(to), "new"), to, backups), textIn(to)]).toEqual([[], "new"]);
    expect(existsSync(backups)).toBe(false);
  });

  it("puts the other one back where it cannot be replaced", () => {
    filled(to, "old");
    expect(() => takePlace(join(root, "none"), to, backups)).toThrow("Cannot replace");
    expect([textIn(to), readdirSync(root)]).toEqual(["old", ["data-1"]]);
  });

  const inside = () => join(to, basename(draftFor(join(root, "data"))));

  it("puts all back where the new one cannot be moved out of it", () => {
    filled(to, "old");
    writeFileSync(join(to, "owner.json"), "");
    const draft = filled(inside(), "new");
    // A directory cannot take the place of a file.
    mkdirSync(join(draft, "owner.json"));
    expect(() => takePlace(draft, to, backups)).toThrow(
      expect.objectContaining({ code: "STORE_FAILED", hint: "Nothing was changed." }),
    );
    expect([textIn(to), textIn(draft)]).toEqual(["old", "new"]);
    expect(new Set(readdirSync(to))).toEqual(new Set([basename(draft), "owner.json", "pgdata"]));
  });

  it("leaves what belongs to the file system of a volume where it is", () => {
    filled(to, "old");
    mkdirSync(join(to, "lost+found"));
    const draft = filled(inside(), "new");
    const [moved = ""] = takePlace(draft, to, backups);
    rmSync(draft, { recursive: true, force: true });
    expect([textIn(to), readdirSync(to).toSorted()]).toEqual(["new", ["lost+found", "pgdata"]]);
    expect(readdirSync(moved)).toEqual(["pgdata"]);
  });

  it("removes what a killed process left behind, and nothing else", () => {
    filled(to, "old");
    filled(draftFor(to), "half");
    filled(join(to, basename(draftFor(join(root, "data")))), "half");
    filled(draftFor(`${to}2`), "of another");
    removeDrafts(to);
    expect([readdirSync(root).length, readdirSync(to)]).toEqual([2, ["pgdata"]]);
  });
});
