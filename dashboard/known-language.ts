/**
 * Some browsers name a language that is none (`en-US@posix`), and whoever formats a number by it fails: the chart does so
 * when it is loaded, and the page with it. English is named instead. Imported before anything else.
 *
 * @module
 */
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en", configurable: true });
}

export {};
