/** The ways to find a tool: those made of PML's own parts, and those that came before. */
import { PlainWords, plainDocument, plainKeys } from "./plain-words.mjs";

/** As many of each as PML considers for ten results. */
const LOOKED_AT = 40;
const SHOWN = 10;

/**
 * @typedef {object} Parts what the build has
 * @property {typeof import("../../src/discovery/word-index.js")} words
 * @property {typeof import("../../src/discovery/matchable.js")} matchable
 * @property {typeof import("../../src/discovery/document-text.js")} documents
 * @property {typeof import("../../src/discovery/query-text.js")} queries
 * @property {typeof import("../../src/discovery/fusion.js")} fusion
 * @property {typeof import("../../src/discovery/words.js")} text
 * @property {typeof import("../../src/discovery/vocabulary.js")} stems
 * @property {typeof import("../../src/discovery/calibration.js").FLOORS} floors
 * @property {typeof import("../../src/registry/matcher.js").aboveFloor} aboveFloor
 */

/** @param {import("../harness/build.mjs").Build} build @returns {Promise<Parts>} */
export async function loadParts(build) {
  const load = (name) => build.load(`discovery/${name}.js`);
  return {
    words: await load("word-index"),
    matchable: await load("matchable"),
    documents: await load("document-text"),
    queries: await load("query-text"),
    fusion: await load("fusion"),
    text: await load("words"),
    stems: await load("vocabulary"),
    floors: (await load("calibration")).FLOORS,
    aboveFloor: (await build.load("registry/matcher.js")).aboveFloor,
  };
}

/** The tools of a set, indexed for search. */
export async function poolOf(parts, tools, vectorsOf) {
  const index = new parts.words.WordIndex();
  const all = tools.map(matchable);
  for (const [place, tool] of all.entries()) index.put(place, parts.matchable.toolText(tool));
  return {
    index,
    vectors: await vectorsOf(all.map(parts.documents.toolDocument), "document"),
    plainWords: new PlainWords(tools, plainKeys(parts.text, parts.stems)),
    plainVectors: await vectorsOf(
      tools.map((tool) => plainDocument(parts.text, tool)),
      "document",
    ),
  };
}

function matchable({ server, name, description, inputSchema = {}, serverTitle, serverDescription }) {
  const about = [serverTitle, serverDescription].filter((text) => text !== undefined).join(" ");
  return { id: `${server}:${name}`, description, inputSchema, hash: "", ...(about === "" ? {} : { about }) };
}

/** As in the model card: textbook BM25F, whole descriptions. */
export const BEFORE = "plain fusion, textbook parts";
/** The same with PML's own words and vectors. */
export const PLAIN = "plain fusion, PML's parts";

/** PML without splitting a request into steps. */
export const WHOLE = "PML, as one request";

/** Each returns positions in the list of tools, best first. */
export const RETRIEVERS = {
  words: ({ search }) => search.best(SHOWN).map(({ key }) => key),
  meaning: ({ cosines }) => order(cosines[0]),
  [BEFORE]: ({ pool, text, plainCosines }) => plainly(pool.plainWords.scores(text), plainCosines),
  [PLAIN]: ({ pool, search, cosines }) => {
    const shares = new Float64Array(pool.vectors.length);
    for (const { key, share } of search.best(shares.length)) shares[key] = share;
    return plainly(shares, cosines[0]);
  },
  [WHOLE]: (asked) => fused(asked).map(({ key }) => key),
  PML: (asked) => byStep(asked).map(({ key }) => key),
};

/** Ranks as PML does, and returns scores; `bonus` is what is known about a position in the list besides the query. */
export function fused({ parts, search, query, cosines, weight, background }, { bonus, shown = SHOWN } = {}) {
  const best = search.best(LOOKED_AT);
  const keys = new Set(best.map(({ key }) => key));
  const others = new Set(cosines.flatMap((all) => order(all, LOOKED_AT)).filter((key) => !keys.has(key)));
  const found = [...best, ...search.of(others)];
  const of = (all) => new Map(found.map(({ key }) => [key, all[key]]));
  const [whole, ...rest] = cosines;
  return parts.fusion
    .fuse(
      found,
      search.usual,
      {
        whole: of(whole),
        parts: rest.map((all, part) => ({ text: query.parts[part], cosines: of(all) })),
        background,
        weight,
      },
      bonus,
    )
    .slice(0, shown);
}

/** Ranks a request and each of its steps as PML does. */
export function byStep(asked) {
  const { parts, steps } = asked;
  const least = parts.floors.fused.first;
  const found = steps
    .map((step) => ({ text: step.text, found: fused(step, { shown: LOOKED_AT }) }))
    .filter((step) => step.found[0]?.score >= least);
  const whole = fused(asked, { shown: LOOKED_AT });
  return (found.length === 0 ? whole : parts.fusion.mergeSteps(whole, found)).slice(0, SHOWN);
}

/** What PML shows of a ranking, with the model and by words alone. */
export function shown(asked) {
  const { parts, search } = asked;
  const without = {
    all: byStep(asked),
    words: parts.fusion.fuse(search.best(LOOKED_AT), search.usual).slice(0, SHOWN),
  };
  const above = (found, floor) => parts.aboveFloor(found, floor, ({ score }) => score);
  return {
    all: above(without.all, parts.floors.fused),
    words: above(without.words, parts.floors.words),
    without,
  };
}

/** Everything that the retrievers need for one query. */
export async function ask({ parts, pool, text, vectorsOf, weight, background }) {
  const query = parts.queries.queryText(text);
  const [plain] = await vectorsOf([text], "query");
  const one = async ({ text: said, wordings, parts: sentences }) => ({
    text: said,
    parts,
    query: { parts: sentences },
    weight,
    background,
    search: pool.index.ask(wordings, () => true),
    cosines: (await vectorsOf([said, ...sentences], "query")).map((vector) =>
      pool.vectors.map((other) => dot(vector, other)),
    ),
  });
  const steps = [];
  for (const step of query.steps) steps.push(await one({ text: step, wordings: [step], parts: [] }));
  return {
    ...(await one(query)),
    text,
    pool,
    steps,
    plainCosines: pool.plainVectors.map((other) => dot(plain, other)),
  };
}

function dot(one, other) {
  let sum = 0;
  for (let i = 0; i < one.length; i += 1) sum += one[i] * other[i];
  return sum;
}

function plainly(words, cosines) {
  const meaning = zScores(cosines);
  return order(zScores(words).map((value, place) => 0.3 * value + 0.7 * meaning[place]));
}

function order(scores, limit = SHOWN) {
  return Array.from(scores, (score, place) => ({ score, place }))
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, limit)
    .map(({ place }) => place);
}

function zScores(values) {
  const all = Array.from(values);
  const mean = all.reduce((sum, value) => sum + value, 0) / all.length;
  const deviation = Math.sqrt(all.reduce((sum, value) => sum + (value - mean) ** 2, 0) / all.length);
  return all.map((value) => (value - mean) / (deviation || 1));
}
