/**
 * BM25F as in textbooks: lengths and rarities are those of the pool, and nothing is bounded. The weights of the fields
 * were tuned by hand before PML had its own ranking.
 */
const FIELDS = {
  name: { weight: 2, lengthMatters: 0.3 },
  server: { weight: 1, lengthMatters: 0.3 },
  description: { weight: 1, lengthMatters: 0.6 },
  parameters: { weight: 0.5, lengthMatters: 0.6 },
  details: { weight: 0.2, lengthMatters: 0.8 },
};
const SATURATION = 1.2;
const MOST_WORDS = 10_000;

/** @param {(text: string) => readonly string[]} keysOf the words of a text */
export class PlainWords {
  constructor(tools, keysOf) {
    this.keysOf = keysOf;
    const texts = tools.map((tool) => fieldsOf(tool, keysOf));
    const usual = Object.fromEntries(
      Object.keys(FIELDS).map((field) => [
        field,
        Math.max(1, texts.reduce((sum, text) => sum + text[field].length, 0) / texts.length),
      ]),
    );
    this.size = tools.length;
    this.postings = new Map();
    for (const [place, text] of texts.entries())
      for (const [key, weight] of weighed(text, usual)) {
        if (!this.postings.has(key)) this.postings.set(key, []);
        this.postings.get(key).push({ place, weight });
      }
  }

  /** The score of each tool, in their order. */
  scores(query) {
    const scores = new Float64Array(this.size);
    for (const key of new Set(this.keysOf(query))) {
      const having = this.postings.get(key) ?? [];
      const rarity = Math.log(1 + (this.size - having.length + 0.5) / (having.length + 0.5));
      for (const { place, weight } of having) scores[place] += (rarity * weight) / (SATURATION + weight);
    }
    return scores;
  }
}

/** Splits and stems words as PML does, without its synonyms. */
export function plainKeys({ wordsOf }, { stem }) {
  return (text) => wordsOf(text, MOST_WORDS).map((word) => stem(word.text));
}

/** A document in the format of the model card. */
export function plainDocument({ spokenName }, { server, name, description, inputSchema }) {
  const parameters = Object.keys(inputSchema?.properties ?? {}).join(", ");
  return `${server} ${spokenName(name)}: ${description} ${parameters}`.trim();
}

function fieldsOf({ server, name, description, inputSchema }, keysOf) {
  const parameters = Object.entries(inputSchema?.properties ?? {});
  return {
    name: keysOf(name),
    server: keysOf(server),
    description: keysOf(description),
    parameters: keysOf(parameters.map(([key]) => key).join(" ")),
    details: keysOf(parameters.map(([, property]) => property?.description ?? "").join(" ")),
  };
}

function weighed(text, usual) {
  const weights = new Map();
  for (const [field, { weight, lengthMatters }] of Object.entries(FIELDS)) {
    const length = 1 - lengthMatters + (lengthMatters * text[field].length) / usual[field];
    for (const key of text[field]) weights.set(key, (weights.get(key) ?? 0) + weight / length);
  }
  return weights;
}
