/**
 * Code that searches for built-ins that can still be changed: from the global object, from syntax, and from results and
 * errors of calls. Returns the paths to them, and the number of objects that it has seen.
 *
 * @module
 */
export const OPEN_BUILT_INS = `
  const failing = (job) => () => { try { job(); } catch (error) { return error; } };
  const makers = {
    iteratorHelper: () => [].values().map((x) => x), wrappedIterator: () => Iterator.from({ next: () => ({ done: true }) }),
    joinedIterator: () => Iterator.concat([]), listIterator: () => [].values(), mapIterator: () => new Map().values(),
    setIterator: () => new Set().values(), textIterator: () => "a"[Symbol.iterator](), matches: () => "a".matchAll(/a/g),
    parameters: () => new URLSearchParams("a=b").keys(), segments: () => new Intl.Segmenter().segment("a"),
    segmentIterator: () => new Intl.Segmenter().segment("a")[Symbol.iterator](), arrow: () => () => {}, async: () => async () => {},
    generator: () => function* () {}, asyncGenerator: () => async function* () {}, given: () => (function () { return arguments; })(),
    encoder: () => new TextEncoder(), decoder: () => new TextDecoder(), url: () => new URL("http://a/"), date: () => new Date(),
    bytes: () => new Uint8Array(1), promise: () => mcp.none.none().catch(() => {}), match: () => /a/.exec("a"),
    base64Error: failing(() => atob("*")), textError: failing(() => btoa("\u0100")), urlError: failing(() => new URL("::")),
    cloneError: failing(() => structuredClone(() => 1)), stackError: failing(() => (function f() { f(); })()),
    lengthError: failing(() => new Array(-1)), jsonError: failing(() => JSON.parse("{")), labelError: failing(() => new TextDecoder("x")),
    bytesError: failing(() => crypto.getRandomValues(1)), delayError: failing(() => setTimeout(1n)),
  };
  const open = [], seen = new Set();
  const visit = (way, value) => {
    if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
    seen.add(value);
    if (!Object.isFrozen(value)) open.push(way);
    visit(way + " prototype", Object.getPrototypeOf(value));
    for (const key of Reflect.ownKeys(value)) {
      const own = Object.getOwnPropertyDescriptor(value, key);
      for (const part of ["value", "get", "set"]) visit(way + "." + String(key), own?.[part]);
    }
  };
  for (const key of Reflect.ownKeys(globalThis)) if (key !== "globalThis") visit(String(key), globalThis[key]);
  visit("console", console); visit("pml", pml); visit("mcp", mcp); visit("mcp.server", mcp.fs); visit("mcp.tool", mcp.fs.write);
  for (const [name, make] of Object.entries(makers)) {
    let made;
    // Not every engine has all of them.
    try { made = make(); } catch { continue; }
    if (made !== undefined) visit(name, Object.getPrototypeOf(made));
  }
  return { open, seen: seen.size };`;
