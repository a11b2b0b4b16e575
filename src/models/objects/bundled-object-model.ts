/**
 * Computes how likely each word of a capability is in its name. Three small networks use facts about the words and, if
 * the bundled encoder has read them, their vectors. Without vectors only the facts decide.
 *
 * @module
 */
import type { NamingSource, ObjectModel, ScoredWord, SourceVectors } from "../../curation/object-model.js";
import { bucket, candidatesOf, FACTS, type KnownWords } from "./candidates.js";
import { type SourceWords, sourceWords } from "./source-words.js";

/** The content of the model's `lexicon.json`. */
export interface ObjectLexicon {
  readonly verbs: readonly string[];
  readonly verbClass: readonly number[];
  readonly forms: Readonly<Record<string, string>>;
  readonly notVerbs: readonly string[];
  readonly states: readonly string[];
  readonly words: Readonly<Record<string, string>>;
  readonly weights: readonly {
    readonly name: string;
    readonly shape: readonly number[];
    readonly offset: number;
  }[];
}

const NETWORKS = [0, 1, 2];
/** Unit vectors are multiplied by this: the networks were trained on vectors of this length. */
const SCALE = 8;
const STATES = 2;
const LEAST_STATE = 0.05;
const OTHER_VERBS = 10;

export class BundledObjectModel implements ObjectModel {
  readonly #lexicon: ObjectLexicon;
  readonly #known: KnownWords;
  readonly #weights: ReadonlyMap<string, Float32Array>;

