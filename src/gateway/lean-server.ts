/**
 * The SDK's server, with a fast path for the most frequent message: a tool call that is answered with text.
 *
 * The SDK finds the kind of a message with schemas, and validates a call twice and its result once. Here a few checks
 * recognise the simplest form of calls and results, which then bypass the SDK's protocol layer; the SDK validates all
 * others as before.
 *
 * A 2026-era call has an envelope with the client's identity and capabilities. The SDK validates the first one; an
 * identical envelope is accepted on the fast path from then on.
 *
 * @module
 */
import {
  type BaseContext,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCRequest,
  type JSONRPCResponse,
  LOG_LEVEL_META_KEY,
  type Notification,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
  type Result,
  SdkError,
  SdkErrorCode,
  SERVER_INFO_META_KEY,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../base/json-object.js";
import { keepNewest } from "../base/keep-newest.js";

type Transport = Parameters<Server["connect"]>[0];
type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;
type Fields = Readonly<Record<string, unknown>>;
type ServerInfo = ConstructorParameters<typeof Server>[0];
type ServerSetUp = ConstructorParameters<typeof Server>[1];

/** Where a message came from, and where its answer is sent. */
export interface MessageWire {
  send: Transport["send"];
  /** Hands a message to the SDK. */
  judge(message: object): void;
}

const CALL = "tools/call";
const CANCELLED = "notifications/cancelled";
const MESSAGE_KEYS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMS_KEYS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
/** Prefix of the `_meta` keys that the SDK has schemas for. */
const RESERVED = "io.modelcontextprotocol/";
/** In the order in which the SDK takes them out of `_meta`. */
const ENVELOPE_KEYS = [
  PROTOCOL_VERSION_META_KEY,
  CLIENT_INFO_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  LOG_LEVEL_META_KEY,
];
const ENVELOPE_KEY_SET: ReadonlySet<string> = new Set(ENVELOPE_KEYS);
/** From this revision on, results have a type and name their server. */
const MODERN = "2026-07-28";

const ENVELOPES_KEPT = 100;
const ENVELOPE_CHARS = 10_000;

/** The newest envelopes that the SDK has validated. Whether an envelope is valid depends on its text alone. */
export class KnownEnvelopes {
  readonly #texts = new Map<string, true>();

  add(envelope: object): void {
    const text = JSON.stringify(envelope);
    if (text.length <= ENVELOPE_CHARS) keepNewest(this.#texts, text, true, ENVELOPES_KEPT);
  }

  has(envelope: object): boolean {
    return this.#texts.has(JSON.stringify(envelope));
  }
}

export class LeanServer extends Server {
  readonly #envelopes: KnownEnvelopes;
  #handler: Handler | undefined;
  /** Calls that the SDK does not see, and calls whose answers it still has to validate. */
  readonly #underWay = new Map<RequestId, AbortController>();
  /** The answers of these calls. */
  readonly #answered = new Map<RequestId, Promise<Result>>();

  /** @param envelopes shared if each request has a server of its own */
  constructor(info: ServerInfo, options: ServerSetUp, envelopes = new KnownEnvelopes()) {
    super(info, options);
    this.#envelopes = envelopes;
  }

  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport);
    const { onmessage, onclose } = transport;
    transport.onmessage = (message, extra) => {
      const judge = (one: object) => onmessage?.(one as typeof message, extra);
      const send: Transport["send"] = (answer, options) => transport.send(answer, options);
      if (!this.takes(message, { send, judge })) judge(message);
    };
    transport.onclose = () => {
      const closed = new SdkError(SdkErrorCode.ConnectionClosed, "Connection closed");
      for (const controller of this.#underWay.values()) controller.abort(closed);
      onclose?.();
    };
  }

  /** Answers a plain call; any other message is left to the SDK. */
  takes(message: object, wire: MessageWire): boolean {
    if (isPlainCall(message)) {
      const { call, envelope } = opened(message);
      if (this.#handler === undefined || this.#underWay.has(call.id) || !this.#expects(envelope))
        return false;
      void this.#answer(message, { call, envelope }, this.#handler, wire);
      return true;
    }
    const { method, params } = message as { readonly method?: unknown; readonly params?: Fields };
    if (method === CANCELLED && this.#underWay.size > 0)
      this.#underWay.get(params?.requestId as RequestId)?.abort(params?.reason);
    return false;
  }

  get #isModern(): boolean {
    return this.getNegotiatedProtocolVersion() === MODERN;
  }

  /** Whether this client's calls have such an envelope, or none before 2026. */
  #expects(envelope: Envelope | undefined): boolean {
    return envelope === undefined ? !this.#isModern : this.#isModern && this.#envelopes.has(envelope);
  }

  async #answer(
    message: JSONRPCRequest,
    { call, envelope }: OpenedCall,
    handler: Handler,
    wire: MessageWire,
  ): Promise<void> {
    const { id } = call;
    const controller = new AbortController();
    const { signal } = controller;
    this.#underWay.set(id, controller);
    const answered = handler(call, this.#context(call, envelope, signal, wire));
    const result = await answered.catch(() => undefined);
    // A client that cancelled a request expects no answer.
    if (signal.aborted || (result !== undefined && isPlainResult(result))) {
      this.#underWay.delete(id);
      if (signal.aborted) return;
      // In the key order of the SDK: `pml serve` looks for the id at the end.
      const response: JSONRPCResponse = { result: this.#told(result as Result), jsonrpc: "2.0", id };
      await wire.send(response).catch((error: unknown) => this.onerror?.(error as Error));
      return;
    }
    this.#answered.set(id, answered);
    wire.judge(message);
  }

  /** The result in the form of the client's revision. */
  #told(result: Result): Result {
    if (!this.#isModern) return result;
    const meta = { ...result._meta, [SERVER_INFO_META_KEY]: this._outboundServerInfo() };
    return { ...result, resultType: "complete", _meta: meta };
  }

  #context(
    { id, method, params }: JSONRPCRequest,
    envelope: Envelope | undefined,
    signal: AbortSignal,
    wire: MessageWire,
  ): ServerContext {
    const mcpReq = {
      id,
      method,
      _meta: params?._meta,
      ...(envelope && { envelope }),
      requestState: () => undefined,
      signal,
      // It must not throw what cannot be written: who notifies from a timer catches only refusals.
      notify: async (notification: Notification) =>
        wire.send({ jsonrpc: "2.0", ...notification }, { relatedRequestId: id }),
    };
    // Only the fields that a handler of tools uses. The log level belongs to the session.
    return this.buildContext({ sessionId: this.transport?.sessionId, mcpReq } as BaseContext);
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const judged = super._wrapHandler(method, handler);
    if (method !== CALL) return judged;
    this.#handler = handler;
    return async (request, ctx) => {
      const { id, envelope } = ctx.mcpReq;
      if (envelope !== undefined) this.#envelopes.add(envelope);
      let answered = this.#answered.get(id);
      if (answered === undefined) return judged(request, ctx);
      this.#answered.delete(id);
      // The SDK may ask the client and call again; the first answer is already there.
      const again: Handler = (next, nextCtx) => {
        const first = answered;
        answered = undefined;
        return first ?? handler(next, nextCtx);
      };
      try {
        return await super._wrapHandler(method, again)(request, ctx);
      } finally {
        this.#underWay.delete(id);
      }
    };
  }
}

/** Accepts only messages that the SDK's schemas certainly accept. */
export function isPlainCall(message: object): message is JSONRPCRequest {
  const { jsonrpc, id, method, params } = message as Fields;
  return (
    method === CALL &&
    jsonrpc === "2.0" &&
    (typeof id === "string" || Number.isSafeInteger(id)) &&
    isPlainParams(params) &&
    hasOnly(message, MESSAGE_KEYS)
  );
}

function isPlainParams(params: unknown): boolean {
  if (!isJsonObject(params)) return false;
  const { name, arguments: args, _meta: meta } = params as Fields;
  return (
    typeof name === "string" &&
    (args === undefined || isJsonObject(args)) &&
    (meta === undefined || isPlainMeta(meta, ENVELOPE_KEY_SET)) &&
    hasOnly(params, PARAMS_KEYS)
  );
}

type Envelope = Fields;

/** A call in the form for handlers, and its envelope. */
interface OpenedCall {
  readonly call: JSONRPCRequest;
  readonly envelope: Envelope | undefined;
}

function opened(message: JSONRPCRequest): OpenedCall {
  const meta = message.params?._meta;
  const keys = meta === undefined ? [] : ENVELOPE_KEYS.filter((key) => key in meta);
  if (keys.length === 0) return { call: message, envelope: undefined };
  const rest: Record<string, unknown> = { ...meta };
  const envelope: Record<string, unknown> = {};
  for (const key of keys) {
    envelope[key] = rest[key];
    delete rest[key];
  }
  const { _meta, ...params } = message.params ?? {};
  const more = Object.keys(rest).length > 0 && { _meta: rest };
  return { call: { ...message, params: { ...params, ...more } }, envelope };
}

/** Whether a result has only text, and no fields that the SDK would remove. Such a result is passed on unchanged. */
export function isPlainResult(result: Result): boolean {
  const { content, structuredContent, isError, _meta: meta, resultType, capabilities } = result as Fields;
  return (
    resultType === undefined &&
    capabilities === undefined &&
    Array.isArray(content) &&
    content.every(isPlainText) &&
    (structuredContent === undefined || isJsonObject(structuredContent)) &&
    (isError === undefined || typeof isError === "boolean") &&
    (meta === undefined || isPlainMeta(meta))
  );
}

function isPlainText(item: unknown): boolean {
  if (!isJsonObject(item)) return false;
  const { type, text } = item as Fields;
  return type === "text" && typeof text === "string" && Object.keys(item).length === 2;
}

function isPlainMeta(meta: unknown, allowed: ReadonlySet<string> = NONE): boolean {
  if (!isJsonObject(meta)) return false;
  for (const key in meta) if (key.startsWith(RESERVED) && !allowed.has(key)) return false;
  const { progressToken: token } = meta as Fields;
  return token === undefined || typeof token === "string" || Number.isSafeInteger(token);
}

const NONE: ReadonlySet<string> = new Set();

function hasOnly(value: object, keys: ReadonlySet<string>): boolean {
  for (const key in value) if (!keys.has(key)) return false;
  return true;
}
