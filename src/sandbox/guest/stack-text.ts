/**
 * Stacks that only contain code of the program, and show neither PML's location nor its internals. For engines with
 * V8's hook; the others write stacks themselves.
 *
 * @module
 */
import {
  defineProperty,
  deleteProperty,
  descriptor,
  ErrorOf,
  errorToText,
  indexOfText,
} from "./primordials.js";

interface CallSite {
  getScriptNameOrSourceURL(): string | null | undefined;
  getFunctionName(): string | null | undefined;
  getLineNumber(): number | null;
  getColumnNumber(): number | null;
  isAsync?(): boolean;
}

type Hooked = ErrorConstructor & { prepareStackTrace?: unknown; stackTraceLimit?: number };

const FRAMES_MOST = 20;

/**
 * Installs the hook so that it cannot be replaced: code that replaced it would get the functions on the stack.
 * `linesBefore` is the number of lines of a script before its code. Returns whether stacks no longer count these lines.
 */
export function installStackText(linesBefore: number): boolean {
  if (!hasHook()) return false;
  const stackText = (error: unknown, sites: readonly CallSite[]): string => textOf(error, sites, linesBefore);
  defineProperty(ErrorOf, "prepareStackTrace", descriptor(stackText));
  // Deno looks up the global `Error` each time.
  defineProperty(globalThis, "Error", descriptor(ErrorOf));
  (ErrorOf as Hooked).stackTraceLimit = FRAMES_MOST;
  return true;
}

function hasHook(): boolean {
  const hooked = ErrorOf as Hooked;
  hooked.prepareStackTrace = (_error: unknown, sites: unknown) => sites;
  const sites: unknown = new ErrorOf().stack;
  deleteProperty(ErrorOf, "prepareStackTrace");
  const first: unknown = Array.isArray(sites) ? sites[0] : undefined;
  return typeof (first as Partial<CallSite> | undefined)?.getScriptNameOrSourceURL === "function";
}

function textOf(error: unknown, sites: readonly CallSite[], linesBefore: number): string {
  let out = headOf(error);
  for (let index = 0; index < sites.length; index += 1)
    out += frameText(sites[index] as CallSite, linesBefore);
  return out;
}

function headOf(error: unknown): string {
  try {
    return errorToText(error);
  } catch {
    return "Error";
  }
}

function frameText(site: CallSite, linesBefore: number): string {
  const file = site.getScriptNameOrSourceURL();
  if (typeof file !== "string" || indexOfText(file, "pml:") !== 0) return "";
  const name = site.getFunctionName();
  const place = `${file}:${(site.getLineNumber() ?? 0) - linesBefore}:${site.getColumnNumber()}`;
  const isAsync = site.isAsync?.() === true ? "async " : "";
  return typeof name === "string" && name !== "" && name !== "eval"
    ? `\n    at ${isAsync}${name} (${place})`
    : `\n    at ${isAsync}${place}`;
}
