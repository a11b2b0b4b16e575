/**
 * `URL` for the engine without it. The child process parses addresses with Node's parser, through one function from
 * text to text; this module has the class.
 *
 * @module
 */
import { parse, stringify, TypeErrorOf } from "./primordials.js";
import {
  type LinkedParams,
  linkedParams,
  type URLSearchParams,
  wellFormed,
} from "./quickjs-url-search-params.js";

/** Parts of an address that can be set, followed by the read-only ones. */
export interface UrlParts {
  readonly href: string;
  readonly origin: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

type UrlPart = Exclude<keyof UrlParts, "href" | "origin">;

/** A question: to parse an address, or to set a part of a parsed one. */
export type UrlQuestion =
  | { readonly href: string; readonly base?: string }
  | { readonly href: string; readonly part: UrlPart; readonly value: string };

/** Takes JSON of a {@link UrlQuestion} and returns JSON of {@link UrlParts}; an empty text if it is not an address. */
export type AskUrl = (question: string) => string;

/** The class, which parses addresses with `ask`. */
export function createUrlClass(ask: AskUrl): new (href: unknown, base?: unknown) => object {
  function read(question: UrlQuestion): UrlParts | undefined {
    const answer = ask(stringify(question));
    return answer === "" ? undefined : (parse(answer) as UrlParts);
  }

  function question(href: unknown, base: unknown): UrlQuestion {
    return { href: text(href), ...(base === undefined ? {} : { base: text(base) }) };
  }

  return class URL {
    #parts: UrlParts;
    #linked: LinkedParams | undefined;

    constructor(href: unknown, base?: unknown) {
      const asked = question(href, base);
      const parts = read(asked);
      if (parts === undefined) throw invalid(asked.href);
      this.#parts = parts;
    }

    static canParse(href: unknown, base?: unknown): boolean {
      return read(question(href, base)) !== undefined;
    }

    static parse(href: unknown, base?: unknown): URL | null {
      return URL.canParse(href, base) ? new URL(href, base) : null;
    }

    get href(): string {
      return this.#parts.href;
    }

    set href(value: unknown) {
      const parts = read({ href: text(value) });
      if (parts === undefined) throw invalid(text(value));
      this.#parts = parts;
      this.#linked?.reload(parts.search);
    }

    get origin(): string {
      return this.#parts.origin;
    }

    get protocol(): string {
      return this.#parts.protocol;
    }

    set protocol(value: unknown) {
      this.#set("protocol", value);
    }

    get username(): string {
      return this.#parts.username;
    }

    set username(value: unknown) {
      this.#set("username", value);
    }

    get password(): string {
      return this.#parts.password;
    }

    set password(value: unknown) {
      this.#set("password", value);
    }

    get host(): string {
      return this.#parts.host;
    }

    set host(value: unknown) {
      this.#set("host", value);
    }

    get hostname(): string {
      return this.#parts.hostname;
    }

    set hostname(value: unknown) {
      this.#set("hostname", value);
    }

    get port(): string {
      return this.#parts.port;
    }

    set port(value: unknown) {
      this.#set("port", value);
    }

    get pathname(): string {
      return this.#parts.pathname;
    }

    set pathname(value: unknown) {
      this.#set("pathname", value);
    }

    get search(): string {
      return this.#parts.search;
    }

    set search(value: unknown) {
      this.#set("search", value);
      this.#linked?.reload(this.#parts.search);
    }

    get searchParams(): URLSearchParams {
      this.#linked ??= linkedParams(this.#parts.search, (query) => this.#set("search", query));
      return this.#linked.params;
    }

    get hash(): string {
      return this.#parts.hash;
    }

    set hash(value: unknown) {
      this.#set("hash", value);
    }

    get [Symbol.toStringTag](): string {
      return "URL";
    }

    toString(): string {
      return this.#parts.href;
    }

    toJSON(): string {
      return this.#parts.href;
    }

    #set(part: UrlPart, value: unknown): void {
      this.#parts = read({ href: this.#parts.href, part, value: text(value) }) ?? this.#parts;
    }
  };
}

function text(value: unknown): string {
  return wellFormed(`${value as string}`);
}

function invalid(href: string): Error {
  return new TypeErrorOf(`Invalid URL: '${href}'`);
}
