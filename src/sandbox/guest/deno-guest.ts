/**
 * The guest in a separate Deno process: frames on stdin and stdout, and Deno's own objects unreachable for code.
 *
 * Names of disabled defences come as arguments, which only tests use.
 *
 * @module
 */
import { READY_LINE } from "../protocol/frames.js";
import { freezeRealm } from "./frozen-realm.js";
import { type Guest, startGuest } from "./guest-core.js";
import { freezeWhenMet } from "./late-prototypes.js";
import {
  defineProperty,
  descriptor,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  MapOf,
  mapDelete,
  mapGet,
  mapSet,
  mapSize,
  PromiseOf,
  uncurry,
  whenSettled,
} from "./primordials.js";
import { structuredClone } from "./structured-clone.js";

interface DenoNamespace {
  readonly args: readonly string[];
  readonly stdin: {
    read(into: Uint8Array): Promise<number | null>;
    readSync(into: Uint8Array): number | null;
  };
  readonly stdout: { writeSync(bytes: Uint8Array): number };
  readonly internal: symbol;
  exit(code: number): never;
  readonly [internal: symbol]: Inside;
}

interface Inside {
  readonly core: DenoCore;
}

/** Deno's internal API; the binary is pinned, so it does not change unexpectedly. */
interface DenoCore {
  readonly kRefed: symbol;
  immediateRefCount(isMore: boolean): void;
  queueImmediate(immediate: object): void;
  runMicrotasks(): void;
  createTimer(job: () => void, ms: number, args: undefined, isRepeated: boolean, isKept: boolean): object;
  cancelTimer(timer: object): void;
  setUnhandledPromiseRejectionHandler(handler: (promise: unknown, reason: unknown) => boolean): void;
}

const NEWLINE = 0x0a;
const EVAL = "eval";
const UNLOADED = Symbol.for("Deno.isUnloadDispatched");
declare const Deno: DenoNamespace;
const deno = Deno;
const { stdin, stdout, args, exit } = deno;
const read = uncurry(stdin.read as (this: unknown, into: Uint8Array) => Promise<number | null>);
const readSync = uncurry(stdin.readSync as (this: unknown, into: Uint8Array) => number | null);
const writeSync = uncurry(stdout.writeSync as (this: unknown, bytes: Uint8Array) => number);
const { core } = deno[deno.internal] as Inside;
// Reading `setTimeout` would load all of Node's timers, which adds half to the start time.
const { createTimer, cancelTimer, immediateRefCount, queueImmediate, runMicrotasks, kRefed } = core;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const encode = uncurry(TextEncoder.prototype.encode as (this: unknown, text: string) => Uint8Array);
const decode = uncurry(TextDecoder.prototype.decode as (this: unknown, bytes: Uint8Array) => string);
const indexOfByte = uncurry(
  Uint8Array.prototype.indexOf as (this: unknown, byte: number, from: number) => number,
);
const setBytes = uncurry(Uint8Array.prototype.set as (this: unknown, from: Uint8Array, at: number) => void);
const Bytes = Uint8Array;
const Memory = ArrayBuffer;
const { performance } = globalThis;
const now = uncurry(performance.now as (this: unknown) => number);
// Called by another name (indirect eval), so that code sees globals and not the names of this module.
const evaluate: (source: string) => unknown = globalThis[EVAL];

function send(lines: string): void {
  const bytes = encode(encoder, `${lines}\n`);
  let sent = writeSync(stdout, bytes);
  // A full pipe accepts only a part; the rest is sent as a copy.
  while (sent < bytes.length) {
    const rest = new Bytes(bytes.length - sent);
    for (let index = 0; index < rest.length; index += 1) rest[index] = bytes[sent + index] as number;
    sent += writeSync(stdout, rest);
  }
}

const timers = new MapOf<number, object>();
let timerCount = 0;

function setTimer(job: () => void, ms: number): number {
  timerCount += 1;
  const id = timerCount;
  const run = (): void => {
    mapDelete(timers, id);
    job();
    // Otherwise Deno would first run other events, and mix their microtasks with these.
    runMicrotasks();
  };
  mapSet(timers, id, createTimer(run, ms, undefined, false, true));
  return id;
}

function clearTimer(id: number): void {
  const timer = mapGet(timers, id);
  if (timer === undefined) return;
  mapDelete(timers, id);
  cancelTimer(timer);
}

