/**
 * Replaces the machine's clock by the run's: everything that returns the current time reads it.
 *
 * @module
 */
import {
  construct,
  defineProperty,
  deleteProperty,
  descriptor,
  getOwnPropertyDescriptor,
  uncurry,
} from "./primordials.js";

const RealDate = Date;
const dateText = uncurry(Date.prototype.toString) as (self: unknown) => string;

/** `read` returns milliseconds since 1970. Keeps `Date.prototype`, so that `instanceof Date` still works. */
export function installClock(read: () => number): void {
  installDate(read);
  if (typeof Intl === "object") installFormats(read);
  deleteProperty(RealDate.prototype, "toTemporalInstant");
}

function installDate(read: () => number): void {
  // A function and not an arrow function, because it is called with `new`, also by subclasses, and without.
  function RunDate(...parts: unknown[]): unknown {
    if (new.target === undefined) return dateText(new RealDate(read()));
    return construct(RealDate, parts.length === 0 ? [read()] : parts, new.target);
  }
  defineProperty(RunDate, "prototype", descriptor(RealDate.prototype));
  defineProperty(RunDate, "name", descriptor("Date"));
  defineProperty(RunDate, "length", descriptor(7));
  defineProperty(
    RunDate,
    "now",
    method(() => read()),
  );
  defineProperty(RunDate, "parse", method(RealDate.parse));
  defineProperty(RunDate, "UTC", method(RealDate.UTC));
  defineProperty(RealDate.prototype, "constructor", method(RunDate));
  // The original `Date` is not reachable any more; its `now` is replaced too, to be safe.
  defineProperty(
    RealDate,
    "now",
    method(() => read()),
  );
  defineProperty(globalThis, "Date", method(RunDate));
}

function installFormats(read: () => number): void {
  const prototype = Intl.DateTimeFormat.prototype;
  const formatGetter = getOwnPropertyDescriptor(prototype, "format")?.get;
  const parts = getOwnPropertyDescriptor(prototype, "formatToParts")?.value;
  if (formatGetter === undefined || typeof parts !== "function") return;
  const formatOf = uncurry(formatGetter) as (self: unknown) => (date: unknown) => string;
  const partsOf = uncurry(parts as () => unknown) as (self: unknown, date: unknown) => unknown;
  const accessor = {
    get format(): (date?: unknown) => string {
      const format = formatOf(this);
      return (date) => format(date === undefined ? read() : date);
    },
    formatToParts(date?: unknown): unknown {
      return partsOf(this, date === undefined ? read() : date);
    },
  };
  const own = getOwnPropertyDescriptor(accessor, "format");
  if (own !== undefined) defineProperty(prototype, "format", { ...own, enumerable: false });
  defineProperty(prototype, "formatToParts", method(accessor.formatToParts));
}

/** With the attributes of the language's own methods. */
function method(value: unknown): PropertyDescriptor {
  return { value, writable: true, enumerable: false, configurable: true };
}
