import type { Parts } from "./parts.js";
import { tokenCost } from "./token-cost.js";

/** Half of what the descriptions of both entry points, and all of our own tools, leave of their budgets. */
const NAMES_TOKENS = 26;

/** A sentence for the descriptions of the tools to start with: many clients show a model nothing else. */
export function serversBehind(parts: Pick<Parts, "servers">): string {
  const servers = parts.servers.statuses().map(({ name }) => name);
  return servers.length === 0
    ? "No server is configured yet."
    : `Servers: ${namesWithin(servers, NAMES_TOKENS)}.`;
}

/** The first names that fit into so many tokens, and how many others there are. */
export function namesWithin(names: readonly string[], tokens: number): string {
  let left = tokens;
  const shown = names.filter((name) => {
    const cost = tokenCost(`, ${name}`);
    if (cost > left) return false;
    left -= cost;
    return true;
  });
  const others = names.length - shown.length;
  if (shown.length === 0) return `${others} servers`;
  return `${shown.join(", ")}${others === 0 ? "" : ` and ${others} more`}`;
}
