/**
 * Connects a client on stdio with the gateway that it has joined.
 *
 * A gateway can end while its clients live on: it was stopped, killed or replaced by another version. The relay then
 * joins another one as soon as the client requests something, repeats the client's setup (its initialization, log level
 * and subscriptions), and tells the client to list again. A client never has to be restarted.
 *
 * A request that was sent and not answered is never sent twice unless it is read-only. Each request gets exactly one
 * answer.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { ClientSetUp, type Greeting } from "./client-set-up.js";
import {
  failedLine,
  gatewayMessageIn,
  type Id,
  inDoubt,
  isRequest,
  lineOf,
  type Message,
  messageIn,
  type Request,
} from "./relay-message.js";

/** A joined gateway. */
export interface Link {
  send(line: string): void;
  /** Signals that nothing more will be sent; the gateway answers open requests, and disconnects. */
  end(): void;
  destroy(): void;
  /** Resolves when the gateway has read all messages; `undefined` if there is no need to wait. */
  drained(): Promise<unknown> | undefined;
  /** Called once: passes on the gateway's lines from here on, and reports its end. */
  listen(said: (line: string) => void, gone: () => void): void;
}

export interface RelayPorts {
  toClient(line: string): void;
  /** Joins a gateway; `onStart` is called if none runs and one can be started. */
  join(onStart: () => void): Promise<Link>;
  /** Answers that are the same for every gateway. */
  readonly greeting: Greeting;
  /** Called once, at the end; with an error if the first gateway could not be joined. */
  finished(error?: unknown): void;
}

/** Requests that are read-only, or safe to send twice. */
const REPEATABLE: ReadonlySet<string> = new Set([
  "ping",
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
]);
const CANCELLED = "notifications/cancelled";

/** A line of the client, and whether a gateway has ended without answering it. */
interface Sent {
  readonly line: string;
  readonly message: Message | undefined;
  readonly isRepeated: boolean;
}

export class Relay {
  readonly #ports: RelayPorts;
  readonly #setUp = new ClientSetUp();
  #state: "idle" | "joining" | "joined" | "ended" = "idle";
  #link: Link | undefined;
  #joinedAt = 0;
  /** Whether the joined gateway has answered anything. */
  #hasAnswered = false;
  /** Whether a gateway has ever been joined. */
  #wasJoined = false;
  /** Whether a gateway is being started. */
  #isStarting = false;
  /** Consecutive gateways that could not be joined, or ended soon after without an answer. */
  #failures = 0;
  #retryAt = 0;
  #problem: unknown;
  #isClientDone = false;
  #deadline: NodeJS.Timeout | undefined;
  /** Messages that were not sent to a gateway yet, in order. */
  #held: Sent[] = [];
  /** Requests that the gateway has received and not answered. */
  readonly #open = new Map<Id, Sent & { readonly message: Request }>();
  /** Questions of the gateway to the client. Each gateway counts from 0, so the client gets other ids. */
  readonly #asked = new Map<Id, Id>();
  #questions = 0;

  constructor(ports: RelayPorts) {
    this.#ports = ports;
  }

  /** Joins a gateway before the client has sent a request. */
  start(): void {
    this.#join();
  }

