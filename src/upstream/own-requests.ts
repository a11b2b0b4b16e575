/**
 * Requests to a 2025-era server that bypass the SDK's protocol layer, which would validate each answer with schemas,
 * and create a timer and an abort signal for each request. The SDK's client sends everything else on the same
 * transport.
 *
 * @module
 */
import {
  type JSONRPCMessage,
  ProtocolError,
  type Result,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import { isJsonObject } from "../base/json-object.js";
import type { Caller } from "../mcp/real-servers.js";

type Fields = Readonly<Record<string, unknown>>;
type Progress = Parameters<NonNullable<Caller["onProgress"]>>[0];

export interface OwnRequest {
  readonly answer: Promise<Result>;
  /** Fails the request, and notifies the server that no answer is expected any more. */
  cancel(reason: unknown): void;
}

interface Open {
  readonly answered: (message: Fields) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** Far from the SDK's own ids, which count from 0. */
const FIRST_ID = 1_000_000_000;
const PROGRESS = "notifications/progress";

export class OwnRequests {
  readonly #write: (message: JSONRPCMessage) => Promise<void>;
  readonly #open = new Map<number, Open>();
  #nextId = FIRST_ID;

  constructor(write: (message: JSONRPCMessage) => Promise<void>) {
    this.#write = write;
  }

  /** A server may send progress only if the request has a progress token. */
  send(
    { method, params: given }: { readonly method: string; readonly params: Fields },
    onProgress?: (progress: Progress) => void,
  ): OwnRequest {
    const id = this.#nextId++;
    const params =
      onProgress === undefined
        ? given
        : { ...given, _meta: { ...(given._meta as object | undefined), progressToken: id } };
    let fail: (error: unknown) => void = () => {};
    const answer = new Promise<Result>((resolve, reject) => {
      fail = (error) => {
        if (this.#open.delete(id)) reject(error);
      };
      const answered = ({ error, result }: Fields) => {
        this.#open.delete(id);
        if (isJsonObject(result)) resolve(withoutType(result));
        else reject(errorOf(error as Fields));
      };
      this.#open.set(id, { answered, onProgress });
    });
    this.#write({ jsonrpc: "2.0", id, method, params } as JSONRPCMessage).catch(fail);
    return {
      answer,
      cancel: (reason) => {
        if (!this.#open.has(id)) return;
        fail(reason instanceof SdkError ? reason : new SdkError(SdkErrorCode.RequestTimeout, String(reason)));
        const cancelled = { requestId: id, reason: String(reason) };
        this.#write({ jsonrpc: "2.0", method: "notifications/cancelled", params: cancelled }).catch(() => {});
      },
    };
  }

  /** Whether the message belongs to one of these requests. */
  takes(message: object): boolean {
    const { id, method, params } = message as Fields;
    if (method === undefined) {
      const open = this.#named(id);
      open?.answered(message as Fields);
      return open !== undefined;
    }
    if (method !== PROGRESS || !isJsonObject(params)) return false;
    const { progressToken, ...progress } = params as Fields;
    const open = this.#named(progressToken);
    if (open !== undefined && isProgress(progress)) open.onProgress?.(progress);
    return open !== undefined;
  }

  /** Some servers return numbers as text. */
  #named(id: unknown): Open | undefined {
    return typeof id === "number" || typeof id === "string" ? this.#open.get(Number(id)) : undefined;
  }
}

/** A field of 2026-era results, which has no meaning for a 2025-era server. */
function withoutType(result: object): Result {
  if (!("resultType" in result)) return result as Result;
  const { resultType: _, ...rest } = result;
  return rest as Result;
}

function errorOf({ code, message, data }: Fields): ProtocolError {
  return ProtocolError.fromError(code as number, message as string, data);
}

function isProgress(value: Fields): value is Fields & Progress {
  const { progress, total, message } = value;
  return (
    typeof progress === "number" &&
    (total === undefined || typeof total === "number") &&
    (message === undefined || typeof message === "string")
  );
}
