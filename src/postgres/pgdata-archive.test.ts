import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchDirectory } from "../../test/support/databases.js";
import { type ArchiveHeader, packCluster, readArchiveHeader, unpackCluster } from "./pgdata-archive.js";

const header: ArchiveHeader = { format: 1, pglite: "0.5.14", key: "k" };
const scratch = scratchDirectory();

/** A directory as text: `a/ a/b=x` is a directory and a file in it. */
function makeDirectory(name: string, text: string): string {
  const directory = join(scratch, name);
  mkdirSync(directory);
  for (const word of text.split(" ").filter(Boolean)) {
    const [path = "", content] = word.split("=");
    if (content === undefined) mkdirSync(join(directory, path));
    else writeFileSync(join(directory, path), content);
  }
  return directory;
}

function shown(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .map((item) => {
      const path = join(item.parentPath, item.name);
      const name = path.slice(directory.length + 1);
      return item.isDirectory() ? `${name}/` : `${name}=${readFileSync(path, "utf8")}`;
    })
    .sort()
    .join(" ");
}

describe("an archived cluster", () => {
  it("comes out as it went in: empty files, empty directories, newlines and depth", () => {
    const text = "PG_VERSION=18\n base/ base/1/ base/1/empty= base/1/rows=\n\n pg_notify/";
    const archive = join(scratch, "whole.br");
    writeFileSync(archive, packCluster(makeDirectory("in", text), header));
    const out = makeDirectory("out", "");
    unpackCluster(archive, out);
    expect(shown(out)).toBe(text);
  });

  it("says what it is without being unpacked", () => {
    const archive = join(scratch, "header.br");
    writeFileSync(archive, packCluster(makeDirectory("small", "a=1"), header));
    expect(readArchiveHeader(archive)).toEqual(header);
  });

  it.each([
    ["is missing", undefined],
    ["is empty", ""],
    ["is something else", "PK\u0003\u0004"],
    ["has another format", '{"format":2}\n'],
  ])("has no header when the file %s", (name, content) => {
    const archive = join(scratch, `${name}.br`);
    if (content !== undefined) writeFileSync(archive, content);
    expect(existsSync(archive)).toBe(content !== undefined);
    expect(readArchiveHeader(archive)).toBeUndefined();
  });

  it("is the same for the same files", () => {
    const one = packCluster(makeDirectory("one", "b=1 a/ a/c=2"), header);
    const two = packCluster(makeDirectory("two", "a/ a/c=2 b=1"), header);
    expect(one.equals(two)).toBe(true);
  });
});
