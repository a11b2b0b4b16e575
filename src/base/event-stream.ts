/**
 * Publishes events to subscribers, so that the emitter does not know them.
 *
 * `Events` maps each kind of event to its data. Handlers run at once, in the order in which they subscribed, and must
 * be fast. A handler that throws is logged, and does not affect the others.
 *
 * @module
 */
import type { Log } from "./log.js";
import { messageOf } from "./pml-error.js";

/** The interface of emitters. */
export interface Emits<Events> {
  emit<Kind extends keyof Events>(kind: Kind, event: Events[Kind]): void;
}

type Handler = (event: unknown) => void;

export class EventStream<Events> implements Emits<Events> {
  readonly #handlers = new Map<keyof Events, Set<Handler>>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Returns a function that unsubscribes. */
  on<Kind extends keyof Events>(kind: Kind, handle: (event: Events[Kind]) => void): () => void {
    const handlers = this.#handlers.get(kind) ?? new Set();
    this.#handlers.set(kind, handlers);
    const handler: Handler = (event) => handle(event as Events[Kind]);
    handlers.add(handler);
    return () => void handlers.delete(handler);
  }

  emit<Kind extends keyof Events>(kind: Kind, event: Events[Kind]): void {
    for (const handle of this.#handlers.get(kind) ?? []) {
      try {
        handle(event);
      } catch (error) {
        this.#log.error("event.handler_failed", { kind: String(kind), message: messageOf(error) });
      }
    }
  }
}
