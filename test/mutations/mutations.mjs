import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

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

/** Those that are named by id, area or range of ids; all where none is. */
export function chooseFrom(all, wanted) {
  if (wanted.length === 0) return all;
  const place = (id) => {
    const at = all.findIndex((mutation) => mutation.id === id);
    if (at === -1) throw new Error(`There is no mutation or area "${id}"`);
    return at;
  };
  const picked = wanted.flatMap((want) => {
    const [from, to] = want.split("..");
    if (to !== undefined) return all.slice(place(from), place(to) + 1);
    const inArea = all.filter(({ area }) => area === want);
    return inArea.length > 0 ? inArea : [all[place(want)]];
  });
  return all.filter((mutation) => picked.includes(mutation));
}

/** Why a mutation cannot be made or looked for in this checkout, and where its text or test may have gone; or nothing. */
export function problemOf(root, { id, file, find, replace, foundBy }) {
  const times = timesIn(join(root, file), find);
  if (times !== 1) {
    if (times > 1) return `${id}: its text occurs ${times} times in ${file}`;
    const others = filesIn(root, "src").filter((other) => timesIn(join(root, other), find) === 1);
    const what = times === undefined ? `there is no ${file}` : `its text is not in ${file}`;
    return `${id}: ${what}${others.length === 0 ? "" : `; it is in ${others.join(", ")}`}`;
  }
  if (find === replace) return `${id}: changes nothing`;
  if (foundBy.length === 0) return `${id}: names no test`;
  const gone = foundBy.find((test) => !existsSync(join(root, test)));
  if (gone === undefined) return undefined;
  const others = ["src", "test"].flatMap((folder) => filesIn(root, folder));
  const same = others.filter((other) => basename(other) === basename(gone));
  return `${id}: there is no test ${gone}${same.length === 0 ? "" : `; there is ${same.join(", ")}`}`;
}

function timesIn(path, text) {
  return existsSync(path) ? readFileSync(path, "utf8").split(text).length - 1 : undefined;
}

function filesIn(root, folder) {
  const names = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => join(folder, name));
}

/** The table of `README.md`. */
export function tableOf(list) {
  const rows = list.map(({ id, breaks, foundBy }) => {
    const tests = foundBy.map((test) => `\`${test.replace(/\.test\.ts$/, "")}\``);
    return `| ${id} | ${breaks} | ${tests.join(", ")} |`;
  });
  return ["| id | what breaks for a user | found by |", "|---|---|---|", ...rows].join("\n");
}
