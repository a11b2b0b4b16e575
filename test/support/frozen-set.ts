import { readFileSync } from "node:fs";
import type { MatchableTool } from "../../src/discovery/matchable.js";
import { type ServerName, toolId } from "../../src/registry/tool-id.js";

export interface FrozenQuery {
  readonly language: "en" | "fr";
  readonly query: string;
  readonly relevant: readonly string[];
}

interface FrozenSet {
  readonly tools: readonly {
    readonly server: string;
    readonly name: string;
    readonly description: string;
    readonly parameters: readonly string[];
  }[];
  readonly queries: readonly FrozenQuery[];
}

/** A set that was written for this project. It is never changed to improve the result of a ranking. */
export function frozenTools(name = "frozen-set"): {
  readonly tools: readonly MatchableTool[];
  readonly queries: readonly FrozenQuery[];
} {
  const file = new URL(`../fixtures/retrieval/${name}.json`, import.meta.url);
  const { tools, queries } = JSON.parse(readFileSync(file, "utf8")) as FrozenSet;
  return {
    queries,
    tools: tools.map(({ server, name: tool, description, parameters }) => ({
      id: toolId(server as ServerName, tool),
      description,
      hash: `${server}:${tool}`,
      inputSchema: { type: "object", properties: Object.fromEntries(parameters.map((one) => [one, {}])) },
    })),
  };
}
