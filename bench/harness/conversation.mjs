/**
 * What an agent's model reads and writes. Every turn it reads the list of tools and the conversation so far, then calls
 * tools or answers. Tokens are those of o200k.
 */
import { encode } from "gpt-tokenizer/encoding/o200k_base";

/** Prices, as a share of the price of a token that the model reads for the first time. */
const CACHED = 0.1;
const WRITTEN = 5;

export function tokensOf(text) {
  return encode(text, { disallowedSpecial: new Set() }).length;
}

/**
 * What tasks cost that one agent does one after the other: each is a conversation of its own, all have the list of
 * tools before them. A model's provider keeps what it has read: a list that is the same as in the turn before, and the
 * conversation up to that turn, are cached. A list that changed takes the conversation behind it along.
 */
export class Session {
  #list = { text: "", tokens: 0 };
  #seen;

  /** What a client hands its model of a list. */
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

  /** Whether the list is the one of the turn before. */
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
  /** Of the conversation, in all turns together. */
  read = 0;
  /** Of the list, in all turns together. */
  listRead = 0;
  /** All of it, with what is cached at a tenth and what the model writes at five times the price. */
  price = 0;
  result;
  /** Why it was suggested and not run. */
  notRun;

  #session;
  #known = 0;

  constructor(session) {
    this.#session = session;
  }

  get tokens() {
    return this.sent + this.received;
  }

  /** The model reads all that was said before, and makes the next call, or several together. */
  beginTrip() {
    this.#turn();
    this.trips += 1;
  }

  /** Calls a tool; of calls at the same time the first is waited for. */
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

  /** It reads everything once more, to answer. What it says then is the same in all ways, and left out. */
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
