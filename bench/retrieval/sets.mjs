import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A public data set in the form that `bench/README.md` describes.
 *
 * @typedef {object} Tool
 * @property {string} id
 * @property {string} server
 * @property {string} name
 * @property {string} description
 * @property {object} [inputSchema]
 * @property {string} [serverTitle]
 * @property {string} [serverDescription]
 *
 * @typedef {object} Query
 * @property {string} query
 * @property {ReadonlySet<number>} relevant places in the list of tools
 * @property {0 | 1} half choices are made on one half and reported on the other
 *
 * @typedef {{ name: string, tools: readonly Tool[], queries: readonly Query[] }} QuerySet
 */

/** The sets in `directory/retrieval`, or in `directory` itself. @returns {QuerySet[]} */
export function readSets(directory) {
  const inside = join(directory, "retrieval");
  const home = existsSync(inside) ? inside : directory;
  const names = readdirSync(home).filter((name) => existsSync(join(home, name, "queries.jsonl")));
  return names.sort().map((name) => readSet(name, join(home, name)));
}

function readSet(name, directory) {
  const tools = readLines(join(directory, "tools.jsonl"));
  const places = new Map(tools.map(({ id }, place) => [id, place]));
  const queries = readLines(join(directory, "queries.jsonl")).flatMap(({ query, relevant }) => {
    const known = relevant.map((id) => places.get(id)).filter((place) => place !== undefined);
    const half = (createHash("sha1").update(`half:${query}`).digest()[0] ?? 0) & 1;
    return known.length === 0 ? [] : [{ query, relevant: new Set(known), half }];
  });
  return { name, tools, queries };
}

function readLines(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** All tools in one pool, for the queries of each set: the pool has many right answers that no set counts as right. */
export function merged(sets) {
  const tools = sets.flatMap((set) => set.tools);
  let before = 0;
  return sets.map((set) => {
    const shift = before;
    before += set.tools.length;
    return {
      name: set.name,
      tools,
      queries: set.queries.map((one) => ({
        ...one,
        relevant: new Set([...one.relevant].map((place) => place + shift)),
      })),
    };
  });
}
