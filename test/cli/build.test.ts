/** What a build leaves in `dist/`, and what of it is published. */
import { execFile } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
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

it("has the same bundles where node_modules is a link", async () => {
  const place = mkdtempSync(join(tmpdir(), "pml-linked-"));
  const imports = (chunks: string) =>
    new Set(
      readdirSync(chunks)
        .filter((name) => name.endsWith(".js"))
        .flatMap((name) => [
          ...readFileSync(join(chunks, name), "utf8").matchAll(/^import .*from "([^".]+)";$/gm),
        ])
        .map(([, from]) => from),
    );
  try {
    for (const name of ["src", "node_modules"]) symlinkSync(join(ROOT, name), join(place, name));
    const bundle = `(await import(${JSON.stringify(join(ROOT, "scripts/bundle-programs.mjs"))})).bundlePrograms("src", "dist")`;
    const node = ["--input-type=module", "--eval", `await ${bundle}`];
    await promisify(execFile)(process.execPath, node, { cwd: place });
    expect(imports(join(place, "dist/chunks"))).toEqual(imports(join(ROOT, "dist/chunks")));
    const licenses = "dist/chunks/LICENSES.txt";
    expect(readFileSync(join(place, licenses), "utf8")).toBe(readFileSync(join(ROOT, licenses), "utf8"));
  } finally {
    rmSync(place, { recursive: true });
  }
});

/** Names that are imported, also by `import()`. */
const IMPORTED = /(?:^(?:import|export)\b[^"'`;=]*?|\bimport\()"([^"]+)"/gm;
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
);

let published: Promise<ReadonlySet<string>> | undefined;
function publishedFiles(): Promise<ReadonlySet<string>> {
  published ??= listPublished();
  return published;
}

async function listPublished(): Promise<ReadonlySet<string>> {
  const pack = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const { stdout } = await promisify(execFile)("npm", pack, { cwd: ROOT, maxBuffer: 10_000_000 });
  const [packed] = Object.values(JSON.parse(stdout)) as { files: { path: string }[] }[];
  return new Set(packed?.files.map(({ path }) => path));
}

it("is published as programs that import what is published with them, or is a dependency", async () => {
  const files = await publishedFiles();
  const isThere = (name: string, from: string) =>
    name.startsWith(".")
      ? files.has(posix.join(posix.dirname(from), name))
      : isBuiltin(name) ||
        name.split("/", name.startsWith("@") ? 2 : 1).join("/") in { ...dependencies, ...peerDependencies };
  const missing = [...files]
    .filter((file) => /^(?:bin|dist)\/.*\.js$/.test(file))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), "utf8").matchAll(IMPORTED)]
        .filter(([, name = ""]) => !isThere(name, file))
        .map(([, name]) => `${file}: ${name}`),
    );
  expect(missing).toEqual([]);
  const unwanted = /^(?:src|scripts|test|node_modules)\/|\.map$|\/\.built-from$/;
  expect([...files].filter((file) => unwanted.test(file))).toEqual([]);
});

it("runs code and finds tools where nothing else is installed", async () => {
  const place = mkdtempSync(join(tmpdir(), "pml-package-"));
  const home = join(place, "node_modules/casys-pml");
  try {
    for (const file of await publishedFiles()) {
      mkdirSync(dirname(join(home, file)), { recursive: true });
      copyFileSync(join(ROOT, file), join(home, file));
    }
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (!existsSync(join(ROOT, "node_modules", name))) continue;
      mkdirSync(dirname(join(place, "node_modules", name)), { recursive: true });
      symlinkSync(join(ROOT, "node_modules", name), join(place, "node_modules", name));
    }
    const server = join(ROOT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    writeFileSync(
      join(place, "pml.json"),
      JSON.stringify({ mcpServers: { everything: { command: "node", args: [server] } } }),
    );
    writeFileSync(join(place, "sum.ts"), "return await mcp.everything.getSum({ a: 2, b: 3 });");
    const pml = async (...args: readonly string[]) => {
      const options = ["--config", join(place, "pml.json"), "--data-dir", join(place, "data")];
      const all = [join(home, "bin/pml.js"), ...args, ...options];
      const { stdout } = await promisify(execFile)(process.execPath, all, { cwd: place });
      return stdout;
    };
    try {
      expect(await pml("exec", "sum.ts")).toContain("5");
      expect(await pml("discover", "add two numbers")).toContain("everything:get-sum");
    } finally {
      await pml("stop");
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
