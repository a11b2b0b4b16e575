/**
 * Builds `dist`: the compiler, then the bundles, then the prebuilt database. With `--if-changed`, it builds only if one
 * of its inputs has changed since the last build; commands in a checkout, `npm start` and the tests do this first.
 * `PML_BUILD=none` uses the existing build as it is.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** The state of the inputs when the existing build was made. */
const STAMP = join(ROOT, "dist/.built-from");
/** The inputs of the build. */
const INPUTS = [
  "src",
  "dashboard",
  "scripts",
  "models",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
];

const STEPS = [
  ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"],
  ["scripts/after-build.mjs"],
  ["scripts/prebuild-data-dir.mjs"],
];

export function buildIfChanged() {
  if (process.env.PML_BUILD === "none" || inputs() === read(STAMP)) return;
  process.stderr.write(
    "The source has changed since the last build. Building PML, which takes some seconds …\n",
  );
  build();
}

function build() {
  const made = inputs();
  // Output goes to stderr, because stdout may belong to a protocol.
  for (const step of STEPS) execFileSync(process.execPath, step, { cwd: ROOT, stdio: ["ignore", 2, 2] });
  writeFileSync(STAMP, made);
}

function inputs() {
  return INPUTS.flatMap(stated).join("\n");
}

function stated(path) {
  const names = statSync(join(ROOT, path)).isDirectory()
    ? readdirSync(join(ROOT, path), { recursive: true })
        .filter((name) => !name.endsWith(".test.ts"))
        .sort()
        .map((name) => join(path, name))
    : [path];
  return names.flatMap((name) => {
    const stat = statSync(join(ROOT, name));
    return stat.isDirectory() ? [] : [`${name} ${stat.mtimeMs} ${stat.size}`];
  });
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  if (process.argv.includes("--if-changed")) buildIfChanged();
  else build();
}
