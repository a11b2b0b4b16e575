/**
 * Counts what an agent's model reads and writes. In every turn it reads the list of tools and the conversation so far,
 * then calls tools or answers. Tokens are those of o200k.
 */
import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** Prices, relative to a token that the model reads for the first time. */
const CACHED = 0.1;
const WRITTEN = 5;

export function tokensOf(text) {
  return encode(text, { disallowedSpecial: new Set() }).length;
}

/**
 * The cost of tasks that one agent does one after the other: each is a separate conversation, with the list of tools in
 * front. A model's provider caches what it has read: an unchanged list, and the conversation up to the previous turn.
 * If the list changes, the conversation after it is not cached either.
 */
export class Session {
  #list = { text: "", tokens: 0 };
  #seen;

  /** The text of a list that a client passes to its model. */
  readList(tools) {
    const text = tools
      .map(({ name, description, inputSchema }) =>
        JSON.stringify({ name, description, input_schema: inputSchema }),
      )
      .join("\n");
    if (text !== this.#list.text) this.#list = { text, tokens: tokensOf(text) };
  }

  get listTokens() {
    return this.#list.tokens;
  }

  /** A turn reads from the cache if the list is unchanged since the previous turn. */
  turn() {
    const isCached = this.#seen === this.#list.text;
    this.#seen = this.#list.text;
    return isCached;
  }
}

/** One task of a session. */
export class Conversation {
  sent = 0;
  received = 0;
  trips = 0;
  ms = 0;
  /** Tokens of the conversation that were read, in all turns together. */
  read = 0;
  /** Tokens of the list that were read, in all turns together. */
  listRead = 0;
  /** The price of everything: cached tokens count a tenth, written ones five times. */
  price = 0;
  result;
  /** Why the match was suggested instead of run. */
  notRun;

  #session;
  #known = 0;

  constructor(session) {
    this.#session = session;
  }

  get tokens() {
    return this.sent + this.received;
  }

  /** The model reads everything so far, and makes the next call, or several together. */
  beginTrip() {
    this.#turn();
    this.trips += 1;
  }

  /** Calls a tool; of calls at the same time only the first counts for the time. */
  async call(client, name, args, { isWaitedFor = true } = {}) {
    const started = performance.now();
    const answer = await client.callTool({ name, arguments: args });
    const ms = isWaitedFor ? performance.now() - started : 0;
    const text = answer.content.map((part) => part.text ?? "").join("\n");
    if (answer.isError && name !== "pml_execute") throw new Error(`${name}: ${text}`);
    const exchange = {
      sent: tokensOf(JSON.stringify({ name, arguments: args })),
      received: tokensOf(text),
      ms,
    };
    this.add(exchange);
    return { ...answer, exchange };
  }

  add({ sent, received, ms }) {
    this.sent += sent;
    this.received += received;
    this.ms += ms;
    this.price += WRITTEN * sent;
  }

  /** The model reads everything once more, to answer. Its answer is the same in all ways, and not counted. */
  end() {
    this.#turn();
    return this;
  }

  #turn() {
    const isCached = this.#session.turn();
    const { listTokens } = this.#session;
    const cached = isCached ? this.#known + listTokens : 0;
    this.price += this.tokens + listTokens - cached * (1 - CACHED);
    this.read += this.tokens;
    this.listRead += listTokens;
    this.#known = this.tokens;
  }
}
