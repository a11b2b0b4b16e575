/**
 * What stands between: a load balancer in front of the gateways, and a wire to the database that can be cut or go silent.
 */
import { once } from "node:events";
import { Agent, createServer as createHttpServer, request as httpRequest } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";

/** How long a gateway may take for an answer; one that is stopped would keep its clients for ever. */
const ANSWER_MS = 30_000;
const HEALTH_MS = 500;

/**
 * Passes each request to the next gateway that is up, without looking at who sends it. Only requests of a 2025 session
 * go to the gateway that has the session. A request that may have reached a gateway is never sent again.
 */
export class Balancer {
  #next = 0;
  #sessions = new Map();
  #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  #incoming = new Set();
  /** Gateways that get requests: `{ url, isUp }`. */
  targets = [];

  async start() {
    this.server = createHttpServer((req, res) => void this.#pass(req, res));
    this.server.on("connection", (socket) => {
      this.#incoming.add(socket);
      socket.on("close", () => this.#incoming.delete(socket));
    });
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.url = `http://127.0.0.1:${this.server.address().port}/mcp`;
    this.health = setInterval(() => {
      for (const target of this.targets) this.#look(target);
    }, HEALTH_MS);
  }

  /** Every connection of a client ends now, also with requests under way. */
  cutClients() {
    for (const socket of this.#incoming) socket.destroy();
  }

  async close() {
    clearInterval(this.health);
    this.cutClients();
    this.#agent.destroy();
    this.server.close();
  }

  #look(target) {
    if (target.url === undefined) return;
    const probe = httpRequest(new URL("/healthz", target.url), { timeout: 2_000 }, (answer) => {
      answer.resume();
      target.isUp = answer.statusCode === 200;
    });
    probe.on("timeout", () => probe.destroy(new Error("no answer")));
    probe.on("error", () => {
      target.isUp = false;
    });
    probe.end();
  }

  async #pass(req, res) {
    const chunks = [];
    res.on("error", () => {});
    req.on("error", () => {});
    for await (const chunk of req.iterator({ destroyOnReturn: false })) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const owner = this.#sessions.get(req.headers["mcp-session-id"]);
    // A session's gateway may be down.
    const candidates = owner === undefined ? this.#inTurn() : [owner].filter(({ url }) => url !== undefined);
    for (const target of candidates) {
      if (await this.#send(target, req, res, body)) return;
    }
    if (!res.headersSent) res.writeHead(503);
    res.end();
  }

  #inTurn() {
    const up = this.targets.filter(({ isUp, url }) => isUp && url !== undefined);
    this.#next += 1;
    return up.map((_, index) => up[(this.#next + index) % up.length]);
  }

  /** Whether this is over: false where the gateway cannot have read anything. */
  #send(target, req, res, body) {
    return new Promise((resolve) => {
      const to = new URL(req.url ?? "/", target.url);
      const { connection: _, ...headers } = req.headers;
      const out = httpRequest(to, { method: req.method, headers, agent: this.#agent }, (answer) => {
        clearTimeout(timer);
        const session = answer.headers["mcp-session-id"];
        if (session !== undefined) this.#sessions.set(session, target);
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
        answer.on("error", () => res.destroy());
        answer.on("close", () => resolve(true));
      });
      const timer = setTimeout(() => out.destroy(new Error("no answer in time")), ANSWER_MS);
      // A stream that a client listens to is silent for as long as there is no news.
      if (req.method === "GET") clearTimeout(timer);
      out.on("error", (error) => {
        clearTimeout(timer);
        if (error.code === "ECONNREFUSED") {
          target.isUp = false;
          resolve(false);
          return;
        }
        if (res.headersSent) res.destroy();
        else res.writeHead(502).end();
        resolve(true);
      });
      res.on("close", () => out.destroy());
      out.end(body);
    });
  }
}

/** A wire from one gateway to the database. */
export class Wire {
  #pairs = new Set();
  #isSilent = false;

  constructor(port) {
    this.toPort = port;
  }

  async start() {
    this.server = createTcpServer((near) => {
      const far = connect(this.toPort, "127.0.0.1");
      const pair = [near, far];
      this.#pairs.add(pair);
      const end = () => {
        for (const socket of pair) socket.destroy();
        this.#pairs.delete(pair);
      };
      for (const socket of pair) {
        socket.setNoDelay(true);
        socket.on("error", end);
        socket.on("close", end);
      }
      near.pipe(far);
      far.pipe(near);
      if (this.#isSilent) for (const socket of pair) socket.pause();
    });
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.port = this.server.address().port;
  }

  cut() {
    for (const [near] of this.#pairs) near.destroy();
  }

  /** Nothing passes any more, without an error: like a network that loses every packet. */
  silence(isSilent) {
    this.#isSilent = isSilent;
    for (const [near, far] of this.#pairs) {
      if (isSilent) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      } else {
        near.pipe(far);
        far.pipe(near);
      }
    }
  }

  close() {
    this.cut();
    this.server.close();
  }
}
