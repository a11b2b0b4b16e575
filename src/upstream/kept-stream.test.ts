import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../base/limits.js";
import { KeptStream } from "./kept-stream.js";

/** A server that ends streams and refuses them as it is told to. */
function stream() {
  const told: string[] = [];
  const refusals: Error[] = [];
  let end: (by: "local" | "graceful" | "remote") => void = () => {};
  const client = {
    transport: {} as unknown,
    async listen() {
      const refusal = refusals.shift();
      told.push(refusal === undefined ? "listening" : "refused");
      if (refusal !== undefined) throw refusal;
      const closed = new Promise((resolve) => {
        end = resolve;
      });
      return { close: async () => end("local"), closed };
    },
  };
  const kept = new KeptStream(
    client as unknown as Client,
    { toolsListChanged: true },
    { resumed: () => told.push("resumed"), trouble: (error) => told.push(error.message) },
  );
  const ends = async (by: "local" | "graceful" | "remote") => {
    end(by);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { client, kept, told, refusals, ends };
}

describe("[GW-2] KeptStream", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each(["remote", "graceful"] as const)("listens again after a pause when it ends (%s)", async (by) => {
    const { kept, told, ends } = stream();
    await kept.open();
    await ends(by);
    await vi.advanceTimersByTimeAsync(LIMITS.reconnectFirstMs - 1);
    expect(told).toEqual(["listening"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toEqual(["listening", "listening", "resumed"]);
  });

  it("waits longer each time for a server that ends every stream at once", async () => {
    const { kept, told, ends } = stream();
    await kept.open();
    await ends("remote");
    await vi.advanceTimersByTimeAsync(LIMITS.reconnectFirstMs);
    await ends("remote");
    await vi.advanceTimersByTimeAsync(LIMITS.reconnectFirstMs * 2 - 1);
    expect(told.filter((what) => what === "listening")).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(told.filter((what) => what === "listening")).toHaveLength(3);
  });

  it("tries until it is let in again", async () => {
    const { kept, told, refusals, ends } = stream();
    await kept.open();
    refusals.push(new Error("busy"), new Error("still busy"));
    await ends("remote");
    await vi.advanceTimersByTimeAsync(LIMITS.reconnectFirstMs * 7);
    expect(told).toEqual(["listening", "refused", "busy", "refused", "still busy", "listening", "resumed"]);
  });

  it("asks no more of a server that does not know the method", async () => {
    const { kept, told, refusals } = stream();
    refusals.push(new ProtocolError(-32601, "Method not found"));
    kept.openLater();
    await vi.advanceTimersByTimeAsync(LIMITS.reconnectMostMs * 10);
    expect(told).toEqual(["refused", "Method not found"]);
  });

  it.each(["closed", "connection"])("ends for good with its owner or its connection (%s)", async (what) => {
    const { client, kept, told, ends } = stream();
    await kept.open();
    if (what === "closed") await kept.close();
    else {
      client.transport = undefined;
      await ends("remote");
    }
    await vi.advanceTimersByTimeAsync(LIMITS.reconnectMostMs * 10);
    expect(told).toEqual(["listening"]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
