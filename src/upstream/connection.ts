/**
 * One live connection to a real server, over whichever transport and protocol revision it speaks.
 *
 * @module
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  Client,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  type Transport,
} from "@modelcontextprotocol/client";
import { type InputRequest, isInputRequiredResult, type Result } from "@modelcontextprotocol/server";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { dropReservedMeta } from "../mcp/listed-form.js";
import type { Caller, LogMessage, OfferKind, ServerAnswer, ServerRequest } from "../mcp/real-servers.js";
import { anyResult } from "./any-result.js";
import { CallLane } from "./call-lane.js";
import { ChildServer } from "./child-server.js";
import { httpTransport } from "./http-transport.js";
import { KeptStream } from "./kept-stream.js";
import { LogRelay } from "./log-relay.js";
import { OpenCall } from "./open-call.js";
import { OwnRequests } from "./own-requests.js";
import type { HttpServerEntry, ServerEntry } from "./server-entry.js";
import { failureOf, questionOf, questionsOf } from "./server-question.js";
import type { TokenKeeper } from "./sign-in/token-keeper.js";

export interface ConnectionEvents {
  closed(): void;
  listChanged(kind: OfferKind): void;
  resourceUpdated(uri: string): void;
  /** A log message while no call is under way. */
  logged(message: LogMessage): void;
  /** Lines of its stderr. */
  said(lines: readonly string[]): void;
  /** An error that is only logged. */
  trouble(error: Error): void;
}

/** An id that no client has. */
const EVERYBODY = "";

const ALL_KINDS: readonly OfferKind[] = ["tools", "prompts", "resources"];

export class Connection {
  readonly client: Client;
  readonly child: ChildServer | undefined;
  readonly #entry: ServerEntry;
  readonly #events: ConnectionEvents;
  readonly #lane: CallLane;
  readonly #calls = new Set<OpenCall>();
  readonly #logs: LogRelay;
  readonly #requests: OwnRequests;
  readonly #transport: Transport;

  constructor(entry: ServerEntry, events: ConnectionEvents, keeper?: TokenKeeper) {
    this.#entry = entry;
    this.#events = events;
    this.#lane = new CallLane(entry.name);
    this.#logs = new LogRelay(entry.name);
    this.child =
      entry.transport === "stdio" ? new ChildServer(entry, (lines) => events.said(lines)) : undefined;
    const transport = this.child ?? httpTransport(entry as HttpServerEntry, keeper);
    this.#requests = new OwnRequests((message) => transport.send(message));
    this.#transport = guardedTransport(transport, this.#requests);
    this.client = new Client(
      { name: "pml", version: VERSION },
      {
        // Only capabilities that the gateway can really bridge: a server may offer more tools to a client with more
        // capabilities.
        capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
        versionNegotiation: {
          mode: negotiation(entry.protocol),
          probe: { timeoutMs: LIMITS.serverConnectMs },
        },
        inputRequired: { autoFulfill: false },
      },
    );
    this.#listen();
  }

