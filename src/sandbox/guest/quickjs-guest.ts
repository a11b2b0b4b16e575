/**
 * The guest inside QuickJS: adds the promised globals that the engine lacks, and starts the guest with the few
 * functions that the child process provides.
 *
 * These take and return numbers and text, and never throw; only {@link QuickjsHost.evaluate} returns a value of the
 * engine. Their object is a global while the guest loads, and is deleted with all others that are not promised.
 *
 * @module
 */
import { freezeRealm } from "./frozen-realm.js";
import { type Guest, startGuest } from "./guest-core.js";
import {
  defineProperty,
  descriptor,
  MapOf,
  mapDelete,
  mapGet,
  mapSet,
  setPrototypeOf,
  stringify,
} from "./primordials.js";
import { atob, btoa } from "./quickjs-base64.js";
import { TextDecoder } from "./quickjs-text-decoder.js";
import { TextEncoder } from "./quickjs-text-encoder.js";
import { type AskUrl, createUrlClass } from "./quickjs-url.js";
import { URLSearchParams } from "./quickjs-url-search-params.js";
import { structuredClone } from "./structured-clone.js";

/** The global with the functions of the child process. */
export const HOST_GLOBAL = "quickjsHost";

export interface QuickjsHost {
  readonly send: (lines: string) => void;
  readonly now: () => number;
  readonly setTimer: (id: number, ms: number) => void;
  readonly clearTimer: (id: number) => void;
  /** `source` is the text as JSON, since plain text would end at its first NUL. */
  readonly evaluate: (source: string, name: string) => unknown;
  readonly askUrl: AskUrl;
}

declare const quickjsHost: QuickjsHost;
const host = quickjsHost;
const timers = new MapOf<number, () => void>();
let timerCount = 0;

const engineErrors = alignErrors();
keepTemplates();
install("TextEncoder", TextEncoder);
install("TextDecoder", TextDecoder);
install("atob", atob);
install("btoa", btoa);
install("structuredClone", structuredClone);
install("URL", createUrlClass(host.askUrl));
install("URLSearchParams", URLSearchParams);

const guest: Guest = startGuest({
  send: host.send,
  now: host.now,
  setTimer(job, ms) {
    timerCount += 1;
    mapSet(timers, timerCount, job);
    host.setTimer(timerCount, ms);
    return timerCount;
  },
  clearTimer(timer) {
    mapDelete(timers, timer);
    host.clearTimer(timer);
  },
  evaluate: (source, name) => host.evaluate(stringify(source), name),
});

freezeRealm(engineErrors);

/** Called by the child with one line of the host. */
export function receive(line: string): void {
  guest.receive(line);
}

/** Called by the child when a timer is due. */
export function fire(timer: number): void {
  const job = mapGet(timers, timer);
  mapDelete(timers, timer);
  job?.();
}

/**
 * For a stack overflow or out of memory, the engine throws its own class of errors, where other engines throw range
 * errors. Returns their prototype.
 */
function alignErrors(): readonly object[] {
  const own = (globalThis as { readonly InternalError?: { readonly prototype: object } }).InternalError;
  if (own === undefined) return [];
  setPrototypeOf(own.prototype, RangeError.prototype);
  defineProperty(own.prototype, "name", { value: "RangeError", writable: true, configurable: true });
  defineProperty(own.prototype, "constructor", { value: RangeError, writable: true, configurable: true });
  return [own.prototype];
}

/** The engine calls this method for template literals, so code that replaced it would break the guest's own. */
function keepTemplates(): void {
  defineProperty(String.prototype, "concat", descriptor(String.prototype.concat));
}

function install(name: string, value: unknown): void {
  defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true });
}
