import type { Client } from "@modelcontextprotocol/client";
import type { LogMessage } from "../mcp/real-servers.js";
import { anyResult } from "./any-result.js";

/** The log level that a server is set to, again after each reconnection. */
export class ServerLogLevel {
  #level: LogMessage["level"] | undefined;

  set(level: LogMessage["level"], client: Client | undefined): void {
    this.#level = level;
    if (client !== undefined) this.renew(client);
  }

  renew(client: Client): void {
    if (this.#level === undefined || client.getProtocolEra() === "modern") return;
    if (client.getServerCapabilities()?.logging === undefined) return;
    client.request({ method: "logging/setLevel", params: { level: this.#level } }, anyResult).catch(() => {});
  }
}
