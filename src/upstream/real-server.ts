/**
 * One configured server, kept connected: started, listed, watched, and started again with growing pauses.
 *
 * What it offered stays known while it is away, so that its tools remain listed and say that they are
 * unavailable, instead of vanishing from every client for the length of a restart.
 *
 * @module
 */
import { ProtocolError } from "@modelcontextprotocol/client";
import { defined } from "../base/defined.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { cleanText } from "../mcp/clean-text.js";
import type {
  Caller,
  LogMessage,
  OfferedTool,
  OfferKind,
  ServerAnswer,
  ServerOffer,
  ServerRequest,
  ServerStatus,
} from "../mcp/real-servers.js";
import { anyResult } from "./any-result.js";
import { BackOff } from "./back-off.js";
import { Connection } from "./connection.js";
import { OfferReader } from "./offer-reader.js";
import type { ServerEntry } from "./server-entry.js";
import { ServerSubscriptions } from "./server-subscriptions.js";

export interface RealServerEvents {
  offerChanged(kinds: readonly OfferKind[]): void;
  resourceUpdated(uri: string): void;
  logged(message: LogMessage): void;
  said(lines: readonly string[]): void;
}

const ALL_KINDS: readonly OfferKind[] = ["tools", "prompts", "resources"];
/** What a server says of itself may go on for pages; its beginning says what the server is for. */
const TEXT_CHARS = 2_000;

