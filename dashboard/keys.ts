/**
 * Keyboard shortcuts: `g` and a letter goes to a page; a page adds its own keys while it is shown.
 *
 * @module
 */
import { signal } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { go, href } from "./router.js";

export interface Shortcut {
  readonly key: string;
  readonly what: string;
  readonly run: () => void;
}

/** The shortcuts of the current page. */
export const pageKeys = signal<readonly Shortcut[]>([]);
export const isHelpOpen = signal(false);

export const PLACES: readonly { readonly key: string; readonly page: string; readonly title: string }[] = [
  { key: "t", page: "today", title: "Today" },
  { key: "a", page: "approvals", title: "Approvals" },
  { key: "c", page: "capabilities", title: "Capabilities" },
  { key: "r", page: "runs", title: "Runs" },
  { key: "g", page: "graph", title: "Graph" },
  { key: "s", page: "servers", title: "Servers" },
  { key: ",", page: "settings", title: "Settings" },
];

/** How long a `g` waits for its letter. */
const CHORD_MS = 1_500;

export function watchKeys(): void {
  let chordUntil = 0;
  globalThis.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isHelpOpen.value) {
      if (event.key === "Escape" || event.key === "?") isHelpOpen.value = false;
      return;
    }
    if (isTyping(event.target) || document.querySelector("dialog[open]") !== null) return;
    const place = Date.now() < chordUntil ? PLACES.find(({ key }) => key === event.key) : undefined;
    chordUntil = 0;
    if (place !== undefined) go(href(place.page));
    else if (event.key === "g") chordUntil = Date.now() + CHORD_MS;
    else if (event.key === "?") isHelpOpen.value = true;
    else {
      const found = pageKeys.value.find(({ key }) => key === event.key);
      if (found === undefined) return;
      found.run();
    }
    event.preventDefault();
  });
}

/** Registers the keys of a part of a page while it is shown, before a person can see it. */
export function useKeys(shortcuts: readonly Shortcut[], changes: readonly unknown[]): void {
  useLayoutEffect(() => {
    pageKeys.value = [...pageKeys.value, ...shortcuts];
    return () => {
      pageKeys.value = pageKeys.value.filter((one) => !shortcuts.includes(one));
    };
  }, changes);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}
