/**
 * The SDK's server, with a short path for the most frequent message: a call of a tool, answered with text.
 *
 * The SDK finds the kind of a message by schemas, and validates a call twice and its result once. Here a call and a
 * result of the plainest form are recognized by a few checks; the SDK validates all others as before.
 *
 * @module
 */
import { type JSONRPCRequest, type Result, Server, type ServerContext } from "@modelcontextprotocol/server";
import { isJsonObject } from "../base/json-object.js";

type Transport = Parameters<Server["connect"]>[0];
type Handler = (request: JSONRPCRequest, ctx: ServerContext) => Promise<Result>;
type Fields = Readonly<Record<string, unknown>>;

const CALL = "tools/call";
const MESSAGE_KEYS: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const PARAMS_KEYS: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
/** In `_meta`, the SDK has schemas for these. */
const RELATED_TASK = "io.modelcontextprotocol/related-task";

export class LeanServer extends Server {
  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport);
    const judge = transport.onmessage;
    transport.onmessage = (message, extra) => {
      // biome-ignore lint/complexity/useLiteralKeys: the SDK declares it private; a version without it does not compile.
      if (isPlainCall(message)) this["_onrequest"](message, extra);
      else judge?.(message, extra);
    };
  }

  /** Results of 2026 have more to them. */
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const judged = super._wrapHandler(method, handler);
    if (method !== CALL) return judged;
    return async (request, ctx) => {
      if (ctx.mcpReq.envelope !== undefined || !isPlainParams(request.params)) return judged(request, ctx);
      let result: Result | undefined = await handler(request, ctx);
      if (isPlainResult(result)) return result;
      // The SDK may ask the client and call again; the first answer is there already.
      const again: Handler = async (next, nextCtx) => {
        const first = result;
        result = undefined;
        return first ?? handler(next, nextCtx);
      };
      return super._wrapHandler(method, again)(request, ctx);
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
  const { progressToken: token, [RELATED_TASK]: task } = meta as Fields;
  return (
    task === undefined && (token === undefined || typeof token === "string" || Number.isSafeInteger(token))
  );
}

function hasOnly(value: object, keys: ReadonlySet<string>): boolean {
  for (const key in value) if (!keys.has(key)) return false;
  return true;
}
