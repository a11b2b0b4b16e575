/**
 * What code catches when a tool has failed. The stack is that of the call, since the answer arrives when the code is
 * not on the stack any more.
 *
 * @module
 */
import type { ErrorFrame } from "../protocol/frames.js";
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
import { isError, textProperty } from "./thrown-text.js";

const origins = new WeakMapOf<Error, ErrorFrame>();

/** A `ToolError` for the answer to a call; `callSite` is an error that was made where the call was. */
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

/** The answer that `thrown` was made for, where it is a tool's error. */
export function toolErrorFrame(thrown: unknown): ErrorFrame | undefined {
  return isError(thrown) ? weakMapGet(origins, thrown) : undefined;
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
