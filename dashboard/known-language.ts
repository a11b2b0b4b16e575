/**
 * Some browsers report an invalid language (`en-US@posix`). Formatting a number with it throws: the chart does so when it
 * is loaded, and the page fails. This module sets English instead, and is imported before all others.
 *
 * @module
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}

export {};
