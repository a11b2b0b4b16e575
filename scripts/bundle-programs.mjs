/**
 * Bundles programs and threads, each into a few files: finding, reading and compiling hundreds of modules takes most of
 * the start of a command and a third of that of a gateway. Packages that every start needs are in these files too, with
 * their licences. Other modules stay in `dist` as single files, for benchmarks and tests of single parts.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { rolldown } from "rolldown";
import { put } from "./put.mjs";

/** Modules that are started as a process or a thread, or imported by users of the package. */
const PROGRAMS = [
  "index",
  "cli/main",
  "app/background",
  "app/graph-worker",
  "embedding/model-child",
  "postgres/pglite-worker",
  "sandbox/host/broker",
  "sandbox/quickjs/quickjs-child",
];
/** Modules that tests start in their own process, so that they test the same files. */
const INSIDE = [
  "app/data-directory",
  "app/file-log",
  "app/http-door",
  "app/join-gateway",
  "app/json-log",
  "app/own-gateway",
  "app/settings",
  "cli/run-command",
  "daemon/own-directory",
  "gateway/transports/http",
  "mcp/line-transport",
];
/** Packages that consist of JavaScript only. Their imports are included, so users need not install them. */
const PACKAGES = [
  "@huggingface/tokenizers",
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/node",
  "@modelcontextprotocol/server",
  "diff",
  "graphology",
  "graphology-communities-louvain",
  "graphology-layout-forceatlas2",
  "graphology-metrics",
  "jose",
  "pg",
  "smol-toml",
  "yaml",
  "zod",
];
/** A faster driver written in C++, which `pg` uses if it is installed and requested. PML does not request it. */
const NEVER = new Set(["pg-native"]);
/** The folder of this project: a checkout may itself be inside another folder of that name. */
const PACKAGES_HOME = resolve("node_modules") + sep;
const CHUNKS = "chunks";
const LICENSES = `${CHUNKS}/LICENSES.txt`;
/** Stays a separate file: a running command reads from it which version is installed now. */
const VERSION = "base/version";
const OWN_ADDRESS = "import.meta.url";
const MODULE = /pml-module:([^"]+)/g;

/** Bundles the modules in `source` into `directory`, and replaces the files that the compiler wrote for them. */
export async function bundlePrograms(source, directory) {
  const bundle = await rolldown({
    input: Object.fromEntries([...PROGRAMS, ...INSIDE].map((name) => [name, resolve(source, `${name}.ts`)])),
    platform: "node",
    external: isLeftOut,
    // If `node_modules` is a symbolic link, its packages keep their paths below the link.
    resolve: { extensionAlias: { ".js": [".ts", ".js"] }, symlinks: false },
    plugins: [addressesOf(resolve(source))],
  });
  const { output } = await bundle.generate({
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: `${CHUNKS}/[name]-[hash].js`,
  });
  await bundle.close();
  // Chunks are written first, so that a program that starts meanwhile finds all its imports.
  for (const { fileName, code } of output.toSorted((a, b) => Number(a.isEntry) - Number(b.isEntry)))
    put(join(directory, fileName), Buffer.from(code));
  put(join(directory, LICENSES), Buffer.from(licensesOf(output.flatMap(({ moduleIds }) => moduleIds))));
  const made = new Set([LICENSES, ...output.map(({ fileName }) => fileName)]);
  for (const name of readdirSync(join(directory, CHUNKS)))
    if (!made.has(`${CHUNKS}/${name}`)) rmSync(join(directory, CHUNKS, name), { force: true });
}

function isLeftOut(id, importer) {
  if (isBuiltin(id) || NEVER.has(id)) return true;
  if (id.startsWith(".") || isAbsolute(id) || importer?.includes(PACKAGES_HOME)) return false;
  return !PACKAGES.some((name) => id === name || id.startsWith(`${name}/`));
}

/** The licences of all packages that these modules belong to. */
function licensesOf(modules) {
  const homes = modules.flatMap(
    (id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0] ?? [],
  );
  const texts = [...new Set(homes)].map((home) => {
    const { name, version, license } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
    const file = readdirSync(home).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? `License: ${license}\n` : readFileSync(join(home, file), "utf8");
    return `${name} ${version}\n\n${text}`;
  });
  return texts.toSorted((a, b) => (a < b ? -1 : 1)).join(`\n${"-".repeat(80)}\n\n`);
}

/** Keeps the `import.meta.url` that a module has without a bundle, because files are found relative to it. */
function addressesOf(source) {
  return {
    name: "addresses",
    resolveId(id) {
      if (id.endsWith(`${VERSION}.js`)) return { id: `pml-module:${VERSION}.js`, external: true };
    },
    transform(code, id) {
      if (!id.startsWith(source) || !code.includes(OWN_ADDRESS)) return;
      const module = relative(source, id).split(sep).join("/").replace(/\.ts$/, ".js");
      return code.replaceAll(OWN_ADDRESS, `new URL("pml-module:${module}", ${OWN_ADDRESS}).href`);
    },
    renderChunk(code, { fileName }) {
      return code.replace(MODULE, (_all, module) => {
        const path = relative(dirname(fileName), module).split(sep).join("/");
        return path.startsWith(".") ? path : `./${path}`;
      });
    },
  };
}
