import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Every mutation of `test/mutations/list`, in the order of the files. The name of a file is the area; an entry's place in
 * it is the number in its id.
 */
export function mutations(root) {
  const folder = join(root, "test/mutations/list");
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const area = name.replace(/\.json$/, "");
      const entries = JSON.parse(readFileSync(join(folder, name), "utf8"));
      return entries.map((entry, index) => ({ id: `${area}-${index + 1}`, area, ...entry }));
    });
}

/** Why a mutation cannot be made or looked for in this checkout, or nothing. */
export function problemOf(root, { id, file, find, replace, foundBy }) {
  const path = join(root, file);
  if (!existsSync(path)) return `${id}: there is no ${file}`;
  const times = readFileSync(path, "utf8").split(find).length - 1;
  if (times !== 1) return `${id}: ${JSON.stringify(find)} occurs ${times} times in ${file}`;
  if (find === replace) return `${id}: changes nothing`;
  const gone = foundBy.find((test) => !existsSync(join(root, test)));
  if (foundBy.length === 0) return `${id}: names no test`;
  return gone === undefined ? undefined : `${id}: there is no test ${gone}`;
}
