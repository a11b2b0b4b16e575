/**
 * Finds files in the output folder without a source: leftovers of renamed or deleted modules would be published with
 * the rest. The prebuilt cluster, the runtime of models, the dashboard and the chunks of bundles are not modules, and
 * stay.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

const MADE_BY_COMPILER = /(?:\.d)?\.[cm]?[jt]s(?:\.map)?$/;
const ARCHIVE = "pgdata.br";
const PAGE = [join("dashboard", "index.html"), join("dashboard", "graph.js")];
const FOLDERS = ["chunks", join("embedding", "onnxruntime")];
/** A concurrent build may be writing its archive under a temporary name. */
const UNFINISHED_MS = 600_000;

/** Returns the paths of files in `output` that have no source in `source`. */
export function staleOutput(output, source) {
  return readdirSync(output, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((file) => !isWanted(file, output, source));
}

function isWanted(file, output, source) {
  const name = basename(file);
  if (
    name === ARCHIVE ||
    PAGE.includes(relative(output, file)) ||
    FOLDERS.includes(dirname(relative(output, file)))
  )
    return true;
  if (name.startsWith(ARCHIVE))
    return Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < UNFINISHED_MS;
  const module = relative(output, file).replace(MADE_BY_COMPILER, "");
  return !module.endsWith(".test") && !module.endsWith(".test-d") && existsSync(join(source, `${module}.ts`));
}
