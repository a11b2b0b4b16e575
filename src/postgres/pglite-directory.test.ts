import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchDirectory } from "../../test/support/databases.js";
import { packCluster } from "./pgdata-archive.js";
import { prepareDirectory } from "./pglite-directory.js";
import type { ClusterOrigin } from "./pglite-protocol.js";
import { PGLITE_POSTGRES_MAJOR, pgliteVersion } from "./pglite-version.js";

const MARKER = "pml-pgdata.json";
const scratch = scratchDirectory();
let count = 0;

function newDirectory(): string {
  count += 1;
  mkdirSync(join(scratch, `${count}`));
  return join(scratch, `${count}`, "pgdata");
}

function makeDirectory(files: Readonly<Record<string, string>>): string {
  const directory = newDirectory();
  mkdirSync(directory, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content);
  return directory;
}

/** An archive of a cluster with only two files: `PG_VERSION`, and `from` with the word `archive`. */
function makeArchive(pglite = pgliteVersion(), most = Number.POSITIVE_INFINITY): string {
  count += 1;
  const cluster = makeDirectory({ PG_VERSION: `${PGLITE_POSTGRES_MAJOR}\n`, from: "archive" });
  const archive = join(scratch, `${count}.br`);
  writeFileSync(archive, packCluster(cluster, { format: 1, pglite, key: "k" }).subarray(0, most));
  return archive;
}

async function initdb(directory: string): Promise<void> {
  writeFileSync(join(directory, "PG_VERSION"), `${PGLITE_POSTGRES_MAJOR}\n`);
  writeFileSync(join(directory, "from"), "initdb");
}

async function prepare(directory: string, archive: string | null = makeArchive()): Promise<ClusterOrigin> {
  return await prepareDirectory({ directory, archive }, initdb);
}

function madeFrom(directory: string): string {
  return readFileSync(join(directory, "from"), "utf8");
}

describe("a new directory", () => {
  it("is unpacked from the prebuilt cluster and marked, in a private directory", async () => {
    const directory = newDirectory();
    expect(await prepare(directory)).toEqual({ kind: "archive" });
    expect(madeFrom(directory)).toBe("archive");
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(JSON.parse(readFileSync(join(directory, MARKER), "utf8"))).toEqual({
      pglite: pgliteVersion(),
      postgres: PGLITE_POSTGRES_MAJOR,
    });
  });

  it("is not made where the data directory was removed", async () => {
    const directory = newDirectory();
    rmdirSync(dirname(directory));
    await expect(prepare(directory)).rejects.toThrow(`the directory "${dirname(directory)}" was removed`);
    expect(existsSync(dirname(directory))).toBe(false);
  });

  it("may exist already, if it is empty", async () => {
    const directory = makeDirectory({});
    expect(await prepare(directory)).toEqual({ kind: "archive" });
    expect(madeFrom(directory)).toBe("archive");
  });

  it.each([
    ["there is no prebuilt cluster", () => join(scratch, "nowhere.br")],
    [`the prebuilt cluster is of PGlite 0.0.1, this is ${pgliteVersion()}`, () => makeArchive("0.0.1")],
    ["the prebuilt cluster cannot be unpacked: unexpected end of file", () => makeArchive(undefined, 60)],
  ])("is made by initdb when %s", async (why, archive) => {
    const directory = newDirectory();
    expect(await prepare(directory, archive())).toEqual({ kind: "initdb", why });
    expect(madeFrom(directory)).toBe("initdb");
  });

  it("says why neither the prebuilt cluster nor initdb made it", async () => {
    const full = () => Promise.reject({ name: "ErrnoError", errno: 51 });
    const archive = makeArchive(pgliteVersion(), 60);
    await expect(prepareDirectory({ directory: newDirectory(), archive }, full)).rejects.toThrow(
      /^the prebuilt cluster .+; initdb failed too: ErrnoError 51$/,
    );
  });

  it("is there whole or not at all: nothing is in its place until it is done", async () => {
    const directory = newDirectory();
    const killed = prepareDirectory({ directory, archive: null }, async (staging) => {
      await initdb(staging);
      expect(existsSync(directory)).toBe(false);
      throw new Error("killed");
    });
    await expect(killed).rejects.toThrow("killed");
    expect(existsSync(directory)).toBe(false);
  });

  it("is swept of what killed starts have left beside it", async () => {
    const directory = newDirectory();
    for (const leftover of [`${directory}.new-1`, `${directory}.new-99999`]) {
      mkdirSync(join(leftover, "base"), { recursive: true });
      writeFileSync(join(leftover, "PG_VERSION"), "18\n");
    }
    await prepare(directory);
    expect(readdirSync(dirname(directory))).toEqual(["pgdata"]);
  });
});

describe("an existing directory", () => {
  it("is left as it is", async () => {
    const directory = newDirectory();
    await prepare(directory, null);
    expect(await prepare(directory)).toEqual({ kind: "existing" });
    expect(madeFrom(directory)).toBe("initdb");
  });

  it.each([
    ["of this PostgreSQL, from another PGlite", "18", '{"pglite":"0.5.1","postgres":18}'],
    ["of this PostgreSQL, without a marker", "18", undefined],
    ["of this PostgreSQL, with a damaged marker", "18", "{"],
  ])("is taken when it is %s", async (_, version, marker) => {
    const directory = makeDirectory({
      PG_VERSION: `${version}\n`,
      ...(marker === undefined ? {} : { [MARKER]: marker }),
    });
    expect(await prepare(directory)).toEqual({ kind: "existing" });
  });

  it.each([
    [
      "17",
      '{"pglite":"0.4.6","postgres":17}',
      "it was written by PostgreSQL 17 (PGlite 0.4.6), this PML reads",
    ],
    ["19", undefined, "it was written by PostgreSQL 19, this PML reads"],
    [
      "17",
      '{"pglite":"0.5.14","postgres":18}',
      "it was written by PostgreSQL 17 (PGlite 0.5.14), this PML reads",
    ],
  ])("is refused when PostgreSQL %s has written it (marker %s)", async (version, marker, message) => {
    const directory = makeDirectory({
      PG_VERSION: `${version}\n`,
      ...(marker === undefined ? {} : { [MARKER]: marker }),
    });
    const before = readdirSync(directory);
    await expect(prepare(directory)).rejects.toMatchObject({
      message: expect.stringContaining(message),
      hint: expect.stringContaining("pml restore"),
    });
    expect(readdirSync(directory)).toEqual(before);
  });

  it("is refused when it holds something else", async () => {
    const directory = makeDirectory({ "thesis.txt": "mine" });
    await expect(prepare(directory)).rejects.toThrow("it holds files, but no PostgreSQL data");
    expect(readdirSync(directory)).toEqual(["thesis.txt"]);
  });
});
