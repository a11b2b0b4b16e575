/**
 * JSON-RPC messages in the form for the relay, and its own answers.
 *
 * @module
 */
import { isJsonObject } from "../base/json-object.js";
import { errorShape, messageOf, PmlError } from "../base/pml-error.js";

export type Id = string | number;

export interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Present and undefined for an answer whose result was not parsed. */
  readonly result?: unknown;
}

export interface Request extends Message {
  readonly id: Id;
  readonly method: string;
}

/** Undefined if the line is not a JSON object: the gateway reports the problem. */
export function messageIn(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? (value as Message) : undefined;
  } catch {
    return undefined;
  }
}

/** The end of an answer of the gateway; the last brace can only be that of the message. */
const ANSWER_END = /,"jsonrpc":"2\.0","id":(?:(\d{1,15})|"([^"\\]{0,200})")\}$/;
const ANSWER_END_CHARS = 300;

/** A message of the gateway. Most are answers, whose results can be long: only their ids are parsed. */
export function gatewayMessageIn(line: string): Message | undefined {
  const end = line.startsWith('{"result":') ? ANSWER_END.exec(line.slice(-ANSWER_END_CHARS)) : null;
  if (end === null) return messageIn(line);
  return { id: end[2] ?? Number(end[1]), result: undefined };
}

export function isRequest(message: Message | undefined): message is Request {
  const id = message?.id;
  return typeof message?.method === "string" && (typeof id === "string" || typeof id === "number");
}

export function lineOf(message: object): string {
  return JSON.stringify({ jsonrpc: "2.0", ...message });
}

/** The metadata of a request or notification. */
export function metaOf({ params }: Message): Readonly<Record<string, unknown>> {
  return isJsonObject(params?._meta) ? params._meta : {};
}

const INTERNAL_ERROR = -32603;
const VERSION_META = "io.modelcontextprotocol/protocolVersion";

/** The answer to a request for an error: for a tool call a tool result, because a model can read it. */
export function failedLine(request: Request, error: unknown): string {
  const { id, method } = request;
  const known = error instanceof PmlError ? error : new PmlError("GATEWAY_UNREACHABLE", messageOf(error));
  if (method !== "tools/call")
    return lineOf({ id, error: { code: INTERNAL_ERROR, message: known.message, data: errorShape(known) } });
  const text = [`${known.code}: ${known.message}`, ...(known.hint === undefined ? [] : [known.hint])].join(
    "\n",
  );
  // Required since 2026-07-28, and unknown before.
  const resultType = VERSION_META in metaOf(request) ? { resultType: "complete" } : {};
  return lineOf({ id, result: { ...resultType, content: [{ type: "text", text }], isError: true } });
}

/** The error for a request that a gateway received before it ended. */
export function inDoubt({ method, params }: Request): PmlError {
  const { name } = params ?? {};
  const what = method === "tools/call" && typeof name === "string" ? name.slice(0, 200) : method;
  return new PmlError(
    "GATEWAY_RESTARTED",
    `Cannot tell whether "${what}" was done: the gateway ended before it answered`,
    { hint: "The next request goes to a new gateway. Check the effect of this one before you repeat it." },
  );
}