  /** Starts or connects the server; {@link close} also ends an attempt in progress. */
  async open(): Promise<void> {
    await this.client.connect(this.#transport, { timeout: LIMITS.serverConnectMs });
    await this.#subscribeToLists();
  }

  get isModern(): boolean {
    return this.client.getProtocolEra() === "modern";
  }

  get callsUnderWay(): number {
    return this.#calls.size;
  }

  async request(request: ServerRequest, caller: Caller): Promise<ServerAnswer> {
    try {
      return await this.#request(request, caller);
    } catch (error) {
      throw failureOf(this.#entry.name, error);
    }
  }

  async #request(request: ServerRequest, caller: Caller): Promise<ServerAnswer> {
    if (this.isModern) return this.#requestModern(request, caller);
    if (caller.input?.state !== undefined) {
      return this.#openCall(caller.input.state, request).resume(caller, caller.input.responses);
    }
    const leave = await this.#enterLane(caller);
    const call = new OpenCall(request, caller, {
      timeoutMs: this.#entry.callTimeoutMs,
      onOverdue: () => this.#giveUpOverdue(),
    });
    this.#calls.add(call);
    const answer = this.#send(request, call).finally(() => {
      this.#calls.delete(call);
      leave();
    });
    return call.begin(answer);
  }

  /** Cancels the calls of a client that has disconnected. */
  abandon(client: string): void {
    for (const call of this.#calls)
      if (call.caller.connection === client) call.cancel(new Error("The client has disconnected"));
  }

  /** Pings the server; rejects if no answer comes in time. */
  async checkHealth(): Promise<void> {
    const method = this.isModern ? "server/discover" : "ping";
    await this.client.request({ method }, anyResult, { timeout: LIMITS.healthAnswerMs });
  }

  async close(): Promise<void> {
    await this.client.close().catch(() => {});
    // During the negotiation of the revision, the client does not know its transport yet.
    await this.#transport.close().catch(() => {});
  }

  #send({ method, params }: ServerRequest, call: OpenCall): Promise<Result> {
    const onProgress = (progress: Parameters<NonNullable<Caller["onProgress"]>>[0]) => {
      call.progressed();
      call.caller.onProgress?.(progress);
    };
    const isWatched = call.caller.onProgress !== undefined;
    const { answer, cancel } = this.#requests.send({ method, params }, isWatched ? onProgress : undefined);
    call.onCancel(cancel);
    return answer;
  }

  /** Waits for the call's turn; if its client has cancelled it by then, it is not made. */
  async #enterLane(caller: Caller): Promise<() => void> {
    const { signal } = caller;
    const entering = this.#lane.enter(caller, signal);
    this.#giveUpOverdue();
    const leave = await entering;
    if (!signal.aborted) return leave;
    leave();
    throw signal.reason;
  }

  /** Cancels calls whose clients may be gone, if others wait for the server. */
  #giveUpOverdue(): void {
    for (const call of this.#calls)
      if (call.isOverdue && this.#lane.isWaitedForByOthers(call.caller.connection)) call.cancel(unanswered());
  }

  async #requestModern(request: ServerRequest, caller: Caller): Promise<ServerAnswer> {
    const leave = await this.#enterLane(caller);
    const meta = {
      ...(request.params._meta as object | undefined),
      // The server must see the caller's capabilities, not the gateway's.
      [CLIENT_CAPABILITIES_META_KEY]: caller.capabilities,
      ...(caller.logLevel === undefined ? {} : { [LOG_LEVEL_META_KEY]: caller.logLevel }),
    };
    const params = {
      ...request.params,
      _meta: meta,
      ...(caller.input === undefined ? {} : { inputResponses: caller.input.responses }),
      ...(caller.input?.state === undefined ? {} : { requestState: caller.input.state }),
    };
    // Registered as an open call so that its log messages reach the caller.
    const call = new OpenCall(request, caller, { timeoutMs: this.#entry.callTimeoutMs });
    this.#calls.add(call);
    try {
      const result = await this.client.request({ method: request.method, params }, anyResult, {
        signal: caller.signal,
        timeout: this.#entry.callTimeoutMs,
        resetTimeoutOnProgress: true,
        allowInputRequired: true,
        ...(caller.onProgress === undefined ? {} : { onprogress: caller.onProgress }),
      });
      if (!isInputRequiredResult(result)) return { kind: "result", result };
      return { kind: "input-required", result: questionsOf(this.#entry.name, result) };
    } finally {
      this.#calls.delete(call);
      leave();
    }
  }

  #openCall(handle: string, request: ServerRequest): OpenCall {
    const call = [...this.#calls].find((open) => open.answersTo(handle, request));
    if (call !== undefined) return call;
    throw new PmlError(
      "INPUT_EXPIRED",
      "Cannot continue the call: its requestState is unknown, already used or for another request",
      {
        hint: "Call the tool again from the start.",
      },
    );
  }

  /** A question of the server goes only to the client whose call caused it. */
  #ask(request: InputRequest): Promise<Result> {
    this.#lane.takeTurns();
    const question = questionOf(this.#entry.name, request);
    const clients = this.#clients();
    const [call] = this.#calls;
    if (call === undefined) {
      throw new ProtocolError(
        -32600,
        `Cannot forward ${request.method}: there is no open call that it could belong to`,
      );
    }
    if (clients.size > 1) {
      throw new ProtocolError(
        -32603,
        `Cannot forward ${request.method}: calls of ${clients.size} clients are open, and the server does not say for which one; call again`,
      );
    }
    const capability = request.method === "elicitation/create" ? "elicitation" : "sampling";
    if (call.caller.capabilities[capability] === undefined) {
      throw new ProtocolError(
        -32601,
        `Cannot forward ${request.method}: the client does not support ${capability}`,
      );
    }
    const open = [...this.#calls].reduce((sum, { openQuestions }) => sum + openQuestions, 0);
    if (open >= LIMITS.inputWaits) {
      throw new ProtocolError(
        -32603,
        `Cannot forward ${request.method}: ${open} questions already wait for an answer, the limit of inputWaits`,
      );
    }
    return call.ask(question);
  }

  #listen(): void {
    const { client } = this;
    client.onclose = () => {
      for (const call of this.#calls) call.cancel(new Error("The server's connection was lost"));
      this.#events.closed();
    };
    client.onerror = (error) => this.#events.trouble(error);
    client.setRequestHandler(
      "elicitation/create",
      ({ method, params }) => this.#ask({ method, params }) as Promise<never>,
    );
    client.setRequestHandler(
      "sampling/createMessage",
      ({ method, params }) => this.#ask({ method, params }) as Promise<never>,
    );
    client.setNotificationHandler("notifications/tools/list_changed", () =>
      this.#events.listChanged("tools"),
    );
    client.setNotificationHandler("notifications/prompts/list_changed", () =>
      this.#events.listChanged("prompts"),
    );
    client.setNotificationHandler("notifications/resources/list_changed", () =>
      this.#events.listChanged("resources"),
    );
    client.setNotificationHandler("notifications/resources/updated", ({ params }) =>
      this.#events.resourceUpdated(params.uri),
    );
    client.setNotificationHandler("notifications/message", ({ params }) => this.#passOnLog(params));
  }

  #passOnLog(message: LogMessage): void {
    const [call] = this.#calls;
    if (call === undefined) this.#logs.relay(EVERYBODY, message, (shown) => this.#events.logged(shown));
    else if (this.#clients().size === 1)
      this.#logs.relay(call.caller.client ?? call.caller.connection, message, call.caller.onLog);
    // A server does not say which call a log message belongs to, and the message may contain one client's secrets.
    else this.#events.trouble(new Error("A log message was dropped: calls of several clients are open"));
  }

  /** Clients with calls under way. */
  #clients(): ReadonlySet<string> {
    return new Set([...this.#calls].map(({ caller }) => caller.connection));
  }

  /** 2026-era servers report changes only on a stream that was requested. */
  async #subscribeToLists(): Promise<void> {
    if (!this.isModern) return;
    const offered = this.client.getServerCapabilities() ?? {};
    const filter = {
      ...(offered.tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(offered.prompts?.listChanged === true ? { promptsListChanged: true } : {}),
      ...(offered.resources?.listChanged === true ? { resourcesListChanged: true } : {}),
    };
    if (Object.keys(filter).length === 0) return;
    const stream = new KeptStream(this.client, filter, {
      resumed: () => {
        for (const kind of ALL_KINDS) this.#events.listChanged(kind);
      },
      trouble: this.#events.trouble,
    });
    await stream.open().catch((error: unknown) => {
      this.#events.trouble(error as Error);
      stream.openLater();
    });
  }
}

function unanswered(): PmlError {
  return new PmlError(
    "INPUT_EXPIRED",
    "Cannot wait longer for the user's answer: another client waits for the server",
  );
}

function negotiation(protocol: ServerEntry["protocol"]): "auto" | "legacy" | { readonly pin: string } {
  if (protocol === "2026") return { pin: "2026-07-28" };
  return protocol === "2025" ? "legacy" : "auto";
}

/** The same transport, which removes from every message what only PML may say. `own` handles its messages first. */
function guardedTransport(transport: Transport, own: OwnRequests): Transport {
  let deliver: Transport["onmessage"];
  return Object.defineProperty(transport, "onmessage", {
    get: () => deliver,
    set(take: Transport["onmessage"]) {
      deliver =
        take === undefined
          ? undefined
          : (message, extra) => {
              dropReservedMeta(message);
              if (!own.takes(message)) take(message, extra);
            };
    },
  });
}
