import type { Parts } from "./parts.js";
import { tokenCost } from "./token-cost.js";

/** Half of the tokens that remain in the budgets of both entry points' descriptions and of all own tools. */
const NAMES_TOKENS = 26;

/** A sentence for the descriptions of the entry points: many clients show a model nothing else. */
export function serversBehind(parts: Pick<Parts, "servers">): string {
  const servers = parts.servers.statuses().map(({ name }) => name);
  return servers.length === 0
    ? "No server is configured yet."
    : `Servers: ${namesWithin(servers, NAMES_TOKENS)}.`;
}

/** The first names that fit into this many tokens, and the number of the others. */
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
