/**
 * How the gateway introduces itself to clients. `pml serve` says the same while it starts a gateway, so nothing here
 * may depend on the state of a gateway.
 *
 * @module
 */
import { VERSION } from "../base/version.js";
import { namesWithin } from "./own/servers-behind.js";

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

/** The token budget of the instructions minus their fixed text. */
const NAMES_TOKENS = 19;

/** What a client's model is told about the gateway when it connects. */
export function instructions(servers: readonly string[]): string {
  const behind =
    servers.length === 0
      ? "No server is configured behind it yet."
      : `Behind it: ${namesWithin(servers, NAMES_TOKENS)}.`;
  return [
    "PML connects you to several MCP servers and remembers the code that you run with them.",
    behind,
    "Start with pml_discover: it finds tools and capabilities for an intent.",
    "pml_execute runs TypeScript that calls several tools in one go. Code that succeeds becomes a capability, which you call again by name with other arguments.",
    "A listed tool is named mcp__<server>__<tool>. A tool marked unavailable belongs to a server that is reconnecting.",
  ].join(" ");
}
