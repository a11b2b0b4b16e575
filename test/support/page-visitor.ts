/**
 * Behaves like a browser towards the gateway: it follows the one-time link, keeps the cookie, and calls `/api` like the
 * page.
 *
 * @module
 */
import { request } from "node:http";
import { type RequestOptions as SecureOptions, request as secureRequest } from "node:https";
import { expect } from "vitest";

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The source address of the request. */
  readonly from?: string;
  /** The certificate of the authority that signed the server's. */
  readonly ca?: string;
}

/** Sends headers and uses addresses that `fetch` does not allow. */
export function visit(
  url: string,
  { method = "GET", headers = {}, body, from, ca }: Sent = {},
): Promise<Page> {
  const send = url.startsWith("https:") ? secureRequest : request;
  const options: SecureOptions = {
    method,
    headers,
    ...(from === undefined ? {} : { localAddress: from, agent: false }),
    // The name in the certificate differs from the header `host`, which a test chooses.
    ...(ca === undefined ? {} : { ca, checkServerIdentity: () => undefined }),
  };
  return new Promise((resolve, reject) => {
    const sent = send(url, options, (res) => {
      let text = "";
      res.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      res.on("end", () => resolve({ status: res.statusCode ?? 0, headers: res.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

interface Heard {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Browser {
  readonly origin: string;
  readonly cookie: string;
  readonly csrf: string;
  /** Returns the answer of an operation; throws if it fails. */
  call(
    id: string,
    input?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Record<string, unknown>>;
  /** `input` is an object, or JSON as text. */
  post(id: string, input?: object | string, headers?: Readonly<Record<string, string>>): Promise<Page>;
  /** Collects events from now on, until `close`. */
  listen(lastEventId?: string): Promise<{ readonly heard: readonly Heard[]; close(): void }>;
}

/** Follows the link. */
export async function enter(link: string): Promise<Browser> {
  const { origin } = new URL(link);
  const entered = await visit(link);
  expect(entered.status).toBe(303);
  const cookie = String(entered.headers["set-cookie"]).split(";")[0] ?? "";
  const session = await visit(`${origin}/api/session`, { headers: { cookie } });
  const { csrf } = JSON.parse(session.text) as { csrf: string };
  const post = (id: string, input: object | string = {}, headers = {}) =>
    visit(`${origin}/api/${id}`, {
      method: "POST",
      headers: { cookie, "x-pml-csrf": csrf, "content-type": "application/json", origin, ...headers },
      body: typeof input === "string" ? input : JSON.stringify(input),
    });
  return {
    origin,
    cookie,
    csrf,
    post,
    async call(id, input, headers) {
      const { status, text } = await post(id, input, headers);
      expect([id, status, status === 200 ? "" : text]).toEqual([id, 200, ""]);
      return JSON.parse(text) as Record<string, unknown>;
    },
    listen: (last) => listenTo(`${origin}/api/events`, { cookie, ...(last && { "last-event-id": last }) }),
  };
}

function listenTo(url: string, headers: Readonly<Record<string, string>>): ReturnType<Browser["listen"]> {
  const heard: Heard[] = [];
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (res) => {
      let rest = "";
      expect(res.statusCode).toBe(200);
      res.setEncoding("utf8").on("data", (chunk: string) => {
        const frames = `${rest}${chunk}`.split("\n\n");
        rest = frames.pop() ?? "";
        for (const frame of frames) {
          const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(frame)?.[1];
          const event = field("event");
          if (event !== undefined)
            heard.push({ id: field("id") ?? "", event, data: JSON.parse(field("data") ?? "{}") });
        }
      });
      res.on("error", () => {});
      resolve({ heard, close: () => void sent.destroy() });
    });
    sent.on("error", reject);
    sent.end();
  });
}
