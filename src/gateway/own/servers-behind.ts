import type { Parts } from "./parts.js";

const SERVERS_SHOWN = 40;

/** A sentence for the descriptions of the tools to start with: many clients show a model nothing else. */
export function serversBehind(parts: Pick<Parts, "servers">): string {
  const servers = parts.servers.statuses().map(({ name }) => name);
  if (servers.length === 0) return "No server is configured yet.";
  const more = servers.length > SERVERS_SHOWN ? ", …" : "";
  return `Servers: ${servers.slice(0, SERVERS_SHOWN).join(", ")}${more}.`;
}
