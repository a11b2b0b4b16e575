/**
 * What the gateway says of itself. `pml serve` says the same while it starts a gateway, so nothing here may depend on
 * the state of one.
 *
 * @module
 */
import { VERSION } from "../base/version.js";

export const SERVER_INFO = {
  name: "pml",
  title: "PML, the Procedural Memory Layer",
  version: VERSION,
} as const;

export const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
} as const;

/** What a client's model is told about the gateway when it connects. */
export function instructions(servers: readonly string[]): string {
  const behind =
    servers.length === 0 ? "No server is configured behind it yet." : `Behind it: ${servers.join(", ")}.`;
  return [
    "PML is a gateway: one connection to several MCP servers, and a memory of the code that used them.",
    behind,
    "Start with pml_discover: it finds the tools and capabilities that match an intent, with their parameters.",
    "pml_execute runs TypeScript that calls their tools, several in one run; code that succeeds is saved as a capability, to call again by name with other arguments.",
    "A tool of a server is called mcp__<server>__<tool>; the id <server>:<tool> works as well.",
    "A tool whose description says that it is unavailable belongs to a server that is being reconnected.",
  ].join(" ");
}