  clientSaid(line: string): void {
    if (this.#state === "ended") return;
    const message = messageIn(line);
    const isAnswer = message !== undefined && ("result" in message || "error" in message);
    if (message?.method === CANCELLED && this.#isWithdrawn(message.params?.requestId)) return;
    if (isAnswer) this.#answered(message);
    else if (message !== undefined && this.#setUp.clientSaid(line, message)) {
      if (this.#state === "joined") this.#link?.send(line);
      else if (isRequest(message)) this.#wanted();
    } else if (this.#state === "joined") this.#forward({ line, message, isRepeated: false });
    else this.#hold({ line, message, isRepeated: false });
  }

  /** Resolves when the client may send more. */
  drained(): Promise<unknown> | undefined {
    return this.#link?.drained();
  }

  clientEnded(): void {
    this.#isClientDone = true;
    // Requests that arrived during the first start still get an answer, or the reason why the gateway cannot start.
    const isAwaited = this.#state === "joining" && !this.#wasJoined;
    if (this.#state === "joined") this.#link?.end();
    else if (!isAwaited) this.#finish();
  }

  #forward(sent: Sent): void {
    const { line, message } = sent;
    if (isRequest(message)) this.#open.set(message.id, { ...sent, message });
    this.#link?.send(line);
  }

  /**
   * Keeps messages of the client until there is a gateway. Notifications are dropped, since a later gateway has no use
   * for them.
   */
  #hold(sent: Sent): void {
    const request = isRequest(sent.message) ? sent.message : undefined;
    const isIdle = this.#state === "idle";
    if (isIdle && request?.method === "ping") this.#ports.toClient(lineOf({ id: request.id, result: {} }));
    if (isIdle && (request === undefined || request.method === "ping")) return;
    if (this.#held.length < LIMITS.relayHeld) this.#held.push(sent);
    else if (request !== undefined) this.#ports.toClient(failedLine(request, tooMany()));
    this.#wanted();
  }

  /** Something waits for a gateway. */
  #wanted(): void {
    this.#greet();
    if (this.#state !== "idle") return;
    const waitMs = this.#retryAt - Date.now();
    if (waitMs <= 0) this.#join();
    else this.#giveUp(tooSoon(this.#problem, waitMs));
  }

  /** While a gateway is being started, some of its answers are already known. */
  #greet(): void {
    if (!this.#isStarting) return;
    const { greeting, toClient } = this.#ports;
    this.#setUp.greet(greeting, toClient);
    this.#held = this.#held.filter(({ message }) => {
      const result = isRequest(message) ? greeting(message) : undefined;
      if (result !== undefined) toClient(lineOf({ id: message?.id, result }));
      return result === undefined;
    });
  }

  #join(): void {
    this.#state = "joining";
    this.#deadline = setTimeout(() => this.#overdue(), LIMITS.relayWaitMs);
    const onStart = () => {
      this.#isStarting = true;
      this.#greet();
    };
    this.#ports.join(onStart).then(
      (link) => this.#opened(link),
      (error: unknown) => this.#lost(error),
    );
  }

