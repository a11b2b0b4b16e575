/**
 * The SDK's server, with a short path for the most frequent message: a call of a tool, answered with text.
 *
 * The SDK finds the kind of a message by schemas, and validates a call twice and its result once. Here a call and a
 * result of the plainest form are recognized by a few checks, and do not pass through the SDK's protocol layer; the SDK
 * validates all others as before.
 *
 * @module
 */
import {
  type BaseContext,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type Notification,
  type RequestId,
  type Result,
  SdkError,
  SdkErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { isJsonObject } from "../base/json-object.js";

type Transport = Parameters<Server["connect"]>[0];
type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;
type Fields = Readonly<Record<string, unknown>>;

/** Where a message came from, and its answer goes. */
export interface MessageWire {
  send: Transport["send"];
  /** Hands a message to the SDK. */
  judge(message: object): void;
}

const CALL = "tools/call";
const CANCELLED = "notifications/cancelled";
const MESSAGE_KEYS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMS_KEYS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
/** Keys of `_meta` that the SDK has schemas for begin so. */
const RESERVED = "io.modelcontextprotocol/";

export class LeanServer extends Server {
  #handler: Handler | undefined;
  /** Of the calls that the SDK does not see, and of those whose answers it still has to validate. */
  readonly #underWay = new Map<RequestId, AbortController>();
  /** What these calls were answered with. */
  readonly #answered = new Map<RequestId, Promise<Result>>();

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
      if (this.#handler === undefined || this.#underWay.has(message.id)) return false;
      void this.#answer(message, this.#handler, wire);
      return true;
    }
    const { method, params } = message as { readonly method?: unknown; readonly params?: Fields };
    if (method === CANCELLED && this.#underWay.size > 0)
      this.#underWay.get(params?.requestId as RequestId)?.abort(params?.reason);
    return false;
  }

  async #answer(message: JSONRPCRequest, handler: Handler, wire: MessageWire): Promise<void> {
    const { id } = message;
    const controller = new AbortController();
    const { signal } = controller;
    this.#underWay.set(id, controller);
    const answered = handler(message, this.#context(message, signal, wire));
    const result = await answered.catch(() => undefined);
    // A client that has cancelled a request expects no answer.
    if (signal.aborted || (result !== undefined && isPlainResult(result))) {
      this.#underWay.delete(id);
      if (signal.aborted) return;
      // In the order in which the SDK writes them: `pml serve` looks for the id at the end.
      const response: JSONRPCResponse = { result: result as Result, jsonrpc: "2.0", id };
      await wire.send(response).catch((error: unknown) => this.onerror?.(error as Error));
      return;
    }
    this.#answered.set(id, answered);
    wire.judge(message);
  }

  #context({ id, method, params }: JSONRPCRequest, signal: AbortSignal, wire: MessageWire): ServerContext {
    const mcpReq = {
      id,
      method,
      _meta: params?._meta,
      requestState: () => undefined,
      signal,
      notify: (notification: Notification) =>
        wire.send({ jsonrpc: "2.0", ...notification }, { relatedRequestId: id }),
    };
    // Only what a handler of tools uses.
    return this.buildContext({ mcpReq } as BaseContext);
  }

  /** Results of 2026 have more to them. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const judged = super._wrapHandler(method, handler);
    if (method !== CALL) return judged;
    this.#handler = handler;
    return async (request, ctx) => {
      const { id } = ctx.mcpReq;
      let answered = this.#answered.get(id);
      if (answered === undefined) return judged(request, ctx);
      this.#answered.delete(id);
      // The SDK may ask the client and call again; the first answer is there already.
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

/** What the SDK's schemas accept for certain. */
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
    (meta === undefined || isPlainMeta(meta)) &&
    hasOnly(params, PARAMS_KEYS)
  );
}

/** Text alone, without fields that the SDK would take away; what it is not asked about stays as it is. */
export function isPlainResult(result: Result): boolean {
  const { content, structuredContent, isError, _meta: meta, resultType } = result as Fields;
  return (
    resultType === undefined &&
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

function isPlainMeta(meta: unknown): boolean {
  if (!isJsonObject(meta)) return false;
  for (const key in meta) if (key.startsWith(RESERVED)) return false;
  const { progressToken: token } = meta as Fields;
  return token === undefined || typeof token === "string" || Number.isSafeInteger(token);
}

function hasOnly(value: object, keys: ReadonlySet<string>): boolean {
  for (const key in value) if (!keys.has(key)) return false;
  return true;
}