/** Calls `job` as a separate task, after the current microtasks; a timer would come a millisecond later. */
function afterwards(job: () => void): void {
  immediateRefCount(true);
  queueImmediate({
    __proto__: null,
    _idleNext: null,
    _idlePrev: null,
    _onImmediate: job,
    _argv: undefined,
    _destroyed: false,
    [kRefed]: true,
    asyncId: 0,
    triggerAsyncId: 0,
  });
}

/** Deno reads these properties of byte arrays by name, so untrusted code must not be able to replace them. */
function fixAccessors(): void {
  const TypedArrayPrototype = getPrototypeOf(Bytes.prototype) as object;
  const keys = ["buffer", "byteLength", "byteOffset", "length", Symbol.toStringTag];
  for (const key of keys) {
    const accessor = getOwnPropertyDescriptor(TypedArrayPrototype, key);
    const fixed = { ...accessor, configurable: false };
    defineProperty(TypedArrayPrototype, key, fixed);
    defineProperty(Bytes.prototype, key, fixed);
  }
}

function start(): void {
  // Deno's own can be led to make its host objects from what code hands it.
  defineProperty(globalThis, "structuredClone", {
    value: structuredClone,
    writable: true,
    enumerable: false,
    configurable: true,
  });
  fixAccessors();
  const guest = startGuest(
    {
      send,
      now: () => now(performance),
      setTimer,
      clearTimer,
      evaluate: (source) => evaluate(source),
    },
    args,
  );
  if (!args.includes("unhandled-rejections"))
    core.setUnhandledPromiseRejectionHandler((_promise, reason) => {
      guest.rejected(reason);
      return true;
    });
  // Otherwise Deno notifies listeners at exit, through deleted globals.
  defineProperty(globalThis, UNLOADED, descriptor(true));
  // If a test keeps the globals, Deno's own objects depend on them, and Deno must be able to change those.
  if (!args.includes("deleted-globals")) {
    freezeWhenMet();
    if (!args.includes("frozen-built-ins")) freezeRealm();
  }
  receiveLines(guest);
  send(READY_LINE);
}

/** If a test has disabled a defence, code may have access to other sources of events than timers. */
const hasTimersAlone = args.length === 0;

/**
 * Reads into one buffer while lines fit into it: a stream pipeline would double the cost of every call. The
 * code finishes all work that one line causes before it gets the next, so it does not matter which lines
 * arrive together.
 *
 * Without timers only the next line can cause work, so the read is synchronous. Otherwise Deno reads in
 * another thread, and two changes of threads take longer than everything else that the guest does for a call.
 */
function receiveLines(guest: Guest): void {
  let memory = new Memory(65_536);
  let buffer = new Bytes(memory);
  let held = 0;
  let searchedTo = 0;

  /** Not `subarray`, which looks up the array constructor in the realm. */
  function part(from: number, to: number): Uint8Array {
    return new Bytes(memory, from, to - from);
  }

  function next(): void {
    if (held === buffer.length) {
      const full = buffer;
      memory = new Memory(full.length * 2);
      buffer = new Bytes(memory);
      setBytes(buffer, full, 0);
    }
    // As a separate task, so that unhandled rejections have been reported before.
    afterwards(wait);
  }

  function wait(): void {
    const rest = part(held, buffer.length);
    if (mapSize(timers) === 0 && hasTimersAlone) take(readHere(rest));
    else whenSettled(read(stdin, rest), (count) => afterwards(() => take(count as number | null)), leave);
  }

  function readHere(rest: Uint8Array): number | null {
    try {
      return readSync(stdin, rest);
    } catch {
      // Treated like the end of the input.
      return null;
    }
  }

  function take(count: number | null): void {
    if (count === null) {
      leave();
      return;
    }
    searchedTo = held;
    held += count;
    takeLines();
  }

  function takeLines(): void {
    let lineAt = 0;
    for (let end = newline(searchedTo); end !== -1; end = newline(lineAt)) {
      guest.receive(decode(decoder, part(lineAt, end)));
      runMicrotasks();
      lineAt = end + 1;
    }
    if (lineAt > 0) setBytes(buffer, part(lineAt, held), 0);
    held -= lineAt;
    next();
  }

  function newline(from: number): number {
    const at = indexOfByte(buffer, NEWLINE, from);
    return at < held ? at : -1;
  }

  next();
}

/** The host has ended. */
function leave(): void {
  exit(0);
}

start();
// Once a program is loaded, Deno dispatches an event through deleted globals; so loading never ends.
await new PromiseOf(() => {});
