/** What a build leaves in `dist/`, which is what is published. */
import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ROOT } from "../faults/support/pml.js";

const { staleOutput } = (await import(join(ROOT, "scripts/stale-output.mjs"))) as {
  staleOutput(output: string, source: string): readonly string[];
};

it("finds what no source has made, and neither the archive, one that is being written, the runtime of models, nor the parts of bundles", () => {
  const place = mkdtempSync(join(tmpdir(), "pml-build-"));
  try {
    const put = (name: string, ageMs = 0) => {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), "");
      const at = new Date(Date.now() - ageMs);
      utimesSync(join(place, name), at, at);
    };
    for (const name of ["a.ts", "b/c.ts", "b/c.test.ts"]) put(`src/${name}`);
    const wanted = [
      "a.js",
      "a.js.map",
      "a.d.ts",
      "b/c.js",
      "b/pgdata.br",
      "embedding/onnxruntime/x.mjs",
      "chunks/p-1.js",
    ];
    const stale = ["b/c.test.js", "b/gone.d.ts", "b/gone.js", "gone/d.js.map", "stray.txt"];
    for (const name of [...wanted, ...stale]) put(`dist/${name}`);
    put("dist/b/pgdata.br.1", 3_600_000);
    put("dist/b/pgdata.br.2");
    const found = staleOutput(join(place, "dist"), join(place, "src"));
    expect(new Set(found.map((file) => file.slice(join(place, "dist/").length)))).toEqual(
      new Set([...stale, "b/pgdata.br.1"]),
    );
  } finally {
    rmSync(place, { recursive: true });
  }
});

it("is left without the modules of earlier builds", async () => {
  const dead = ["app/a-module-that-has-gone.js", "chunks/gone-1234.js"].map((name) =>
    join(ROOT, "dist", name),
  );
  for (const file of dead) writeFileSync(file, "");
  await promisify(execFile)(process.execPath, ["scripts/after-build.mjs"], { cwd: ROOT });
  expect(dead.filter((file) => existsSync(file))).toEqual([]);
  for (const file of [
    "chunks/LICENSES.txt",
    "cli/main.js",
    "index.d.ts",
    "postgres/pgdata.br",
    "postgres/pglite-worker.js",
    "embedding/onnxruntime/ort.wasm.min.mjs",
  ])
    expect(existsSync(join(ROOT, "dist", file))).toBe(true);
});

it("has bundles with the licences of the packages in them, which are in no second copy", () => {
  const chunks = join(ROOT, "dist/chunks");
  const licenses = readFileSync(join(chunks, "LICENSES.txt"), "utf8");
  const bundled = [...licenses.matchAll(/^(\S+) \d+\.\d+\.\d+\n\n/gm)].map(([, name]) => name);
  expect(bundled).toEqual(expect.arrayContaining(["zod", "graphology", "@modelcontextprotocol/server"]));
  const imported = readdirSync(chunks)
    .filter((name) => name.endsWith(".js"))
    .flatMap((name) => [...readFileSync(join(chunks, name), "utf8").matchAll(/^import .*from "([^"]+)";$/gm)])
    .map(([, from]) => from);
  expect(imported).toContain("oxc-parser");
  expect(imported.filter((from) => bundled.includes(from))).toEqual([]);
});
