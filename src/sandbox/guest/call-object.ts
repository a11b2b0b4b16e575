/**
 * `mcp` and `capabilities` in code: every property can be called, and no property leads to a function of the host or to
 * a constructor.
 *
 * @module
 */
import { bareFunction } from "./bare-function.js";
import { create, freeze, matchNext, ProxyOf, preventExtensions } from "./primordials.js";

/** Called for `object.a(args, node)` with `["a"]`, and for `object.a.b(args, node)` with `["a", "b"]`. */
export type CallHandler = (path: readonly string[], args: unknown, node: string | undefined) => unknown;

const NODE = /^n[1-9]\d{0,5}$/;

export function createCallObject(handle: CallHandler): object {
  return new ProxyOf(preventExtensions(create(null) as object), frozenHandler(get));

  function get(key: string | symbol): unknown {
    return isReachable(key) ? serverObject(key, handle) : undefined;
  }
}

/** `object.server`: can be called itself, like `object["server:tool"]`, and has tools as properties. */
function serverObject(server: string, handle: CallHandler): object {
  return new ProxyOf(
    caller([server], handle),
    frozenHandler((key) => (isReachable(key) ? freeze(caller([server, key], handle)) : undefined)),
  );
}

function caller(path: readonly string[], handle: CallHandler): (...given: unknown[]) => unknown {
  return bareFunction((...given) => handle(path, given[0], nodeOf(given[1])));
}

/** Keys with which the language inspects an object: a value for them would make it a promise, or start a call. */
function isReachable(key: string | symbol): key is string {
  return (
    typeof key === "string" && key !== "then" && key !== "toJSON" && key !== "toString" && key !== "valueOf"
  );
}

/** PML's instrumentation adds the second argument; from other code it is ignored. */
function nodeOf(value: unknown): string | undefined {
  return typeof value === "string" && matchNext(NODE, value) !== null ? value : undefined;
}

function frozenHandler(get: (key: string | symbol) => unknown): ProxyHandler<object> {
  const handler: ProxyHandler<object> = create(null) as object;
  handler.get = (_target, key) => get(key);
  handler.set = () => false;
  handler.defineProperty = () => false;
  handler.deleteProperty = () => false;
  handler.setPrototypeOf = () => false;
  return freeze(handler);
}
