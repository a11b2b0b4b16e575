/**
 * `GET /api/events`: the feed as server-sent events. Events of a short time are written together to all listeners. A
 * listener that does not read is disconnected. When it returns, it gets the events that it missed, or is told to
 * reload.
 *
 * @module
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { LIMITS } from "../base/limits.js";
import { PmlError } from "../base/pml-error.js";
import type { Scope } from "../registry/scope.js";
import type { EventFeed, FeedEvent } from "./event-feed.js";
import { SAFE_HEADERS } from "./page-file.js";

const FLUSH_MS = 50;
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;

interface Stream {
  readonly res: ServerResponse;
  readonly scope: Scope;
  /** Whether its session still exists. */
  readonly isOpen: () => boolean;
}

export class EventStreams {
  readonly #feed: EventFeed;
  readonly #ids = new HiddenIds();
  readonly #streams = new Set<Stream>();
  readonly #onCount: () => void;
  readonly #stopListening: () => void;
  #waiting: FeedEvent[] = [];
  #flush: NodeJS.Timeout | undefined;
  #heartbeat: NodeJS.Timeout | undefined;

  /** `onCount` is called when their number changes. */
  constructor(feed: EventFeed, onCount: () => void) {
    this.#feed = feed;
    this.#onCount = onCount;
    this.#stopListening = feed.listen((event) => this.#add(event));
  }

  get count(): number {
    return this.#streams.size;
  }

  /** Throws `LIMIT_EXCEEDED` if there are too many. */
  open(req: IncomingMessage, res: ServerResponse, scope: Scope, isOpen: () => boolean): void {
    if (this.#streams.size >= LIMITS.dashboardStreams)
      throw new PmlError(
        "LIMIT_EXCEEDED",
        `Cannot open another event stream: ${this.#streams.size} are open, the limit of dashboardStreams`,
        { hint: "Close pages of the dashboard that are not needed." },
      );
    // The client has disconnected while its token was checked, and would never be removed.
    if (res.destroyed) return;
    this.#flushNow();
    res.writeHead(200, { ...SAFE_HEADERS, "content-type": "text/event-stream", "x-accel-buffering": "no" });
    const last = req.headers["last-event-id"];
    const seen = last === undefined ? this.#feed.last : this.#ids.read(String(last));
    const missed = seen === undefined ? undefined : this.#feed.since(seen);
    const first =
      missed === undefined
        ? this.#frame({ id: this.#feed.last, kind: "resync", dataFor: () => ({}) }, scope)
        : missed.map((event) => this.#frame(event, scope)).join("");
    res.write(`retry: ${RETRY_MS}\nid: ${this.#ids.shown(this.#feed.last)}\n\n${first}`);
    const stream = { res, scope, isOpen };
    this.#streams.add(stream);
    res.once("close", () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) clearInterval(this.#heartbeat);
      this.#onCount();
    });
    if (this.#streams.size === 1) this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
    this.#onCount();
  }

  close(): void {
    this.#stopListening();
    clearTimeout(this.#flush);
    clearInterval(this.#heartbeat);
    for (const { res } of this.#streams) res.end();
  }

  #add(event: FeedEvent): void {
    if (this.#streams.size === 0) return;
    this.#waiting.push(event);
    this.#flush ??= setTimeout(() => this.#flushNow(), FLUSH_MS).unref();
  }

  #flushNow(): void {
    clearTimeout(this.#flush);
    this.#flush = undefined;
    const events = this.#waiting;
    this.#waiting = [];
    if (events.length === 0) return;
    const texts = new Map<string, string>();
    for (const stream of this.#streams) {
      const { org, project, user } = stream.scope;
      const viewer = `${org}/${project}/${user}`;
      const text = texts.get(viewer) ?? events.map((event) => this.#frame(event, stream.scope)).join("");
      texts.set(viewer, text);
      if (text !== "") this.#write(stream, text);
    }
  }

  #beat(): void {
    for (const stream of this.#streams) this.#write(stream, ":\n\n");
  }

  #frame({ id, kind, dataFor }: FeedEvent, scope: Scope): string {
    const data = dataFor(scope);
    if (data === undefined) return "";
    return `id: ${this.#ids.shown(id)}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
  }

  #write({ res, isOpen }: Stream, text: string): void {
    if (res.writableLength > LIMITS.dashboardBufferBytes || !isOpen()) res.destroy();
    else res.write(text);
  }
}

/** Encrypts ids for viewers. Plain numbers would reveal how many events others had in between. */
class HiddenIds {
  readonly #key = randomBytes(16);

  shown(id: number): string {
    const block = Buffer.alloc(16);
    block.writeBigUInt64BE(BigInt(id), 8);
    const cipher = createCipheriv("aes-128-ecb", this.#key, null).setAutoPadding(false);
    return cipher.update(block).toString("base64url");
  }

  /** Undefined if PML did not create it. */
  read(text: string): number | undefined {
    const block = Buffer.from(text.slice(0, 100), "base64url");
    if (block.length !== 16) return undefined;
    const read = createDecipheriv("aes-128-ecb", this.#key, null).setAutoPadding(false).update(block);
    return read.readBigUInt64BE(0) === 0n ? Number(read.readBigUInt64BE(8)) : undefined;
  }
}
