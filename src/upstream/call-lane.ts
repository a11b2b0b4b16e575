/**
 * Limits the calls that are under way on one server at the same time.
 *
 * All calls share one limit, of which one client has at most half of what the others leave ({@link fairShare}): so a
 * client whose calls hang leaves room for others. Calls over a client's share wait in line, no longer than
 * `laneWaitMs`.
 *
 * A 2025-era server that asks its user something does not say for which call, so while several connections have calls
 * under way, the gateway cannot tell which user to ask. Once a server has asked, calls of different connections take
 * turns on it; calls of one connection still run in parallel. If one has waited for its turn for `laneTurnMs`, they
 * stop taking turns until the server asks again: a call that hangs must not block all others. A question that could
 * belong to several connections is refused.
 *
 * @module
 */
import { fairShare } from "../base/fair-share.js";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";

/** The connection and client of a call. */
export interface CallOwner {
  readonly connection: string;
  /** The client whose share it uses; default: the connection. */
  readonly client?: string | undefined;
}

interface Place {
  readonly connection: string;
  readonly client: string;
  readonly enter: () => void;
}

export interface CallLaneOptions {
  readonly most?: number;
  readonly mostWaiting?: number;
}

export class CallLane {
  readonly #server: string;
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #queue: Place[] = [];
  /** How many calls of each client wait. */
  readonly #waiting = new Map<string, number>();
  readonly #connections = new Map<string, number>();
  readonly #clients = new Map<string, number>();
  #total = 0;
  #oneConnectionAtATime = false;

  constructor(
    server: string,
    { most = LIMITS.serverRequests, mostWaiting = LIMITS.serverRequestsWaiting }: CallLaneOptions = {},
  ) {
    this.#server = server;
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  /** From now on, calls of different connections take turns. */
  takeTurns(): void {
    this.#oneConnectionAtATime = true;
  }

  /** Resolves when the call may start, with a function to call when it has ended. */
  async enter({ connection, client = connection }: CallOwner, signal: AbortSignal): Promise<() => void> {
    await this.#wait(connection, client, signal);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#count({ connection, client }, -1);
      this.#admit();
    };
  }

  /** Whether a call of another connection than this one waits for its turn. */
  isWaitedForByOthers(connection: string): boolean {
    return this.#queue.some((place) => place.connection !== connection);
  }

  async #wait(connection: string, client: string, signal: AbortSignal): Promise<void> {
    let isIn = false;
    let wake: () => void = () => {};
    const place: Place = {
      connection,
      client,
      enter: () => {
        isIn = true;
        wake();
      },
    };
    this.#queue.push(place);
    add(this.#waiting, client, 1);
    this.#admit();
    if (isIn) return;
    const refusal = signal.aborted ? signal.reason : this.#refusalOf(client);
    if (refusal !== undefined) {
      this.#leave(place);
      throw refusal;
    }
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        clearTimeout(late);
        clearTimeout(overdue);
        signal.removeEventListener("abort", giveUp);
      };
      const fail = (reason: unknown) => {
        end();
        this.#leave(place);
        reject(reason);
        this.#admit();
      };
      const giveUp = () => fail(signal.reason);
      const late = setTimeout(() => fail(this.#waitedTooLong(client)), LIMITS.laneWaitMs);
      const overdue = setTimeout(() => {
        this.#oneConnectionAtATime = false;
        this.#admit();
      }, LIMITS.laneTurnMs);
      wake = () => {
        end();
        resolve();
      };
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #leave(place: Place): void {
    const index = this.#queue.indexOf(place);
    if (index < 0) return;
    this.#queue.splice(index, 1);
    add(this.#waiting, place.client, -1);
  }

  /**
   * Admits calls in order of arrival. Calls over their client's share are skipped, but a call that must wait for its
   * turn stops the queue.
   */
  #admit(): void {
    while ([...this.#waiting.keys()].some((client) => !this.#hasShare(client))) {
      const next = this.#queue.find(({ client }) => !this.#hasShare(client));
      if (next === undefined || !this.#isTurnOf(next.connection)) return;
      this.#leave(next);
      this.#count(next, 1);
      next.enter();
    }
  }

  #hasShare(client: string): boolean {
    const own = this.#clients.get(client) ?? 0;
    return own >= fairShare(this.#most, this.#total - own);
  }

  #isTurnOf(connection: string): boolean {
    return !this.#oneConnectionAtATime || this.#total === 0 || this.#connections.has(connection);
  }

  /** Why a call may not even wait. Its own place in line is already counted. */
  #refusalOf(client: string): PmlError | undefined {
    const own = this.#waiting.get(client) ?? 0;
    if (own <= fairShare(this.#mostWaiting, this.#queue.length - own)) return undefined;
    return new PmlError(
      "LIMIT_EXCEEDED",
      `Cannot call server "${this.#server}": ${own - 1} of your calls already wait for it, the limit of serverRequestsWaiting`,
      { hint: "Try again when some of them have been answered." },
    );
  }

  #waitedTooLong(client: string): PmlError {
    const own = this.#clients.get(client) ?? 0;
    const busy = own > 0 && this.#hasShare(client) ? `with ${own} calls of yours` : "with calls of others";
    return new PmlError(
      "LIMIT_EXCEEDED",
      `Cannot call server "${this.#server}": it was busy ${busy} for ${LIMITS.laneWaitMs} ms, the limit of laneWaitMs`,
      { hint: "Cancel calls that hang, or try again later; the server may be waiting for a user's answer." },
    );
  }

  #count({ connection, client }: Pick<Place, "connection" | "client">, by: number): void {
    this.#total += by;
    add(this.#connections, connection, by);
    add(this.#clients, client, by);
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
