/**
 * Calls that leave the sandbox: numbered, written as JSON, with a limit of open calls, and settled by answers.
 *
 * @module
 */
import {
  CALLS_IN_FLIGHT_MOST,
  type CallFrame,
  type CallObject,
  type ErrorFrame,
  type LimitFrame,
  type Speaker,
  type ValueFrame,
} from "../protocol/frames.js";
import {
  charCodeAt,
  ErrorOf,
  MapOf,
  mapDelete,
  mapGet,
  mapSet,
  PromiseOf,
  parse,
  push,
  TypeErrorOf,
} from "./primordials.js";
import { createToolError } from "./tool-error.js";
import { checkArgumentsObject, writeJson } from "./write-json.js";

interface ToolCall {
  readonly object: CallObject;
  readonly path: readonly string[];
  readonly args: unknown;
  readonly node: string | undefined;
  readonly by: Speaker;
}

export interface ToolCalls {
  /** Returns the tool's answer, or throws a `ToolError`. */
  call(call: ToolCall): Promise<unknown>;
  settle(frame: ValueFrame | ErrorFrame): void;
  /** Whether an answer can still come. */
  isWaiting(): boolean;
  /** Starts no more calls. */
  end(): void;
}

export interface ToolCallsOptions {
  readonly callsMost: number;
  /** How many answers the code has received. */
  seen(): number;
  post(frame: CallFrame): void;
  exceed(limit: LimitFrame["limit"]): void;
  warn(message: string): void;
}

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  readonly callSite: Error;
}

/**
 * `seen` is set when a waiting call is sent, not when it is made: a replay cannot wait for a call that is sent only
 * after the next answer.
 */
type UnsentCall = Omit<CallFrame, "seen">;

const BRACE = 0x7b;

export function createToolCalls({ callsMost, seen, post, exceed, warn }: ToolCallsOptions): ToolCalls {
  const pending = new MapOf<number, PendingCall>();
  const waiting: UnsentCall[] = [];
  let waitingAt = 0;
  let count = 0;
  let inFlight = 0;
  let isOver = false;

  function call({ object, path, args, node, by }: ToolCall): Promise<unknown> {
    return new PromiseOf((resolve, reject) => {
      if (isOver) {
        reject(new ErrorOf("Cannot call a tool: the run has ended"));
        return;
      }
      const text = argumentsText(args, calleeText(object, path));
      if (text === undefined) return;
      if (count >= callsMost) {
        exceed("tool-calls");
        return;
      }
      const id = count + 1;
      const callSite = new ErrorOf();
      const at = node === undefined ? {} : { node };
      const frame: UnsentCall = { kind: "call", id, object, path, ...at, by, text };
      mapSet(pending, id, { resolve, reject, callSite });
      try {
        if (inFlight < CALLS_IN_FLIGHT_MOST) send(frame);
        else push(waiting, frame);
      } catch (thrown) {
        // The stack is used up: this call is not made, and its number is free.
        mapDelete(pending, id);
        throw thrown;
      }
      count = id;
    });
  }

  function send(frame: UnsentCall): void {
    post({ ...frame, seen: seen() });
    inFlight += 1;
  }

  /** JSON of the arguments; `undefined` if the run ended because of them. */
  function argumentsText(args: unknown, callee: string): string | undefined {
    if (args === undefined) return "{}";
    checkArgumentsObject(args, callee);
    const written = writeJson(args, "arguments");
    if (written.kind === "too-large") {
      exceed("arguments");
      return undefined;
    }
    if (written.kind === "refused") throw new TypeErrorOf(`Cannot call ${callee}: ${written.message}`);
    if (charCodeAt(written.text, 0) !== BRACE)
      throw new TypeErrorOf(`Cannot call ${callee}: expected one object with named arguments`);
    if (written.notFinite !== undefined)
      warn(`${callee}: ${written.notFinite.first} is not a finite number, and was sent as null`);
    return written.text;
  }

  return {
    call,
    settle(frame) {
      const { id } = frame;
      const known = mapGet(pending, id);
      if (known === undefined || isOver) return;
      mapDelete(pending, id);
      inFlight -= 1;
      const next = waiting[waitingAt];
      if (next !== undefined) {
        waitingAt += 1;
        send(next);
      }
      try {
        if (frame.kind === "value") known.resolve(parse(frame.text));
        else known.reject(createToolError(frame, known.callSite));
      } catch (thrown) {
        known.reject(thrown);
      }
    },
    isWaiting: () => inFlight > 0,
    end() {
      isOver = true;
    },
  };
}

/** The name of the callee in messages. */
function calleeText(object: CallObject, path: readonly string[]): string {
  let text: string = object;
  for (let index = 0; index < path.length; index += 1) text += `.${path[index]}`;
  return text;
}
