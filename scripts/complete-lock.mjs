// Adds the optional packages of other platforms to package-lock.json. npm omits packages that its registry does not
// have (for example a mirror), and `npm ci` then refuses the whole file. Run this after `npm install`.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const SYSTEMS = [
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const PROCESSORS = ["arm64", "arm", "ia32", "loong64", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

/** Returns `[path, name, range]` of each optional dependency without an entry in the lock file. */
export function missingOptional(packages) {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isResolved(packages, path, name))
      .map(([name, range]) => ({ path, name, range })),
  );
}

/** Searches as Node does: in the package's own `node_modules`, then in the parent folders. */
function isResolved(packages, path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(at.lastIndexOf("/node_modules/"), 0))) {
    if (packages[`${at === "" ? "" : `${at}/`}node_modules/${name}`] !== undefined) return true;
    if (at === "") return false;
  }
}

/** The names of platform packages contain their platform. */
function platformOf(name) {
  const words = name.split("/").at(-1) ?? "";
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor)).slice(0, 1);
  const libc = words.includes("musl") ? ["musl"] : /gnu|glibc/.test(words) ? ["glibc"] : [];
  return Object.fromEntries(Object.entries({ cpu, libc, os }).filter(([, values]) => values.length > 0));
}

function complete(file) {
  const lock = JSON.parse(readFileSync(file, "utf8"));
  const missing = missingOptional(lock.packages);
  for (const { path, name, range } of missing) {
    const isNested = path.split("node_modules/").length > 2;
    const key = isNested ? `${path}/node_modules/${name}` : `node_modules/${name}`;
    const dev = lock.packages[path].dev === true ? { dev: true } : {};
    lock.packages[key] = {
      version: range.replace(/^[\^~=]/, ""),
      ...platformOf(name),
      ...dev,
      optional: true,
    };
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, "en"));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`);
  console.log(`${missing.length} optional packages of other platforms were missing`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) complete("package-lock.json");
