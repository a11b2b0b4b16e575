import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

/** What nobody misses. */
const DROPPABLE: ReadonlySet<string> = new Set([
  "notifications/message",
  "notifications/progress",
  "notifications/resources/updated",
]);

interface NewsEvents {
  /** The first message is dropped. */
  behind(): void;
  /** The client reads again; so many were dropped. */
  dropped(count: number): void;
}

/** Has a transport drop news for a client while it does not read (`isBehind`): they would wait in memory. */
export function boundNews(
  transport: Pick<Transport, "send">,
  isBehind: () => boolean,
  events: NewsEvents,
): void {
  const send = transport.send.bind(transport);
  let dropped = 0;
  transport.send = (message: JSONRPCMessage, options) => {
    const isLate = isBehind();
    if (isLate && "method" in message && DROPPABLE.has(message.method)) {
      dropped += 1;
      if (dropped === 1) events.behind();
      return Promise.resolve();
    }
    if (dropped > 0 && !isLate) {
      events.dropped(dropped);
      dropped = 0;
    }
    return send(message, options);
  };
}
