/**
 * A minimal client of 2025 over HTTP: it sends a token, and returns answers unchanged, including refusals.
 *
 * @module
 */
export interface DoorAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The whole answer, as text. */
  readonly text: string;
}

export class HttpDoorClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;
  #next = 0;

  private constructor(url: string, token: string | undefined) {
    this.#url = url;
    this.#headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
  }

  static async connect(url: string, token?: string): Promise<HttpDoorClient> {
    const client = new HttpDoorClient(url, token);
    await client.#send("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "door", version: "1" },
    });
    return client;
  }

  list(): Promise<DoorAnswer> {
    return this.#send("tools/list", {});
  }

  call(name: string, args: object = {}): Promise<DoorAnswer> {
    return this.#send("tools/call", { name, arguments: args });
  }

  request(method: string, params: object = {}): Promise<DoorAnswer> {
    return this.#send(method, params);
  }

  async #send(method: string, params: object): Promise<DoorAnswer> {
    this.#next += 1;
    const body = JSON.stringify({ jsonrpc: "2.0", id: this.#next, method, params });
    const response = await fetch(this.#url, { method: "POST", headers: this.#headers, body });
    const session = response.headers.get("mcp-session-id");
    if (session !== null) this.#headers["mcp-session-id"] = session;
    const said = await response.text();
    const line = said.split("\n").findLast((one) => one.startsWith("data: {"));
    const text = line === undefined ? said : line.slice("data: ".length);
    return { status: response.status, body: JSON.parse(text || "null"), text };
  }
}
