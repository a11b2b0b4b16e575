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
import type { EntryProblem, ServerEntry } from "./server-entry.js";
import { ServerSubscriptions } from "./server-subscriptions.js";

export interface RealServerEvents {
  offerChanged(kinds: readonly OfferKind[]): void;
  resourceUpdated(uri: string): void;
  logged(message: LogMessage): void;
  said(lines: readonly string[]): void;
}

const ALL_KINDS: readonly OfferKind[] = ["tools", "prompts", "resources"];
const RECONNECTING = "PML is reconnecting to it; try again, or run `pml doctor` to see the problem.";
const BROKEN_ENTRY =
  "A person has to correct its entry in the configuration; `pml servers` shows the problem.";
/** What a server says of itself may go on for pages; its beginning says what the server is for. */
const TEXT_CHARS = 2_000;

export class RealServer {
  #entry: ServerEntry;
  readonly #events: RealServerEvents;
  readonly #log: Log;
  readonly #hide: (text: string) => string;
  #backOff = new BackOff();
  readonly #offer: OfferReader;
  readonly #subscriptions = new ServerSubscriptions((error) => this.#logTrouble(error));
  #connection: Connection | undefined;
  #connecting: Promise<void> | undefined;
  /** The connection of the attempt that is under way. */
  #opening: Connection | undefined;
  #firstAttempt: Promise<void> = Promise.resolve();
  #state: ServerStatus["state"] = "connecting";
  #since = new Date();
  #problem: string | undefined;
  #lastError: ServerStatus["lastError"];
  #stderr: readonly string[] = [];
  #restarts = -1;
  #retry: NodeJS.Timeout | undefined;
  /** Resolves when the processes and connections of the former entry have ended. */
  #closing: Promise<unknown> | undefined;
  #health: NodeJS.Timeout | undefined;
  #logLevel: LogMessage["level"] | undefined;
  #setRemembered: () => void = () => {};
  readonly #remembered = new Promise<void>((resolve) => {
    this.#setRemembered = resolve;
  });

  /** `hide` takes the values of secrets out of what the server, or an error, says. */
  constructor(entry: ServerEntry, events: RealServerEvents, log: Log, hide: (text: string) => string) {
    this.#hide = hide;
    this.#entry = entry;
    this.#events = events;
    this.#log = log;
    this.#offer = new OfferReader(entry.name, (kinds) => events.offerChanged(kinds), log);
  }

  get entry(): ServerEntry {
    return this.#entry;
  }

  start(): void {
    this.#firstAttempt = this.#connect();
    this.#health = setInterval(() => void this.#checkHealth(), LIMITS.healthEveryMs);
    this.#health.unref();
  }

  async stop(): Promise<void> {
    this.#become("stopped");
    clearTimeout(this.#retry);
    clearInterval(this.#health);
    await this.#connection?.close();
    await this.#opening?.close();
    await this.#connecting?.catch(() => {});
    await this.#closing;
  }

  /**
   * Goes on with another entry: what the former one has started ends before anything is started. Its tools stay listed,
   * subscriptions are kept, and calls under way fail.
   */
  restart(entry: ServerEntry): Promise<void> {
    this.#entry = entry;
    clearTimeout(this.#retry);
    const former = this.#connection;
    this.#connection = undefined;
    this.#offer.lost();
    this.#backOff = new BackOff();
    this.#problem = undefined;
    if (!this.#isStopped()) this.#become("connecting");
    const before = this.#closing;
    this.#closing = Promise.all([before, former?.close(), this.#opening?.close()]);
    // An attempt with the former entry ends first; what comes of it does not count.
    this.#connecting = this.#tracked((this.#connecting ?? Promise.resolve()).then(() => this.#attempt()));
    this.#firstAttempt = this.#connecting;
    return this.#connecting;
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
      since: this.#since.toISOString(),
      transport: this.entry.transport,
      tools: this.#offer.tools.length,
      refused: this.#offer.refused,
      restarts: Math.max(this.#restarts, 0),
      stderr: (this.#connection?.child?.stderr ?? this.#stderr).map(this.#hide),
      ...defined({
        problem: this.#problem,
        problemCode: this.entry.problem?.code,
        hint: this.entry.problem?.hint,
        lastError: this.#lastError,
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
    this.#connecting ??= this.#tracked(this.#attempt());
    return this.#connecting;
  }

  #tracked(attempt: Promise<void>): Promise<void> {
    const tracked = attempt.finally(() => {
      if (this.#connecting === tracked) this.#connecting = undefined;
    });
    return tracked;
  }

  async #attempt(): Promise<void> {
    await this.#closing;
    const entry = this.#entry;
    if (this.#isStopped() || this.#connection !== undefined) return;
    if (entry.problem !== undefined) return this.#refuse(entry.problem);
    if (this.#state !== "unavailable") this.#become("connecting");
    let lost = false;
    let late = false;
    const connection = new Connection(entry, {
      closed: () => {
        lost = true;
        if (connection === this.#connection) this.#lose(connection);
      },
      listChanged: (kind) => this.#offer.changed(kind),
      resourceUpdated: (uri) => this.#events.resourceUpdated(uri),
      logged: (message) => this.#events.logged(message),
      said: (lines) => this.#events.said(lines.map(this.#hide)),
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
      if (entry !== this.#entry) return;
      this.#stderr = connection.child?.stderr ?? [];
      this.#fail(late ? tooLate() : endedItself ? endOf(connection, error) : error);
      return;
    } finally {
      clearTimeout(limit);
      this.#opening = undefined;
    }
    if (this.#isStopped() || entry !== this.#entry) return connection.close();
    this.#connection = connection;
    this.#become("ready");
    this.#problem = undefined;
    this.#backOff.connected();
    this.#restarts += 1;
    this.#log.info("server.ready", { server: this.entry.name, tools: this.#offer.tools.length });
    this.#events.offerChanged(ALL_KINDS);
    this.#offer.follow(connection.client);
    if (this.#logLevel !== undefined) void this.#sendLogLevel();
    void this.#subscriptions.renew(connection.client);
  }

  #become(state: ServerStatus["state"]): void {
    if (state !== this.#state) this.#since = new Date();
    this.#state = state;
  }

  /** Nothing is tried again: only another entry helps. */
  #refuse({ code, message }: EntryProblem): void {
    if (this.#state === "unavailable") return;
    this.#become("unavailable");
    this.#setProblem(message);
    this.#log.warn("server.entry_broken", { server: this.entry.name, code, problem: message });
    this.#events.offerChanged(ALL_KINDS);
  }

  #setProblem(message: string): void {
    this.#problem = cleanStart(this.#hide(message));
    this.#lastError = { message: this.#problem, at: new Date().toISOString() };
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
      if (this.#problem === lost.message) this.#setProblem(messageOf(endOf(connection, lost)));
    });
  }

  #fail(error: unknown): void {
    if (this.#state === "stopped") return;
    const wasReady = this.#state === "ready";
    this.#become("unavailable");
    this.#setProblem(messageOf(error));
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
    const why = this.#problem ?? (cause === undefined ? "it is not connected" : this.#hide(messageOf(cause)));
    return new PmlError("SERVER_UNAVAILABLE", `Cannot reach server "${this.entry.name}": ${why}`, {
      hint: this.entry.problem?.hint ?? (this.entry.problem === undefined ? RECONNECTING : BROKEN_ENTRY),
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
