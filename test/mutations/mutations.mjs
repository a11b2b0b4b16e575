import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
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

/** Why a mutation cannot be made or looked for in this checkout, or nothing. */
export function problemOf(root, mutation) {
  const { id, file, find, replace, foundBy } = mutation;
  const [path, ...more] = movesOf(root, mutation).keys();
  if (path !== undefined) return `${id}: ${[path, ...more].join(", ")} has gone`;
  const times = timesIn(join(root, file), find);
  if (times !== 1) return `${id}: its text occurs ${times} times in ${file}`;
  if (find === replace) return `${id}: changes nothing`;
  return foundBy.length === 0 ? `${id}: names no test` : undefined;
}

/** Files of a mutation that are gone, and where its text, or a test of that name, is now: nothing where that is not clear. */
export function movesOf(root, { file, find, foundBy }) {
  const moves = new Map();
  const move = (from, folders, isIt) => {
    const found = folders.flatMap((folder) => filesIn(root, folder)).filter(isIt);
    moves.set(from, found.length === 1 ? found[0] : undefined);
  };
  if (!timesIn(join(root, file), find))
    move(file, ["src"], (other) => timesIn(join(root, other), find) === 1);
  for (const test of foundBy)
    if (!existsSync(join(root, test)))
      move(test, ["src", "test"], (other) => basename(other) === basename(test));
  return moves;
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

/** Writes into the list what was moved, and the table into `README.md`; answers with what it could not find. */
export function follow(root, list) {
  const unclear = [];
  for (const { id, area, ...mutation } of list)
    for (const [from, to] of movesOf(root, mutation)) {
      const path = join(root, `test/mutations/list/${area}.json`);
      const text = readFileSync(path, "utf8");
      if (to === undefined) unclear.push(`${id}: it is not clear where ${from} has gone`);
      else writeFileSync(path, text.replaceAll(`"${from}"`, `"${to}"`));
    }
  const readme = join(root, "test/mutations/README.md");
  const [text] = readFileSync(readme, "utf8").split("\n| id |");
  writeFileSync(readme, `${text}\n${tableOf(mutations(root))}\n`);
  return unclear;
}
