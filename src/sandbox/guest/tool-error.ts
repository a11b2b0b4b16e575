/**
 * The error that code catches when a tool has failed. Its stack is that of the call, since the answer arrives when the
 * code is no longer on the stack.
 *
 * @module
 */
import type { ErrorFrame } from "../protocol/frames.js";
import { inspect } from "./inspect.js";
import {
  create,
  defineProperty,
  ErrorOf,
  indexOfText,
  parse,
  textSlice,
  WeakMapOf,
  weakMapGet,
  weakMapSet,
} from "./primordials.js";
import { isError, messageOfThrown, nameOfThrown, textProperty } from "./thrown-text.js";

const origins = new WeakMapOf<Error, ErrorFrame>();
/** For errors from another unit: their original stack. */
const innerStacks = new WeakMapOf<Error, string>();
const STACK_CHARS_MOST = 16_384;

/** A `ToolError` for the answer to a call; `callSite` is an error that was created at the call. */
export function createToolError(frame: ErrorFrame, callSite: Error): Error {
  const error = new ErrorOf(frame.message);
  put(error, "name", "ToolError");
  put(error, "code", frame.code);
  if (frame.tool !== undefined) put(error, "tool", frame.tool);
  if (frame.content !== undefined) put(error, "content", parse(frame.content));
  put(error, "stack", `ToolError: ${frame.message}${framesOf(callSite)}`);
  weakMapSet(origins, error, frame);
  return error;
}

/** The answer that `thrown` was created from, if it is a tool's error. */
export function toolErrorFrame(thrown: unknown): ErrorFrame | undefined {
  return isError(thrown) ? weakMapGet(origins, thrown) : undefined;
}

/** An error of one unit in the unit that called it: name, message and code are copied, and nothing else crosses. */
export function crossedError(thrown: unknown, callSite: Error): Error {
  const frame = toolErrorFrame(thrown);
  const name = nameOfThrown(thrown);
  const message = isError(thrown) || typeof thrown !== "object" ? messageOfThrown(thrown) : inspect(thrown);
  const error = new ErrorOf(message);
  if (name !== "Error") put(error, "name", name);
  const code = isError(thrown) ? codeOf(thrown) : undefined;
  if (code !== undefined) put(error, "code", code);
  if (frame?.tool !== undefined) put(error, "tool", frame.tool);
  if (frame?.content !== undefined) put(error, "content", parse(frame.content));
  put(error, "stack", `${name}: ${message}${framesOf(callSite)}`);
  if (frame !== undefined) weakMapSet(origins, error, frame);
  weakMapSet(innerStacks, error, stackOf(thrown));
  return error;
}

/** The positions of a throw, innermost first, through all units that it has crossed. Only for the host. */
export function stackOf(thrown: unknown): string {
  if (!isError(thrown)) return "";
  const own = textProperty(thrown, "stack") ?? "";
  const inner = weakMapGet(innerStacks, thrown);
  return inner === undefined ? own : textSlice(`${inner}\n${own}`, 0, STACK_CHARS_MOST);
}

function codeOf(error: Error): string | number | undefined {
  try {
    const { code } = error as { readonly code?: unknown };
    return typeof code === "string" || typeof code === "number" ? code : undefined;
  } catch {
    return undefined;
  }
}

function framesOf(callSite: Error): string {
  const stack = textProperty(callSite, "stack") ?? "";
  const at = indexOfText(stack, "\n    at ");
  return at === -1 ? "" : textSlice(stack, at);
}

function put(error: Error, key: string, value: unknown): void {
  const own = create(null) as PropertyDescriptor;
  own.value = value;
  own.writable = true;
  own.configurable = true;
  defineProperty(error, key, own);
}
