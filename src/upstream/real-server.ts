/**
 * One configured server, kept connected: started, listed, monitored, and restarted with growing pauses.
 *
 * Its offer stays known while it is away, so that its tools stay listed and say that they are unavailable, instead of
 * disappearing from every client during a restart.
 *
 * @module
 */
import { ProtocolError } from "@modelcontextprotocol/client";
import { defined } from "../base/defined.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { unlessAborted } from "../base/unless-aborted.js";
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
import { BackOff } from "./back-off.js";
import { Connection, type ConnectionEvents } from "./connection.js";
import { endOf, toldOf, tooLate, unavailableError } from "./lost-server.js";
import { OfferReader } from "./offer-reader.js";
import { identityOf, type RealServerEvents, ServerCondition } from "./server-condition.js";
import type { EntryProblem, ServerEntry } from "./server-entry.js";
import { ServerLogLevel } from "./server-log-level.js";
import { ServerSubscriptions } from "./server-subscriptions.js";
import { type KeeperOf, ServerSignIn } from "./sign-in/server-sign-in.js";

const ALL_KINDS: readonly OfferKind[] = ["tools", "prompts", "resources"];
export class RealServer {
  #entry: ServerEntry;
  readonly #events: RealServerEvents;
  readonly #log: Log;
  readonly #hide: (text: string) => string;
  readonly #keeperOf: KeeperOf;
  readonly #signIn: ServerSignIn;
  /** The sign-in that the connection was opened with: another sign-in may be another account. */
  #openedWith = 0;
  #backOff = new BackOff();
  readonly #offer: OfferReader;
  readonly #subscriptions = new ServerSubscriptions((error) => this.#logTrouble(error));
  #connection: Connection | undefined;
  #connecting: Promise<void> | undefined;
  /** The connection of the attempt in progress. */
  #opening: Connection | undefined;
  #firstAttempt: Promise<void> = Promise.resolve();
  readonly #is: ServerCondition;
  #stderr: readonly string[] = [];
  #restarts = -1;
  #retry: NodeJS.Timeout | undefined;
  /** Resolves when the processes and connections of the previous entry have ended. */
  #closing: Promise<unknown> | undefined;
  #health: NodeJS.Timeout | undefined;
  readonly #logLevel = new ServerLogLevel();
  #setRemembered: () => void = () => {};
  readonly #remembered = new Promise<void>((resolve) => {
    this.#setRemembered = resolve;
  });

  /** `hide` removes the values of secrets from texts of the server and from errors. */
  constructor(
    entry: ServerEntry,
    events: RealServerEvents,
    log: Log,
    hide: (text: string) => string,
    keeperOf: KeeperOf = () => undefined,
  ) {
    this.#hide = hide;
    this.#is = new ServerCondition(hide);
    this.#keeperOf = keeperOf;
    this.#signIn = new ServerSignIn(entry.name, hide, () => this.#signInChanged());
    this.#entry = entry;
    this.#events = events;
    this.#log = log;
    this.#offer = new OfferReader(entry.name, (kinds) => events.offerChanged(kinds), log);
  }

  get entry(): ServerEntry {
    return this.#entry;
  }

  start(): void {
    this.#signIn.use(this.#keeperOf(this.#entry));
    this.#firstAttempt = this.#connect();
    this.#health = setInterval(() => void this.#checkHealth(), LIMITS.healthEveryMs);
    this.#health.unref();
  }

  async stop(): Promise<void> {
    this.#is.become("stopped");
    clearTimeout(this.#retry);
    clearInterval(this.#health);
    await this.#connection?.close();
    await this.#opening?.close();
    await this.#connecting?.catch(() => {});
    await this.#closing;
    this.#signIn.use(undefined);
  }

  /**
   * Continues with another entry: everything that the old one has started ends before anything new is started. Its
   * tools stay listed, subscriptions are kept, and calls under way fail.
   */
  restart(entry: ServerEntry): Promise<void> {
    this.#entry = entry;
    this.#signIn.use(this.#keeperOf(this.#entry));
    return this.#reopen();
  }

  /** Opens a new connection that replaces the current one and any attempt in progress. */
  #reopen(): Promise<void> {
    clearTimeout(this.#retry);
    const former = this.#connection;
    this.#connection = undefined;
    this.#offer.lost();
    this.#backOff = new BackOff();
    this.#is.problem = undefined;
    if (!this.#isStopped()) this.#is.become("connecting");
    const before = this.#closing;
    this.#closing = Promise.all([before, former?.close(), this.#opening?.close()]);
    // An attempt with the previous entry ends first; its outcome does not count.
    this.#connecting = this.#tracked((this.#connecting ?? Promise.resolve()).then(() => this.#attempt()));
    this.#firstAttempt = this.#connecting;
    return this.#connecting;
  }

  /** Resolves when the items of that kind are known: they were read, that failed, or its tools are remembered. */
  known(kind: OfferKind): Promise<void> {
    if (kind === "tools") return Promise.race([this.#firstAttempt, this.#remembered]);
    return this.#firstAttempt.then(() =>
      this.#connection === undefined ? undefined : this.#offer.firstReading(kind),
    );
  }

  /** Uses the server's last offer until it is connected. */
  remember(tools: readonly OfferedTool[]): void {
    if (this.#is.state === "ready" || this.#isStopped() || this.#offer.tools.length > 0 || tools.length === 0)
      return;
    this.#offer.remember(tools);
    this.#setRemembered();
    this.#events.offerChanged(["tools"]);
  }

  offer(): Omit<ServerOffer, "place"> {
    return {
      server: this.entry.name,
      naming: this.entry.naming,
      current: this.#is.state === "ready",
      // During its first start, a call simply waits for it.
      available: this.#is.state === "ready" || this.#is.state === "connecting",
      ...(this.#is.state === "sign_in_required" ? { needsSignIn: true as const } : {}),
      ...this.#offer.view(),
    };
  }

  get needsSignIn(): boolean {
    return this.#is.state === "sign_in_required";
  }

  status(): ServerStatus {
    return {
      name: this.entry.name,
      state: this.#is.state,
      since: this.#is.since,
      transport: this.entry.transport,
      tools: this.#offer.tools.length,
      refused: this.#offer.refused,
      restarts: Math.max(this.#restarts, 0),
      stderr: (this.#connection?.child?.stderr ?? this.#stderr).map(this.#hide),
      ...defined({
        problem: this.#is.problem,
        problemCode: this.entry.problem?.code,
        hint: this.entry.problem?.hint,
        ...this.#signIn.problem(this.#is.state),
        signIn: this.#signIn.status(),
        lastError: this.#is.lastError,
        ...identityOf(this.#connection?.client),
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
      if (this.#signIn.isNeeded && !(error instanceof ProtocolError)) {
        if (this.#signIn.waits(true)) this.#awaitSignIn();
        throw this.#signIn.error() ?? this.#unavailable(error);
      }
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
    this.#logLevel.set(level, this.#connection?.client);
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
    if (this.#is.state !== "unavailable" && this.#is.state !== "sign_in_required")
      this.#is.become("connecting");
    let lost = false;
    let late = false;
    const events: ConnectionEvents = {
      closed: () => {
        lost = true;
        if (connection === this.#connection) this.#lose(connection);
      },
      listChanged: (kind) => this.#offer.changed(kind),
      resourceUpdated: (uri) => this.#events.resourceUpdated(uri),
      logged: (message) => this.#events.logged(message),
      said: (lines) => this.#events.said(lines.map(this.#hide)),
      trouble: (error) => this.#logTrouble(error),
    };
    const connection: Connection = new Connection(entry, events, this.#signIn.keeper);
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
      if (this.#signIn.waits(false)) return this.#awaitSignIn();
      this.#fail(late ? tooLate() : endedItself ? endOf(connection, error) : error);
      return;
    } finally {
      clearTimeout(limit);
      this.#opening = undefined;
    }
    if (this.#isStopped() || entry !== this.#entry) return connection.close();
    this.#connection = connection;
    this.#openedWith = this.#signIn.number;
    this.#is.become("ready");
    this.#is.problem = undefined;
    this.#backOff.connected();
    this.#restarts += 1;
    this.#log.info("server.ready", { server: this.entry.name, tools: this.#offer.tools.length });
    this.#events.offerChanged(ALL_KINDS);
    this.#offer.follow(connection.client);
    this.#logLevel.renew(connection.client);
    void this.#subscriptions.renew(connection.client);
  }

  #signInChanged(): void {
    // An attempt in progress uses the new token too.
    if (this.#isStopped() || this.#opening !== undefined) return;
    const isReady = this.#is.state === "ready";
    if (this.#signIn.waits(this.#connection !== undefined)) {
      if (isReady) this.#awaitSignIn();
    } else if (
      !this.#signIn.isNeeded &&
      (isReady ? this.#openedWith !== this.#signIn.number : this.#signIn.number > 0)
    )
      void this.#reopen();
  }

  /** Waits for a person. The server is still tried periodically: it may no longer need a sign-in. */
  #awaitSignIn(): void {
    if (this.#isStopped()) return;
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) {
      this.#offer.lost();
      void connection.close();
    }
    const isNew = this.#is.state !== "sign_in_required";
    this.#is.become("sign_in_required");
    this.#is.problem = undefined;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#connect(), LIMITS.reconnectMostMs);
    this.#retry.unref();
    if (!isNew) return;
    this.#log.info("server.sign_in_required", { server: this.entry.name });
    this.#events.offerChanged(ALL_KINDS);
  }

  /** There is no retry: only another entry helps. */
  #refuse({ code, message }: EntryProblem): void {
    if (this.#is.state === "unavailable") return;
    this.#is.become("unavailable");
    this.#is.setProblem(message);
    this.#log.warn("server.entry_broken", { server: this.entry.name, code, problem: message });
    this.#events.offerChanged(ALL_KINDS);
  }

  #logTrouble(error: Error): void {
    this.#log.debug("server.trouble", { server: this.entry.name, message: error.message.slice(0, 300) });
  }

  /** A method, since the state may change during any `await`. */
  #isStopped(): boolean {
    return this.#is.state === "stopped";
  }

  #lose(connection: Connection): void {
    this.#connection = undefined;
    this.#offer.lost();
    this.#stderr = connection.child?.stderr ?? [];
    if (this.#is.state === "stopped") return;
    const lost = new Error("its connection was lost");
    this.#fail(endOf(connection, lost));
    // How a process ended is known only a moment after its pipes are closed.
    void connection.close().then(() => {
      if (this.#is.problem === lost.message) this.#is.setProblem(messageOf(endOf(connection, lost)));
    });
  }

  #fail(error: unknown): void {
    if (this.#is.state === "stopped") return;
    const wasReady = this.#is.state === "ready";
    this.#is.become("unavailable");
    this.#is.setProblem(messageOf(error), toldOf(error));
    const pause = this.#backOff.nextPauseMs();
    this.#retry = setTimeout(() => void this.#connect(), pause);
    this.#log.warn("server.unavailable", {
      server: this.entry.name,
      problem: this.#is.problem,
      retryMs: pause,
    });
    if (wasReady || this.#offer.tools.length > 0) this.#events.offerChanged(ALL_KINDS);
  }

  /** A call does not wait for the next scheduled attempt: it starts one. */
  async #reconnectNow(): Promise<Connection> {
    const asked = this.#is.state === "sign_in_required" ? this.#signIn.error() : undefined;
    if (asked !== undefined) throw asked;
    if (this.#is.state !== "stopped") await this.#connect();
    if (this.#connection === undefined) throw this.#signIn.error() ?? this.#unavailable();
    return this.#connection;
  }

  async #checkHealth(): Promise<void> {
    const connection = this.#connection;
    // A busy server may be unable to answer, but its calls show that it works.
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

  #unavailable(cause?: unknown): PmlError {
    const said = cause === undefined ? undefined : this.#hide(toldOf(cause));
    return unavailableError(this.entry, this.#is.told ?? said, cause);
  }
}
