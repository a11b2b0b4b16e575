import { cpSync, existsSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { IS_SMOKE } from "./options.mjs";
import { ratioOf } from "./sampling.mjs";
import { printTable, times } from "./table.mjs";
import { pause } from "./workbench.mjs";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * A build of PML to measure. It is a copy, so that `npm run build` during a run changes nothing; with `--smoke` it is
 * the build itself.
 *
 * @typedef {object} Build
 * @property {string} label
 * @property {string} main the `pml` command
 * @property {(path: string) => string} file a file of `dist`
 * @property {(path: string) => Promise<any>} load imports a module of `dist`
 */

const SETTLED_MS = 5_000;
const WAIT_MS = 120_000;

/** The build of this checkout and, with `--against DIR`, those of others. @returns {Promise<Build[]>} */
export async function builds(bench) {
  const all = [await copyBuild(bench, ROOT, "pml")];
  for (const directory of bench.options.against) {
    const checkout = resolve(directory);
    all.push(await copyBuild(bench, checkout, `${basename(checkout)}: pml`));
  }
  return all;
}

/**
 * With `--against`: compares each path of PML with the same path of the other builds.
 *
 * @param {Build[]} all
 * @param {Map<{ label: string }, import("./sampling.mjs").Series>} series
 */
export function printAgainst(all, series) {
  const [own, ...others] = all;
  const rows = [...series.keys()].flatMap((path) => {
    const other = others.find(({ label }) => path.label.startsWith(`${label} `));
    if (other === undefined) return [];
    const ownLabel = `${own.label}${path.label.slice(other.label.length)}`;
    const ownPath = [...series.keys()].find(({ label }) => label === ownLabel);
    return [[path.label, times(ratioOf(series.get(path), series.get(ownPath)))]];
  });
  if (rows.length > 0) printTable(["other build", "p50 × this one"], rows);
}

async function copyBuild(bench, checkout, label) {
  if (!existsSync(join(checkout, "dist/cli/main.js")))
    throw new Error(`Cannot measure ${checkout}: it is not built; run \`npm run build\` there`);
  // A smoke test uses the build that was just made.
  const home = IS_SMOKE ? checkout : await copied(bench, checkout);
  const file = (path) => join(home, "dist", path);
  return { label, main: file("cli/main.js"), file, load: (path) => import(pathToFileURL(file(path)).href) };
}

async function copied(bench, checkout) {
  await settled(join(checkout, "dist"));
  const home = bench.directory("build");
  for (const part of ["dist", "package.json"])
    cpSync(join(checkout, part), join(home, part), { recursive: true });
  for (const part of ["node_modules", "models"]) symlinkSync(join(checkout, part), join(home, part));
  return home;
}

/** Waits until a running build has ended, because otherwise half a build would be copied. */
async function settled(dist) {
  const until = Date.now() + WAIT_MS;
  const newest = () =>
    Math.max(...readdirSync(dist, { recursive: true }).map((name) => changedAt(join(dist, name))));
  while (Date.now() - newest() < SETTLED_MS) {
    if (Date.now() > until) throw new Error(`Cannot measure ${dist}: it has been changing for ${WAIT_MS} ms`);
    await pause(500);
  }
}

function changedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
}