  /** @param weights half floats, least significant byte first */
  constructor(lexicon: ObjectLexicon, weights: DataView) {
    this.#lexicon = lexicon;
    this.#known = {
      verbs: new Set(lexicon.verbs),
      states: new Set(lexicon.states),
      counts: lexicon.words,
    };
    this.#weights = new Map(
      lexicon.weights.map(({ name, shape, offset }) => {
        const length = shape.reduce((size, side) => size * side, 1);
        return [name, Float32Array.from({ length }, (_, index) => halfAt(weights, offset + 2 * index))];
      }),
    );
  }

  /** @param intent in English */
  read(intent: string, tools: readonly string[], code: string): NamingSource {
    const words: SourceWords = sourceWords(intent, tools, code);
    return {
      candidates: candidatesOf(words, new Set(tools).size, this.#known),
      intent: words.intent.map(({ word }) => word),
      rest: [...words.tools, ...words.code].map(({ word }) => word),
    };
  }

  /** All words that a name may have after this verb, the most likely first. */
  score({ candidates }: NamingSource, verb: string, vectors?: SourceVectors): readonly ScoredWord[] {
    const implied = vectors === undefined ? [] : this.#impliedStates(vectors.intent.text);
    const inputs = candidates.map((one) => {
      const state = implied.find(({ key }) => key === one.key);
      const words = one.isSaid ? vectors?.intent.words : vectors?.rest.words;
      return {
        ...one,
        facts: state === undefined ? one.facts : [...one.facts, stateFact(state.implied)],
        vector: words?.[one.at],
        verb: this.#verbOf(one.key),
      };
    });
    const unsaid = implied.filter(({ key }) => !candidates.some((one) => one.key === key));
    const all = [
      ...inputs,
      ...unsaid.map(({ key, implied: sure }) => ({
        key,
        word: key,
        isSaid: false,
        at: 0,
        facts: [stateFact(sure), FACTS.state + 1],
        vector: vectors?.intent.text,
        verb: undefined,
        implied: sure,
      })),
    ];
    const scores = NETWORKS.map((network) => this.#networkScores(network, all, verb, vectors));
    return all
      .map(({ facts: _facts, vector: _vector, ...one }, index) => ({
        ...one,
        probability: scores.reduce((sum, of) => sum + (of[index] ?? 0), 0) / scores.length,
      }))
      .sort((a, b) => b.probability - a.probability || (a.key < b.key ? -1 : 1));
  }

  #networkScores(
    network: number,
    inputs: readonly {
      readonly facts: readonly number[];
      readonly vector: Float32Array | undefined;
      readonly verb: string | undefined;
    }[],
    verb: string,
    vectors: SourceVectors | undefined,
  ): readonly number[] {
    const weight = (name: string) => this.#weight(`${network}.${name}`);
    const size = weight("same").length;
    const verbClass = this.#lexicon.verbClass[this.#lexicon.verbs.indexOf(verb)] ?? OTHER_VERBS;
    const shared = new Float32Array(size);
    for (const name of ["p.bias", "q.bias", "cs.bias"]) add(shared, weight(name));
    add(shared, weight("rv.weight"), verbClass);
    if (vectors !== undefined) addProduct(shared, weight("q.weight"), vectors.intent.text, SCALE);
    const [perFact, linears] = [weight("f.weight"), weight("lin.weight")];
    return inputs.map((input) => {
      const sum = Float32Array.from(shared);
      let linear = weight("o2.bias")[0] ?? 0;
      for (const fact of input.facts) {
        add(sum, perFact, fact);
        linear += linears[fact] ?? 0;
      }
      if (vectors !== undefined && input.vector !== undefined) {
        addProduct(sum, weight("p.weight"), input.vector, SCALE);
        const likeness = [vectors.intent, vectors.rest].map(({ text }) => dot(text, input.vector ?? text));
        addProduct(sum, weight("cs.weight"), Float32Array.from(likeness));
      }
      if (input.verb === verb) add(sum, weight("same"));
      const hidden = Float32Array.from(weight("o.bias"));
      addProduct(hidden, weight("o.weight"), positive(sum));
      return 1 / (1 + Math.exp(-linear - dot(positive(hidden), weight("o2.weight"))));
    });
  }

  /** States that the intent expresses in other words, the most certain first. */
  #impliedStates(intent: Float32Array): readonly { readonly key: string; readonly implied: number }[] {
    const logits = Float32Array.from(this.#weight("states.bias"));
    addProduct(logits, this.#weight("states.weight"), intent, SCALE);
    const top = Math.max(...logits);
    const shares = Array.from(logits, (logit) => Math.exp(logit - top));
    const sum = shares.reduce((total, share) => total + share, 0);
    return this.#lexicon.states
      .map((key, index) => ({ key, implied: (shares[index] ?? 0) / sum }))
      .sort((a, b) => b.implied - a.implied)
      .slice(0, STATES)
      .filter(({ implied }) => implied > LEAST_STATE);
  }

  #verbOf(word: string): string | undefined {
    const { forms, notVerbs } = this.#lexicon;
    if (Object.hasOwn(forms, word)) return forms[word];
    return this.#known.verbs.has(word) && !notVerbs.includes(word) ? word : undefined;
  }

  #weight(name: string): Float32Array {
    return this.#weights.get(name) ?? new Float32Array(0);
  }
}

function stateFact(sure: number): number {
  return FACTS.implied + 1 + bucket(sure, [0.1, 0.2, 0.4, 0.7]);
}

/** Decodes a half float, which Node 20 cannot do itself. */
function halfAt(bytes: DataView, at: number): number {
  const bits = bytes.getUint16(at, true);
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const size = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

/** Adds one row of a table. */
function add(sum: Float32Array, table: Float32Array, row = 0): void {
  for (let at = 0; at < sum.length; at += 1)
    sum[at] = (sum[at] as number) + (table[row * sum.length + at] as number);
}

function addProduct(sum: Float32Array, matrix: Float32Array, vector: Float32Array, scale = 1): void {
  for (let row = 0; row < sum.length; row += 1)
    sum[row] = (sum[row] as number) + scale * dot(vector, matrix, row * vector.length);
}

/** @param from where the second begins in a matrix */
function dot(vector: Float32Array, other: Float32Array, from = 0): number {
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] as number) * (other[from + at] as number);
  return sum;
}

function positive(values: Float32Array): Float32Array {
  return values.map((value) => Math.max(0, value));
}