export class RealServer {
  readonly entry: ServerEntry;
  readonly #events: RealServerEvents;
  readonly #log: Log;
  readonly #backOff = new BackOff();
  readonly #offer: OfferReader;
  readonly #subscriptions = new ServerSubscriptions((error) => this.#logTrouble(error));
  #connection: Connection | undefined;
  #connecting: Promise<void> | undefined;
  /** The connection of the attempt that is under way. */
  #opening: Connection | undefined;
  #firstAttempt: Promise<void> = Promise.resolve();
  #state: ServerStatus["state"] = "connecting";
  #problem: string | undefined;
  #stderr: readonly string[] = [];
  #restarts = -1;
  #retry: NodeJS.Timeout | undefined;
  #health: NodeJS.Timeout | undefined;
  #logLevel: LogMessage["level"] | undefined;
  #setRemembered: () => void = () => {};
  readonly #remembered = new Promise<void>((resolve) => {
    this.#setRemembered = resolve;
  });

  constructor(entry: ServerEntry, events: RealServerEvents, log: Log) {
    this.entry = entry;
    this.#events = events;
    this.#log = log;
    this.#offer = new OfferReader(entry.name, (kinds) => events.offerChanged(kinds), log);
  }

  start(): void {
    this.#firstAttempt = this.#connect();
    this.#health = setInterval(() => void this.#checkHealth(), LIMITS.healthEveryMs);
    this.#health.unref();
  }

  async stop(): Promise<void> {
    this.#state = "stopped";
    clearTimeout(this.#retry);
    clearInterval(this.#health);
    await this.#connection?.close();
    await this.#opening?.close();
    await this.#connecting?.catch(() => {});
  }

  /** Resolves when it is known what it has of that kind: it was read, that failed, or its tools are remembered. */
  known(kind: OfferKind): Promise<void> {
    if (kind === "tools") return Promise.race([this.#firstAttempt, this.#remembered]);
    return this.#firstAttempt.then(() =>
      this.#connection === undefined ? undefined : this.#offer.firstReading(kind),
    );
  }

  /** Takes what the server offered the last time for its offer until it is reached. */
  remember(tools: readonly OfferedTool[]): void {
    if (this.#state === "ready" || this.#isStopped() || this.#offer.tools.length > 0 || tools.length === 0)
      return;
    this.#offer.remember(tools);
    this.#setRemembered();
    this.#events.offerChanged(["tools"]);
  }

  offer(): Omit<ServerOffer, "place"> {
    return {
      server: this.entry.name,
      naming: this.entry.naming,
      current: this.#state === "ready",
      // While it is started for the first time, a call simply waits for it.
      available: this.#state === "ready" || this.#state === "connecting",
      ...this.#offer.view(),
    };
  }

  status(): ServerStatus {
    const client = this.#connection?.client;
    const version = client?.getNegotiatedProtocolVersion();
    const { version: said, description, title } = client?.getServerVersion() ?? {};
    return {
      name: this.entry.name,
      state: this.#state,
      transport: this.entry.transport,
      tools: this.#offer.tools.length,
      refused: this.#offer.refused,
      restarts: Math.max(this.#restarts, 0),
      stderr: this.#connection?.child?.stderr ?? this.#stderr,
      ...defined({
        problem: this.#problem,
        protocolVersion: version,
        serverVersion: cleanStart(said),
        serverDescription: cleanStart(description ?? title),
        serverInstructions: cleanStart(client?.getInstructions()),
        pid: this.#connection?.child?.pid,
      }),
    };
  }

  async request(request: ServerRequest, caller: Caller): Promise<ServerAnswer> {
    const connection = this.#connection ?? (await unlessAborted(this.#reconnectNow(), caller.signal));
    const admission = request.beforeSend?.();
    if (admission !== undefined) await unlessAborted(admission, caller.signal);
    try {
      return await connection.request(request, caller);
    } catch (error) {
      if (error instanceof ProtocolError || error instanceof PmlError || caller.signal.aborted) throw error;
      // Over HTTP nothing closes when the server dies: a failed request is the first sign of it.
      if (this.entry.transport !== "stdio") await this.#checkHealth();
      if (connection !== this.#connection) throw this.#unavailable(error);
      throw error;
    }
  }

  abandon(connection: string): void {
    this.#connection?.abandon(connection);
  }

  subscribe(uri: string): Promise<void> {
    return this.#subscriptions.add(uri, this.#connection?.client);
  }

  unsubscribe(uri: string): Promise<void> {
    return this.#subscriptions.remove(uri, this.#connection?.client);
  }

  setLogLevel(level: LogMessage["level"]): void {
    this.#logLevel = level;
    void this.#sendLogLevel();
  }

  #connect(): Promise<void> {
    clearTimeout(this.#retry);
    this.#connecting ??= this.#attempt().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #attempt(): Promise<void> {
    if (this.#state !== "unavailable") this.#state = "connecting";
    let lost = false;
    let late = false;
    const connection = new Connection(this.entry, {
      closed: () => {
        lost = true;
        if (connection === this.#connection) this.#lose(connection);
      },
      listChanged: (kind) => this.#offer.changed(kind),
      resourceUpdated: (uri) => this.#events.resourceUpdated(uri),
      logged: (message) => this.#events.logged(message),
      said: (lines) => this.#events.said(lines),
      trouble: (error) => this.#logTrouble(error),
    });
    this.#opening = connection;
    const limit = setTimeout(() => {
      late = true;
      void connection.close();
    }, LIMITS.serverConnectMs);
    try {
      await connection.open();
      await this.#offer.readTools(connection.client);
      if (lost) throw new Error("the connection was lost while reading its tools");
    } catch (error) {
      const endedItself = lost && !late;
      await connection.close();
      this.#stderr = connection.child?.stderr ?? [];
      this.#fail(late ? tooLate() : endedItself ? endOf(connection, error) : error);
      return;
    } finally {
      clearTimeout(limit);
      this.#opening = undefined;
    }
    if (this.#isStopped()) return connection.close();
    this.#connection = connection;
    this.#state = "ready";
    this.#problem = undefined;
    this.#backOff.connected();
    this.#restarts += 1;
    this.#log.info("server.ready", { server: this.entry.name, tools: this.#offer.tools.length });
    this.#events.offerChanged(ALL_KINDS);
    this.#offer.follow(connection.client);
    if (this.#logLevel !== undefined) void this.#sendLogLevel();
    void this.#subscriptions.renew(connection.client);
  }

  #logTrouble(error: Error): void {
    this.#log.debug("server.trouble", { server: this.entry.name, message: error.message.slice(0, 300) });
  }

  /** A method, since the state may change during any `await`. */
  #isStopped(): boolean {
    return this.#state === "stopped";
  }

  #lose(connection: Connection): void {
    this.#connection = undefined;
    this.#offer.lost();
    this.#stderr = connection.child?.stderr ?? [];
    if (this.#state === "stopped") return;
    const lost = new Error("its connection was lost");
    this.#fail(endOf(connection, lost));
    // How a process ended is known a moment after its pipes are closed.
    void connection.close().then(() => {
      if (this.#problem === lost.message) this.#problem = cleanStart(messageOf(endOf(connection, lost)));
    });
  }

  #fail(error: unknown): void {
    if (this.#state === "stopped") return;
    const wasReady = this.#state === "ready";
    this.#state = "unavailable";
    this.#problem = cleanStart(messageOf(error));
    const pause = this.#backOff.nextPauseMs();
    this.#retry = setTimeout(() => void this.#connect(), pause);
    this.#log.warn("server.unavailable", { server: this.entry.name, problem: this.#problem, retryMs: pause });
    if (wasReady || this.#offer.tools.length > 0) this.#events.offerChanged(ALL_KINDS);
  }

  /** A call does not wait for the next attempt that is due: it makes one. */
  async #reconnectNow(): Promise<Connection> {
    if (this.#state !== "stopped") await this.#connect();
    if (this.#connection === undefined) throw this.#unavailable();
    return this.#connection;
  }

  async #checkHealth(): Promise<void> {
    const connection = this.#connection;
    // A server that is at work may be too busy to answer, and says so by working.
    if (connection === undefined || connection.callsUnderWay > 0) return;
    try {
      await connection.checkHealth();
    } catch (error) {
      if (connection !== this.#connection || connection.callsUnderWay > 0) return;
      // An error that the server sent is an answer too.
      if (error instanceof ProtocolError) return;
      this.#log.warn("server.no_sign_of_life", { server: this.entry.name });
      await connection.close();
    }
  }

  async #sendLogLevel(): Promise<void> {
    const client = this.#connection?.client;
    if (client?.getServerCapabilities()?.logging === undefined || client.getProtocolEra() === "modern")
      return;
    await client
      .request({ method: "logging/setLevel", params: { level: this.#logLevel } }, anyResult)
      .catch(() => {});
  }

  #unavailable(cause?: unknown): PmlError {
    const why = this.#problem ?? (cause === undefined ? "it is not connected" : messageOf(cause));
    return new PmlError("SERVER_UNAVAILABLE", `Cannot reach server "${this.entry.name}": ${why}`, {
      hint: "PML is reconnecting to it; try again, or run `pml doctor` to see the problem.",
      data: { server: this.entry.name },
      cause,
    });
  }
}

/** A text of the server as people and agents read it. */
function cleanStart(text: string): string;
function cleanStart(text: string | undefined): string | undefined;
function cleanStart(text: string | undefined): string | undefined {
  return typeof text === "string" ? cleanText(text.slice(0, TEXT_CHARS)) : undefined;
}

/** The outcome, unless the signal says first that nobody waits for it any more. */
async function unlessAborted<T>(outcome: Promise<T>, signal: AbortSignal): Promise<T> {
  let giveUp = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener("abort", giveUp, { once: true });
  });
  try {
    return await Promise.race([outcome, aborted]);
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

function tooLate(): Error {
  return new Error(`it was not ready within ${LIMITS.serverConnectMs} ms`);
}

/** Why a connection was lost: how its process ended, where it has one. */
function endOf({ child }: Connection, otherwise: unknown): unknown {
  if (child?.givenUp !== undefined) return new Error(child.givenUp);
  return child?.exit === undefined ? otherwise : new Error(`its process ${child.exit}`);
}
