import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/**
 * Hands messages on so that a response never overtakes the notifications that were sent before it.
 *
 * The SDK handles a response at once and a notification a moment later, and forgets a request's progress handler with
 * its response: progress that arrives in the same read as the result would be lost. So a response behind a
 * notification waits until the event loop comes round, and everything behind it waits with it.
 */
export class OrderedDelivery {
  readonly #deliver: (message: JSONRPCMessage) => void;
  readonly #waiting: JSONRPCMessage[] = [];
  #hadNews = false;

  constructor(deliver: (message: JSONRPCMessage) => void) {
    this.#deliver = deliver;
  }

  take(message: JSONRPCMessage): void {
    const isResponse = !("method" in message);
    if (this.#waiting.length > 0 || (isResponse && this.#hadNews)) {
      this.#waiting.push(message);
      return;
    }
    if (!isResponse && !this.#hadNews) {
      this.#hadNews = true;
      setImmediate(() => this.#release());
    }
    this.#deliver(message);
  }

  #release(): void {
    this.#hadNews = false;
    for (const message of this.#waiting.splice(0)) this.take(message);
  }
}
