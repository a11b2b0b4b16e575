/**
 * What the next gateway must know about a client: its initialization, log level and subscriptions. These messages are
 * kept here and sent again to each gateway that is joined.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { LIMITS } from "../base/limits.js";
import { type Id, isRequest, lineOf, type Message, metaOf, type Request } from "./relay-message.js";

const INITIALIZE = "initialize";
const INITIALIZED = "notifications/initialized";
const LISTEN = "subscriptions/listen";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const SUBSCRIPTION_META = "io.modelcontextprotocol/subscriptionId";
const CARRIED: ReadonlySet<string | undefined> = new Set([INITIALIZE, INITIALIZED, LISTEN]);
const LISTS = ["tools", "prompts", "resources"] as const;

interface Kept {
  readonly request: Request;
  readonly line: string;
  /** The client already has its answer; the answer of the next gateway is dropped. */
  isAnswered: boolean;
}

/** Returns the result of a request if it is known without a gateway. */
export type Greeting = (request: Request) => object | undefined;

export class ClientSetUp {
  #initialize: Kept | undefined;
  #isInitialized = false;
  #level: Request | undefined;
  readonly #resources = new Map<unknown, Request>();
  readonly #listens = new Map<Id, Kept>();
  #replays = 0;
  /** Continues the replay, once the gateway has answered the initialization. */
  #goOn: ((isRefused: boolean) => void) | undefined;

  /** Unanswered requests of the client. */
  get waiting(): readonly Request[] {
    const kept = [...(this.#initialize === undefined ? [] : [this.#initialize]), ...this.#listens.values()];
    return kept.filter(({ isAnswered }) => !isAnswered).map(({ request }) => request);
  }

  /** Records a message of the client. Returns true if `replay` sends it, so that it need not be kept elsewhere. */
  clientSaid(line: string, message: Message): boolean {
    const { method, params } = message;
    if (method === INITIALIZED) this.#isInitialized = true;
    if (method === "notifications/cancelled") this.#listens.delete(params?.requestId as Id);
    if (!isRequest(message)) return CARRIED.has(method);
    if (method === INITIALIZE) {
      this.#initialize = { request: message, line, isAnswered: false };
      this.#isInitialized = false;
    }
    if (method === LISTEN && this.#listens.size < LIMITS.clientSubscriptions)
      this.#listens.set(message.id, { request: message, line, isAnswered: false });
    if (method === "logging/setLevel") this.#level = message;
    if (method === "resources/subscribe" && this.#resources.size < LIMITS.clientSubscriptions)
      this.#resources.set(params?.uri, message);
    if (method === "resources/unsubscribe") this.#resources.delete(params?.uri);
    return method === INITIALIZE || this.#listens.has(message.id);
  }

  /** Answers the initialization if its answer is already known. */
  greet(greeting: Greeting, toClient: (line: string) => void): void {
    const kept = this.#initialize;
    const result = kept === undefined || kept.isAnswered ? undefined : greeting(kept.request);
    if (kept === undefined || result === undefined) return;
    kept.isAnswered = true;
    toClient(lineOf({ id: kept.request.id, result }));
  }

  /** Sends everything to a gateway; `done` is called when the gateway can receive requests, or has refused. */
  replay(send: (line: string) => void, done: (isRefused: boolean) => void): void {
    const goOn = (isRefused: boolean) => {
      this.#goOn = undefined;
      if (!isRefused) this.#replayRest(send);
      done(isRefused);
    };
    const kept = this.#initialize;
    this.#goOn = goOn;
    if (kept === undefined) goOn(false);
    else send(kept.isAnswered ? this.#again(kept.request) : kept.line);
  }

  /** Returns true if the message answers something that is kept here, and needs no further handling. */
  gatewaySaid(line: string, message: Message, toClient: (line: string) => void): boolean {
    if (message.method === ACKNOWLEDGED) {
      const kept = this.#listens.get(metaOf(message)[SUBSCRIPTION_META] as Id);
      if (kept?.isAnswered !== true) toClient(line);
      if (kept !== undefined) kept.isAnswered = true;
      return true;
    }
    if (message.method !== undefined) return false;
    if (String(message.id).startsWith(REPLAYED)) {
      if (message.id === this.#replayId()) this.#goOn?.(!("result" in message));
      return true;
    }
    return this.#isOfInitialize(line, message, toClient) || this.#isOfListen(line, message, toClient);
  }

  /** Notifications for the client after a change of gateways, so that it lists again. */
  news(): readonly string[] {
    const changed = (list: string) => `notifications/${list}/list_changed`;
    const plain = this.#isInitialized ? LISTS.map((list) => lineOf({ method: changed(list) })) : [];
    const streams = [...this.#listens.values()].flatMap(({ request: { id, params } }) => {
      const wanted = isJsonObject(params?.notifications) ? params.notifications : {};
      return LISTS.filter((list) => wanted[`${list}ListChanged`] === true).map((list) =>
        lineOf({ method: changed(list), params: { _meta: { [SUBSCRIPTION_META]: id } } }),
      );
    });
    return [...plain, ...streams];
  }

  /** Removes and returns the waiting requests, because there is no gateway for them. */
  giveUp(): readonly Request[] {
    const { waiting } = this;
    this.#goOn = undefined;
    if (this.#initialize?.isAnswered === false) this.#initialize = undefined;
    for (const { id } of waiting) this.#listens.delete(id);
    return waiting;
  }

  #replayRest(send: (line: string) => void): void {
    if (this.#isInitialized) send(lineOf({ method: INITIALIZED }));
    if (this.#level !== undefined) send(this.#again(this.#level));
    for (const request of this.#resources.values()) send(this.#again(request));
    for (const { line } of this.#listens.values()) send(line);
  }

  /** With a new id, because the client already has its answer. */
  #again(request: Request): string {
    this.#replays += 1;
    return JSON.stringify({ ...request, id: this.#replayId() });
  }

  #replayId(): string {
    return `${REPLAYED}${this.#replays}`;
  }

  #isOfInitialize(line: string, message: Message, toClient: (line: string) => void): boolean {
    const kept = this.#initialize;
    if (kept === undefined || kept.isAnswered || kept.request.id !== message.id) return false;
    if ("result" in message) kept.isAnswered = true;
    else this.#initialize = undefined;
    toClient(line);
    this.#goOn?.(false);
    return true;
  }

  #isOfListen(line: string, message: Message, toClient: (line: string) => void): boolean {
    const kept = this.#listens.get(message.id as Id);
    if (kept === undefined) return false;
    // A gateway that stops ends its streams normally; the client's stream continues with the next one.
    if ("result" in message) return true;
    this.#listens.delete(kept.request.id);
    toClient(line);
    return true;
  }
}

const REPLAYED = "pml-replay-";