  #opened(link: Link): void {
    if (this.#state !== "joining") {
      link.destroy();
      return;
    }
    this.#link = link;
    this.#joinedAt = Date.now();
    this.#hasAnswered = false;
    link.listen(
      (line) => {
        if (this.#link === link) this.#gatewaySaid(line);
      },
      () => {
        if (this.#link === link) this.#lost(new PmlError("GATEWAY_UNREACHABLE", "The gateway has ended"));
      },
    );
    this.#setUp.replay(
      (line) => link.send(line),
      (isRefused) => (isRefused ? link.destroy() : this.#ready(link)),
    );
  }

  /** The gateway has received the client's setup. */
  #ready(link: Link): void {
    clearTimeout(this.#deadline);
    this.#state = "joined";
    this.#isStarting = false;
    if (this.#wasJoined) for (const line of this.#setUp.news()) this.#ports.toClient(line);
    this.#wasJoined = true;
    for (const sent of this.#held.splice(0)) this.#forward(sent);
    if (this.#isClientDone) link.end();
  }

  #gatewaySaid(line: string): void {
    const message = gatewayMessageIn(line);
    const { toClient } = this.#ports;
    if (message === undefined || this.#setUp.gatewaySaid(line, message, toClient)) return;
    if (isRequest(message)) toClient(this.#asking(message));
    else if (message.method === CANCELLED) toClient(this.#takingBack(line, message));
    else {
      if (message.method === undefined && this.#open.delete(message.id as Id)) this.#hasAnswered = true;
      toClient(line);
    }
  }

  #asking(question: Request): string {
    this.#questions += 1;
    const id = `pml-${this.#questions}`;
    this.#asked.set(id, question.id);
    return JSON.stringify({ ...question, id });
  }

  /** The gateway withdraws a question. */
  #takingBack(line: string, message: Message): string {
    const [own] = [...this.#asked].find(([, id]) => id === message.params?.requestId) ?? [];
    if (own === undefined) return line;
    this.#asked.delete(own);
    return JSON.stringify({ ...message, params: { ...message.params, requestId: own } });
  }

  /** The client's answer to a question; it is dropped if the gateway that asked has ended. */
  #answered(message: Message): void {
    const id = this.#asked.get(message.id as Id);
    this.#asked.delete(message.id as Id);
    if (id !== undefined) this.#link?.send(JSON.stringify({ ...message, id }));
  }

  /** Whether a request that the client cancels was still waiting here. */
  #isWithdrawn(id: unknown): boolean {
    this.#open.delete(id as Id);
    const count = this.#held.length;
    this.#held = this.#held.filter(({ message }) => !isRequest(message) || message.id !== id);
    return this.#held.length < count;
  }

  /** The gateway has ended, or none could be joined. */
  #lost(error: unknown): void {
    if (this.#state === "ended") return;
    clearTimeout(this.#deadline);
    const hadLink = this.#link !== undefined;
    const isStable = this.#hasAnswered || Date.now() - this.#joinedAt >= LIMITS.relayStableMs;
    this.#failures = hadLink && isStable ? 0 : this.#failures + 1;
    const backOffMs = this.#failures < 2 ? 0 : LIMITS.reconnectFirstMs * 2 ** (this.#failures - 2);
    this.#retryAt = Date.now() + Math.min(backOffMs, LIMITS.reconnectMostMs);
    this.#link = undefined;
    this.#isStarting = false;
    this.#problem = error;
    this.#state = "idle";
    for (const requestId of this.#asked.keys())
      this.#ports.toClient(lineOf({ method: CANCELLED, params: { requestId } }));
    this.#asked.clear();
    if (!this.#isClientDone) this.#settleOpen();
    if (!hadLink) this.#giveUp(error);
    if (!this.#wasJoined && !hadLink) this.#finish(error);
    else if (this.#isClientDone) this.#finish();
    else if (this.#held.length > 0 || this.#setUp.waiting.length > 0) this.#wanted();
  }

  /** Unanswered requests are sent again once if that is safe; the others are answered here. */
  #settleOpen(): void {
    const open = [...this.#open.values()];
    this.#open.clear();
    const isSafe = ({ message, isRepeated }: (typeof open)[number]) =>
      REPEATABLE.has(message.method) && !isRepeated;
    this.#held.unshift(...open.filter(isSafe).map((sent) => ({ ...sent, isRepeated: true })));
    for (const sent of open)
      if (!isSafe(sent)) this.#ports.toClient(failedLine(sent.message, inDoubt(sent.message)));
  }

  #overdue(): void {
    const why = `no gateway was ready within ${LIMITS.relayWaitMs} ms, the limit of relayWaitMs`;
    const error = new PmlError("GATEWAY_UNREACHABLE", `Cannot join the gateway: ${why}`);
    this.#giveUp(error);
    this.#link?.destroy();
  }

  /** Answers everything that waits with the error. */
  #giveUp(error: unknown): void {
    const held = this.#held.splice(0).flatMap(({ message }) => (isRequest(message) ? [message] : []));
    for (const request of [...this.#setUp.giveUp(), ...held])
      this.#ports.toClient(failedLine(request, error));
  }

  #finish(error?: unknown): void {
    if (this.#state === "ended") return;
    this.#state = "ended";
    clearTimeout(this.#deadline);
    this.#link?.destroy();
    this.#ports.finished(error);
  }
}

function tooMany(): PmlError {
  const why = `${LIMITS.relayHeld} messages wait for the gateway, the limit of relayHeld`;
  return new PmlError("LIMIT_EXCEEDED", `Cannot wait for the gateway: ${why}`);
}

function tooSoon(problem: unknown, waitMs: number): PmlError {
  const known = problem instanceof PmlError ? problem : undefined;
  const seconds = Math.ceil(waitMs / 1_000);
  return new PmlError(
    known?.code ?? "GATEWAY_UNREACHABLE",
    `${messageOf(problem)}; PML tries again in ${seconds} s at the earliest`,
    known?.hint === undefined ? {} : { hint: known.hint },
  );
}
