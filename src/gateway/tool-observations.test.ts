import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import type { Json } from "../base/canonical-json.js";
import { type Log, silentLog } from "../base/log.js";
import { merge, type ObservedSchema, observe } from "../registry/observed-schema.js";
import { parseServerName, toolId } from "../registry/tool-id.js";
import type { ToolPin, ToolStore } from "../registry/tool-store.js";
import { ToolObservations } from "./tool-observations.js";

const server = parseServerName("fs");
const id = toolId(server, "read");

/** A tool that gives results; what is known of them, and what was written. */
function watching(declared?: Tool["outputSchema"]) {
  const tool: Tool = {
    name: "read",
    inputSchema: { type: "object" },
    ...(declared === undefined ? {} : { outputSchema: declared }),
  };
  const written: string[] = [];
  const warnings: string[] = [];
  let stored: ObservedSchema | undefined;
  let failures = 0;
  let isPinned = true;
  const store: Pick<ToolStore, "learnOutput"> = {
    async learnOutput(_server, { name, hash }, seen) {
      if (failures > 0) {
        failures -= 1;
        throw new Error("away");
      }
      if (!isPinned) return undefined;
      stored = stored === undefined ? seen : merge(stored, seen);
      written.push(`${name}=${hash}: ${Object.keys(seen.properties ?? {}).join(" ")}`);
      return stored;
    },
  };
  const log: Log = { ...silentLog, warn: (event) => void warnings.push(event) };
  const observations = new ToolObservations(store, log);
  const gives = async (result: Omit<CallToolResult, "content"> & { content?: unknown }, hash = "1") => {
    observations.see({ id, server, tool, hash }, result as CallToolResult);
    await new Promise((resolve) => setImmediate(resolve));
  };
  const structured = (value: Json, hash?: string) =>
    gives({ content: [], structuredContent: value as Record<string, unknown> }, hash);
  return {
    observations,
    written,
    warnings,
    gives,
    structured,
    known: (hash = "1") => observations.outputOf(id, hash),
    away(times: number) {
      failures = times;
    },
    pinned(is: boolean) {
      isPinned = is;
    },
    hold(schema: ObservedSchema) {
      stored = schema;
    },
  };
}

describe("[AN-5] ToolObservations", () => {
  it("learn from what code is given: structured content, else the parsed text, else the text", async () => {
    const { gives, structured, known } = watching();
    expect(known()).toBe(undefined);
    await structured({ a: 1 });
    expect(known()).toEqual(observe({ a: 1 }));
    await gives({ content: [{ type: "text", text: '{"b": true}' }] });
    expect(known()).toEqual(merge(observe({ a: 1 }), observe({ b: true })));
    await gives({ content: [{ type: "text", text: "plain" }] });
    expect(known()).toMatchObject({ type: ["object", "string"] });
  });

  it("learn nothing where the server declares what its tool gives", async () => {
    const { structured, known } = watching({ type: "object" });
    await structured({ a: 1 });
    expect(known()).toBe(undefined);
  });

  it("do not look before the answer has gone", () => {
    const { structured, known } = watching();
    const looked = structured({ a: 1 });
    expect(known()).toBe(undefined);
    return looked;
  });

  it("look at the first 20 results, and at every 50th", async () => {
    const { structured, known } = watching();
    const fields = () => Object.keys((known() as unknown as ObservedSchema).properties ?? {});
    for (let result = 1; result <= 100; result += 1)
      await structured({ [`f${[1, 20, 21, 49, 50, 51, 100].includes(result) ? result : ""}`]: 1 });
    expect(fields()).toEqual(["f", "f1", "f100", "f20", "f50"]);
  });

  it("write what changed, together, and nothing that did not", async () => {
    const { observations, structured, written } = watching();
    await structured({ a: 1 });
    await structured({ b: 1 });
    await observations.flush();
    expect(written).toEqual(["read=1: a b"]);
    await structured({ a: 2 });
    await observations.flush();
    expect(written).toHaveLength(1);
  });

  it("take over what others have written", async () => {
    const { observations, structured, known, hold } = watching();
    hold(observe({ z: 1 }));
    await structured({ a: 1 });
    await observations.flush();
    expect(known()).toEqual(merge(observe({ z: 1 }), observe({ a: 1 })));
  });

  it("begin with what the store has", async () => {
    const { observations, structured, known, written } = watching();
    const pin = { server, name: "read", currentHash: "1" } as ToolPin;
    observations.know(id, pin);
    expect(known()).toBe(undefined);
    observations.know(id, { ...pin, observedOutput: observe({ a: 1 }) });
    expect(known()).toEqual(observe({ a: 1 }));
    await structured({ a: 3 });
    await observations.flush();
    expect(written).toEqual([]);
  });

  it("forget a tool that became another one", async () => {
    const { structured, known } = watching();
    await structured({ a: 1 });
    await structured({ b: 1 }, "2");
    expect(known("1")).toBe(undefined);
    expect(known("2")).toEqual(observe({ b: 1 }));
  });

  it("write later what could not be written, and what had no pin yet", async () => {
    const { observations, structured, written, warnings, away, pinned } = watching();
    away(1);
    await structured({ a: 1 });
    await observations.flush();
    expect([written, warnings]).toEqual([[], ["observations.not_written"]]);
    pinned(false);
    await observations.flush();
    expect(written).toEqual([]);
    pinned(true);
    await observations.flush();
    expect(written).toEqual(["read=1: a"]);
  });

  it("do not parse what is very long, and survive what is no result at all", async () => {
    const { gives, known, warnings } = watching();
    await gives({ content: [{ type: "text", text: `["${"x".repeat(300_000)}"]` }] });
    expect(known()).toBe(undefined);
    await gives({ content: 7 });
    expect(known()).toBe(undefined);
    expect(warnings).toEqual(["observations.unreadable"]);
    await gives({ content: [null, { type: "text" }] });
    expect(known()).toMatchObject({ type: "array" });
  });
});
