/**
 * Data directories as earlier builds left them, one for each released schema: a person takes one over, and what was
 * remembered then is found and runs. `test/fixtures/directories/pack.mjs` makes the file.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync, constants } from "node:zlib";
import { describe, expect, it } from "vitest";
import { MIGRATIONS } from "../../src/postgres/migrations/index.js";
import { newPlace, pml } from "../faults/support/pml.js";
import { IS_FULL } from "../support/sizes.js";

type Entry = readonly [directory: string] | readonly [path: string, content: number, mode: number];

const file = readFileSync(fileURLToPath(new URL("../fixtures/directories/earlier.br", import.meta.url)));
const packed = brotliDecompressSync(file, { params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 } });
const start = 4 + packed.readUInt32BE();
const { directories, sizes } = JSON.parse(packed.subarray(4, start).toString()) as {
  readonly directories: Readonly<Record<string, readonly Entry[]>>;
  readonly sizes: readonly number[];
};

const SCHEMAS = Object.keys(directories).map(Number);
/** The first has only what servers offered: capabilities came later. */
const [OLDEST, ...REMEMBERING] = SCHEMAS as [number, ...number[]];
const CHOSEN = IS_FULL ? REMEMBERING : [REMEMBERING[0] as number, REMEMBERING.at(-1) as number];

function unpack(schema: number, directory: string): void {
  const starts = sizes.map((_, at) => start + sizes.slice(0, at).reduce((sum, size) => sum + size, 0));
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  for (const [path, content, mode] of directories[schema] ?? []) {
    if (content === undefined) mkdirSync(join(directory, path), { mode: 0o700 });
    else {
      const [from, size] = [starts[content] ?? 0, sizes[content] ?? 0];
      writeFileSync(join(directory, path), packed.subarray(from, from + size), { mode: mode ?? 0o600 });
    }
  }
}

/** A new installation with the directory beside it, and what `pml adopt` says of it. */
async function adopted(schema: number) {
  const place = newPlace();
  const config = place.config({ mcpServers: {}, approvals: { scripted: true, unannotated: "auto" } });
  const directory = join(place.directory, "earlier");
  unpack(schema, directory);
  const where = ["--config", config, "--data-dir", directory];
  const run = (...args: readonly string[]) => pml(place, [...args, ...where]);
  return { run, said: await run("adopt", "--yes") };
}

describe("[SC-4] a data directory of an earlier schema", () => {
  it("is there for the schemas that were released", () => {
    expect(SCHEMAS).toEqual([3, 8, 14, 17, 20, 21, 22]);
    expect(SCHEMAS.at(-1)).toBeLessThan(MIGRATIONS.length);
  });

  it(`is taken over with nothing in it but tools (${OLDEST})`, async () => {
    const { run, said } = await adopted(OLDEST);
    expect(said).toMatchObject({ code: 0 });
    expect(JSON.parse((await run("cap", "list", "--json")).stdout)).toMatchObject({ total: 0 });
    await run("stop");
  });

  it.each(CHOSEN)("is taken over with all that was remembered (%i)", async (schema) => {
    const { run, said } = await adopted(schema);
    expect(said.stdout).toContain("3 versions were signed again");
    const { stdout } = await run("cap", "list", "--json");
    const { capabilities } = JSON.parse(stdout) as {
      readonly capabilities: readonly { readonly name: string; readonly usage_count: number }[];
    };
    expect(capabilities.map(({ name, usage_count }) => `${name} ${usage_count}`).sort()).toEqual([
      "config:port 2",
      "files:list 1",
      "unnamed_6685ccdd 1",
    ]);
    const again = await run("exec", "--capability", "unnamed_6685ccdd", "--arg", "text=four");
    expect(again).toMatchObject({ code: 0, stdout: "4\n" });
    expect((await run("cap", "show", "config:read_port")).stdout).toContain("config:port, version 1");
    await run("stop");
  });
});
