/**
 * The clients that are connected now, of either era and over any transport, and how they get notifications.
 *
 * @module
 */
import { LIMITS } from "../base/limits.js";
import type { LogMessage, OfferKind } from "../mcp/real-servers.js";
import { listKey, type View } from "./session.js";

/** A receiver of notifications: a connection, or all listening streams of the stateless HTTP leg together. */
export interface NewsTarget {
  /** The id of the connection; the lists that were sent to it are remembered under this id. */
  readonly id: string;
  readonly view: View;
  /** Whether a client listens now; default: always while the target exists. */
  isHeard?(): boolean;
  /** Resolves when it is sent. */
  listChanged(kind: OfferKind): Promise<void> | void;
  resourceUpdated(uri: string): void;
  logged(message: LogMessage): void;
}

/** Returns the current list of a view: the same object as long as it has the same content. */
export type ListFor = (kind: OfferKind, view: View) => Promise<unknown>;

export class ClientConnections {
  readonly #targets = new Map<string, NewsTarget>();
  /** For each connection, the last list of each kind that it was sent or told to fetch. */
  readonly #sent = new Map<string, Map<OfferKind, unknown>>();
  /** The kinds whose list a connection was really sent, not only notified of. */
  readonly #fetched = new Map<string, Set<OfferKind>>();
  /** The list of each client when the current burst of changes began. */
  readonly #before = new Map<OfferKind, Map<string, unknown>>();

  /** Adds a target; returns a function that removes it. */
  add(target: NewsTarget): () => void {
    this.#targets.set(target.id, target);
    return () => {
      if (this.#targets.get(target.id) === target) this.#targets.delete(target.id);
      this.#sent.delete(target.id);
      this.#fetched.delete(target.id);
    };
  }

  /** Notes that a connection was sent `list`. */
  noteSent(id: string, kind: OfferKind, list: unknown): void {
    if (!this.#targets.has(id)) return;
    this.#fetched.set(id, (this.#fetched.get(id) ?? new Set()).add(kind));
    this.#note(id, kind, list);
  }

  #note(id: string, kind: OfferKind, list: unknown): void {
    if (!this.#targets.has(id)) return;
    const sent = this.#sent.get(id) ?? new Map<OfferKind, unknown>();
    this.#sent.set(id, sent.set(kind, list));
  }

  /** Whether a connected client was sent the list of this view. */
  hasList(kind: OfferKind, wanted: View): boolean {
    const key = listKey(wanted);
    for (const [id, target] of this.#targets) {
      const { view } = target;
      const isOne = view.exposure === wanted.exposure && listKey(view) === key;
      if (isOne && this.#fetched.get(id)?.has(kind) === true && target.isHeard?.() !== false) return true;
    }
    return false;
  }

  /** A burst of changes begins: at its end, new lists are compared with the lists that clients have now. */
  changing(kind: OfferKind): void {
    if (this.#before.has(kind)) return;
    const before = new Map<string, unknown>();
    for (const [id, sent] of this.#sent) if (sent.has(kind)) before.set(id, sent.get(kind));
    this.#before.set(kind, before);
  }

  /**
   * Notifies the clients whose list differs from the one before the burst, even if they have fetched it in the
   * meantime: their own parts may wait for the notification. A client that had no list before and already has the new
   * one is not notified.
   */
  async announce(kind: OfferKind, listFor: ListFor): Promise<void> {
    const before = this.#before.get(kind);
    this.#before.delete(kind);
    for (const target of [...this.#targets.values()]) {
      const list = await listFor(kind, target.view);
      const sent = this.#sent.get(target.id)?.get(kind);
      if ((before?.get(target.id) ?? sent) === list) continue;
      this.#note(target.id, kind, list);
      void target.listChanged(kind);
    }
  }

  /**
   * Notifies one target at once if its list changed in this burst. At the end of the burst it is notified only about
   * later changes.
   */
  async tellNow(id: string, kind: OfferKind, listFor: ListFor, tell?: () => Promise<void>): Promise<void> {
    const target = this.#targets.get(id);
    if (target === undefined) return;
    const list = await listFor(kind, target.view);
    const before = this.#before.get(kind);
    if ((before?.get(id) ?? this.#sent.get(id)?.get(kind)) === list) return;
    before?.set(id, list);
    this.#note(id, kind, list);
    await (tell === undefined ? target.listChanged(kind) : tell());
  }

  tell(what: (target: NewsTarget) => void): void {
    for (const target of this.#targets.values()) what(target);
  }
}

/**
 * Tells clients that a list has changed: once per burst of changes, and only clients whose own list has
 * changed.
 */
export class Announcer {
  readonly #connections: ClientConnections;
  readonly #listFor: ListFor;
  readonly #pending = new Set<OfferKind>();
  #timer: NodeJS.Timeout | undefined;
  #announcing: Promise<void> | undefined;
  #held = 0;
  #isStopped = false;

  constructor(connections: ClientConnections, listFor: ListFor) {
    this.#connections = connections;
    this.#listFor = listFor;
  }

  changed(kinds: readonly OfferKind[]): void {
    for (const kind of kinds) {
      this.#pending.add(kind);
      this.#connections.changing(kind);
    }
    if (this.#held > 0) return;
    this.#timer ??= setTimeout(() => {
      this.#announcing = this.#announce();
    }, LIMITS.burstMs);
  }

  /** All changes until `done` is settled are one burst, announced then. */
  hold(done: Promise<unknown>): void {
    this.#held += 1;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const release = () => {
      this.#held -= 1;
      if (this.#held === 0 && !this.#isStopped) this.#announcing = this.#announce();
    };
    done.then(release, release);
  }

  /**
   * Sends pending announcements to one client at once, before the answer to the call that may have caused them. It is
   * not notified again at the end of the burst. `tell` replaces its usual channel.
   */
  async tellNow(id: string, tell?: () => Promise<void>): Promise<void> {
    await this.#announcing;
    if (!this.#pending.has("tools")) return;
    // A list that cannot be made now is announced later.
    await this.#connections.tellNow(id, "tools", this.#listFor, tell).catch(() => {});
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  async #announce(): Promise<void> {
    this.#timer = undefined;
    const kinds = [...this.#pending];
    this.#pending.clear();
    for (const kind of kinds) {
      try {
        await this.#connections.announce(kind, this.#listFor);
      } catch {
        // The list cannot be made now; a client that asks for it gets the error.
        this.changed([kind]);
      }
    }
  }
}
