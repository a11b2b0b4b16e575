/**
 * The connection of the page to the gateway: operations by their ids, the signed-in user, and a stream of events.
 *
 * @module
 */
import { signal } from "@preact/signals";
import type { AnswerOf, InputOf, OperationId } from "../src/app/operations.js";

export type { AnswerOf, InputOf } from "../src/app/operations.js";

export interface Session {
  readonly role: string;
  readonly user: string;
  readonly org: string;
  readonly project: string;
  readonly csrf: string;
  readonly pinRequired: boolean;
  readonly version: string;
}

/** An error that the gateway has sent. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

export const session = signal<Session | undefined>(undefined);

/** Calls an operation. Inside an MCP client, the client's host does this. */
type Transport = (id: string, input: unknown, pin?: string) => Promise<unknown>;

let transport: Transport = overHttp;

export function useTransport(other: Transport): void {
  transport = other;
}

/** Asks a person for the PIN; resolves with undefined if they cancel. Set by the PIN dialog. */
let askPin: (wrong: string | undefined) => Promise<string | undefined> = () => Promise.resolve(undefined);

export function onPinNeeded(ask: typeof askPin): void {
  askPin = ask;
}

export function call<Id extends OperationId>(id: Id, input: InputOf<Id>): Promise<AnswerOf<Id>> {
  return callAny(id, input) as Promise<AnswerOf<Id>>;
}

/** Calls an operation. If a decision needs the PIN, asks for it until it is right. */
export async function callAny(id: string, input: unknown): Promise<unknown> {
  try {
    return await transport(id, input);
  } catch (error) {
    if (!needsPin(error)) throw error;
  }
  let wrong: string | undefined;
  for (;;) {
    const pin = await askPin(wrong);
    if (pin === undefined) throw new ApiError("PIN_REQUIRED", "Nothing was decided: the PIN was not given");
    try {
      return await transport(id, input, pin);
    } catch (error) {
      if (!needsPin(error)) throw error;
      wrong = (error as ApiError).message;
    }
  }
}

function needsPin(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "PIN_REQUIRED" || error.code === "PIN_WRONG");
}

async function overHttp(id: string, input: unknown, pin?: string): Promise<unknown> {
  const answer = await fetch(`/api/${id}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-pml-csrf": session.value?.csrf ?? "",
      ...(pin === undefined ? {} : { "x-pml-pin": encodeURIComponent(pin) }),
    },
    body: JSON.stringify(input),
  }).catch(() => {
    throw new ApiError(
      "GATEWAY_UNREACHABLE",
      "The gateway does not answer",
      "Is it still running? `pml open` starts it.",
    );
  });
  return read(answer);
}

async function read(answer: Response): Promise<unknown> {
  const body: unknown = await answer.json().catch(() => undefined);
  if (answer.ok) return body;
  if (answer.status === 401) session.value = undefined;
  const error = (body as { error?: { code?: string; message?: string; hint?: string } } | undefined)?.error;
  throw new ApiError(
    error?.code ?? `HTTP_${answer.status}`,
    error?.message ?? `The gateway answered with status ${answer.status}`,
    error?.hint,
  );
}

/** Returns the session of the signed-in person; throws if there is none. */
export async function signIn(): Promise<Session> {
  const found = (await read(await fetch("/api/session"))) as Session;
  session.value = found;
  return found;
}
