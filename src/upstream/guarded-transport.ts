import type { Transport } from "@modelcontextprotocol/client";
import { dropReservedMeta } from "../mcp/reserved-meta.js";

/** The transport itself, which hands on every message without what only PML may say. */
export function guardedTransport(transport: Transport): Transport {
  let deliver: Transport["onmessage"];
  return Object.defineProperty(transport, "onmessage", {
    get: () => deliver,
    set(take: Transport["onmessage"]) {
      deliver =
        take === undefined
          ? undefined
          : (message, extra) => {
              dropReservedMeta(message);
              take(message, extra);
            };
    },
  });
}
