/**
 * The redirect target of a browser after a sign-in: an address of this machine, served only while a sign-in is open.
 *
 * @module
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { PmlError } from "../../base/pml-error.js";

/** Handles the parameters of an answer. Returns the text that the person reads, or throws if the answer is invalid. */
export type TakesAnswer = (parameters: URLSearchParams) => Promise<string>;

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/i;
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
  "referrer-policy": "no-referrer",
  connection: "close",
};

/** Whether PML can listen at this address. */
export function isLoopbackUrl(url: string): boolean {
  const { protocol, hostname, port } = new URL(url);
  return protocol === "http:" && LOOPBACK.test(hostname) && port !== "";
}

export class CallbackListener {
  readonly #takes: TakesAnswer;
  /** By address; closed when no sign-in waits for it any more. */
  readonly #open = new Map<string, { readonly server: Promise<Server>; waits: number }>();

  constructor(takes: TakesAnswer) {
    this.#takes = takes;
  }

  /** Listens until the returned function is called. Throws `SIGN_IN_FAILED` if the port is taken. */
  async wait(url: string): Promise<() => void> {
    const place = this.#open.get(url) ?? { server: this.#listen(new URL(url)), waits: 0 };
    this.#open.set(url, place);
    place.waits += 1;
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      place.waits -= 1;
      if (place.waits > 0) return;
      this.#open.delete(url);
      place.server.then(
        (server) => server.close(),
        () => {},
      );
    };
    try {
      await place.server;
      return end;
    } catch (error) {
      end();
      throw error;
    }
  }

  #listen(url: URL): Promise<Server> {
    const server = createServer((request, response) => void this.#answer(url, request, response));
    server.requestTimeout = 10_000;
    server.headersTimeout = 10_000;
    server.maxConnections = 20;
    server.unref();
    return new Promise((resolve, reject) => {
      server.once("error", (cause) =>
        reject(
          new PmlError(
            "SIGN_IN_FAILED",
            `Cannot wait for the browser at ${url.origin}: ${(cause as NodeJS.ErrnoException).code === "EADDRINUSE" ? "another program uses this port" : cause.message}`,
            { hint: "Use --paste, or set auth.redirectUrl of the server's entry to another port.", cause },
          ),
        ),
      );
      server.listen({ host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) }, () =>
        resolve(server),
      );
    });
  }

  async #answer(url: URL, request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const path = request.url ?? "/";
    const asked = URL.canParse(path, url.href) ? new URL(path, url) : undefined;
    // A web page must not be able to reach this address through another name for this machine.
    const isMeant = asked?.pathname === url.pathname && request.headers.host === url.host;
    if (request.method !== "GET" || asked === undefined || !isMeant)
      return void response.writeHead(404, HEADERS).end(page("Nothing here"));
    try {
      const said = await this.#takes(asked.searchParams);
      response.writeHead(200, HEADERS).end(page(said));
    } catch (error) {
      const why = error instanceof PmlError ? error.message : "The sign-in failed";
      response.writeHead(400, HEADERS).end(page(why));
    }
  }
}

function page(text: string): string {
  const safe = text.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
  return `<!doctype html><meta charset="utf-8"><title>PML</title><body style="font:16px system-ui;margin:3rem"><p>${safe}</p></body>\n`;
}
