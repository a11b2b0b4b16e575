/**
 * Reads the current page from the part of the address after `#`: `#/capability/fs:read_json?tab=versions`.
 *
 * @module
 */
import { signal } from "@preact/signals";

export interface Route {
  readonly page: string;
  /** The subject of the page, decoded. */
  readonly subject: string;
  readonly query: URLSearchParams;
}

export const route = signal<Route>(parseRoute(globalThis.location?.hash ?? ""));

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const slash = path.indexOf("/");
  const page = slash < 0 ? path : path.slice(0, slash);
  return {
    page: page === "" ? "today" : page,
    subject: slash < 0 ? "" : decoded(path.slice(slash + 1)),
    query: new URLSearchParams(query),
  };
}

/** The address of a page. */
export function href(page: string, subject?: string, query: Readonly<Record<string, string>> = {}): string {
  const asked = new URLSearchParams(query).toString();
  const about = subject === undefined ? "" : `/${encodeURIComponent(subject)}`;
  return `#/${page}${about}${asked === "" ? "" : `?${asked}`}`;
}

export function go(to: string): void {
  globalThis.location.hash = to;
}

/** Stores the state of a page in its address, without a new entry in the history. */
export function setQuery(name: string, value: string | undefined): void {
  const { page, subject, query } = route.value;
  const all = Object.fromEntries(query);
  if (value === undefined || value === "") delete all[name];
  else all[name] = value;
  const to = href(page, subject === "" ? undefined : subject, all);
  globalThis.history.replaceState(undefined, "", to);
  route.value = parseRoute(to);
}

export function watchAddress(): void {
  globalThis.addEventListener("hashchange", () => {
    route.value = parseRoute(globalThis.location.hash);
    globalThis.scrollTo(0, 0);
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
