import type { Client } from "@modelcontextprotocol/client";
import type { LogMessage } from "../mcp/real-servers.js";
import { anyResult } from "./any-result.js";

/** The level of log messages that a server is asked for, also after it was connected to again. */
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
