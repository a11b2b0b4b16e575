import type { Client } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Log } from "../base/log.js";
import { OfferReader } from "./offer-reader.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function following() {
  let readings = 0;
  const logged: unknown[] = [];
  const request = async ({ method }: { readonly method: string }) => {
    if (method !== "tools/list") return {};
    readings += 1;
    // A tool that is left out, with another reason each time.
    return { tools: [{ name: `t${readings}\u200b`, inputSchema: { type: "object" } }] };
  };
  const client = { request, getServerCapabilities: () => ({ tools: {} }) } as unknown as Client;
  const log = { warn: (_event: string, fields: unknown) => logged.push(fields) } as unknown as Log;
  const reader = new OfferReader("mail", () => {}, log);
  reader.follow(client);
  return { reader, readings: () => readings, logged };
}

describe("[TB-8, TB-9] OfferReader, a server that never stops changing", () => {
  it("reads it some times at once, and then once a second", async () => {
    const { reader, readings } = following();
    for (let ms = 0; ms < 30_000; ms += 10) {
      reader.changed("tools");
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(readings()).toBeGreaterThan(30);
    expect(readings()).toBeLessThanOrEqual(55);
  });

  it("reads the last change of a flood", async () => {
    const { reader, readings } = following();
    for (let n = 0; n < 1_000; n += 1) {
      reader.changed("tools");
      if (n % 10 === 0) await vi.advanceTimersByTimeAsync(10);
    }
    const before = readings();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(readings()).toBe(before + 1);
  });

  it("logs each reason once, and not without end", async () => {
    const { reader, logged } = following();
    for (let second = 0; second < 200; second += 1) {
      reader.changed("tools");
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(logged).toHaveLength(50);
  });
});
