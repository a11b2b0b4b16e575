/**
 * Sets English as the language if the browser reports an invalid one (some report `en-US@posix`). Formatting a number
 * with an invalid language throws; the chart does so when it is loaded, and the page would fail. So this module is
 * imported before all others.
 *
 * @module
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}

export {};
