/**
 * Learns the shape of results of tools without an output schema, from results that pass through.
 *
 * A result is examined after it was sent, and only some are: the first few of a tool, and then one in many. The learnt
 * shape is kept in memory, and written to the store when it changes.
 *
 * @module
 */

import type { CallToolResult } from "@modelcontextprotocol/server";
import { BackgroundWriter } from "../base/background-writer.js";
import type { Json } from "../base/canonical-json.js";
import { keepNewest } from "../base/keep-newest.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { toolValue } from "../execution/run/tool-value.js";
import {
  isSampled,
  merge,
  OBSERVED_TEXT_CHARS,
  type ObservedSchema,
  observe,
} from "../registry/observed-schema.js";
import type { ServerName, ToolId } from "../registry/tool-id.js";
import type { ToolPin, ToolStore } from "../registry/tool-store.js";
import type { CatalogueEntry } from "./tool-catalogue.js";
import { toolResultOf } from "./tool-result.js";

/** The number of remembered tools; beyond it, the tools learnt first are forgotten until they are used again. */
const TOOLS_KEPT = 2_000;

type RealEntry = Pick<Extract<CatalogueEntry, { kind: "real" }>, "id" | "server" | "tool" | "hash">;

interface Observation {
  readonly server: ServerName;
  readonly name: string;
  /** The hash of the tool object: another object counts as another tool. */
  readonly hash: string;
  results: number;
  schema: ObservedSchema | undefined;
  /** Whether the store may lack a part of the schema. */
  isNew: boolean;
}

export class ToolObservations {
  readonly #store: Pick<ToolStore, "learnOutput">;
  readonly #log: Log;
  readonly #tools = new Map<ToolId, Observation>();
  readonly #writer: BackgroundWriter;

  constructor(store: Pick<ToolStore, "learnOutput">, log: Log) {
    this.#store = store;
    this.#log = log;
    this.#writer = new BackgroundWriter({
      write: () => this.#write(),
      failed: (error) => log.warn("observations.not_written", { message: messageOf(error) }),
    });
  }

  /** Examines a result of a tool. */
  see({ id, server, tool, hash }: RealEntry, result: CallToolResult): void {
    if (tool.outputSchema !== undefined) return;
    const observation = this.#of(id, server, tool.name, hash);
    observation.results += 1;
    if (!isSampled(observation.results)) return;
    setImmediate(() => this.#look(observation, result));
  }

  /** Takes over the shape that the store has. */
  know(id: ToolId, { server, name, currentHash, observedOutput }: ToolPin): void {
    if (observedOutput === undefined) return;
    const observation = this.#of(id, server, name, currentHash);
    const { schema } = observation;
    observation.schema = schema === undefined ? observedOutput : merge(schema, observedOutput);
  }

  /** The observed shape of the tool's results. */
  outputOf(id: ToolId, hash: string): Json | undefined {
    const observation = this.#tools.get(id);
    return observation?.hash === hash ? (observation.schema as Json | undefined) : undefined;
  }

  /** Writes what the store lacks; resolves when that is written or has failed. */
  flush(): Promise<void> {
    return this.#writer.flush();
  }

  #of(id: ToolId, server: ServerName, name: string, hash: string): Observation {
    const known = this.#tools.get(id);
    if (known?.hash === hash) return known;
    const fresh = { server, name, hash, results: 0, schema: undefined, isNew: false };
    keepNewest(this.#tools, id, fresh, TOOLS_KEPT);
    return fresh;
  }

  #look(observation: Observation, result: CallToolResult): void {
    try {
      if (result.structuredContent === undefined && isLong(result.content)) return;
      const seen = observe(toolValue(toolResultOf(result)));
      const { schema } = observation;
      const all = schema === undefined ? seen : merge(schema, seen);
      if (schema !== undefined && JSON.stringify(all) === JSON.stringify(schema)) return;
      observation.schema = all;
      observation.isNew = true;
      this.#writer.plan();
    } catch (error) {
      // Servers may send anything, and no request waits for this.
      this.#log.warn("observations.unreadable", { server: observation.server, message: messageOf(error) });
    }
  }

  async #write(): Promise<void> {
    for (const observation of this.#tools.values()) {
      const { server, name, hash, schema } = observation;
      if (!observation.isNew || schema === undefined) continue;
      observation.isNew = false;
      try {
        // Undefined if the store does not have the tool yet: then the shape is written with the next change.
        const all = await this.#store.learnOutput(server, { name, hash }, schema);
        if (all === undefined) observation.isNew = true;
        else observation.schema = merge(observation.schema ?? all, all);
      } catch (error) {
        observation.isNew = true;
        throw error;
      }
    }
  }
}

function isLong(content: CallToolResult["content"] | undefined): boolean {
  return (content ?? []).some(
    (block) => block?.type === "text" && String(block.text).length > OBSERVED_TEXT_CHARS,
  );
}
