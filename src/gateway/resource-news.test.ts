import { describe, expect, it, vi } from "vitest";
import { parseServerName } from "../registry/tool-id.js";
import { ResourceNews } from "./resource-subscriptions.js";

function news(wanted: string) {
  const told: string[] = [];
  const target = { resourceUpdated: (uri: string) => told.push(uri) };
  const subscriptions = {
    isWanted: (server: string, uri: string) => wanted.split(" ").includes(`${server}=${uri}`),
  };
  const connections = { tell: (what: (to: never) => void) => what(target as never) };
  const relay = new ResourceNews(subscriptions, connections);
  return { updated: (server: string, uri: string) => relay.updated(parseServerName(server), uri), told };
}

describe("[TB-9] ResourceNews", () => {
  it("passes on what the server of a subscribed resource says, and nothing of another server", () => {
    const { updated, told } = news("mail=mail://1");
    updated("evil", "mail://1");
    updated("mail", "mail://2");
    expect(told).toEqual([]);
    updated("mail", "mail://1");
    expect(told).toEqual(["mail://1"]);
  });

  it("[TB-8] passes on a flood as 20 a second, the last included", () => {
    vi.useFakeTimers();
    try {
      const { updated, told } = news("mail=mail://1");
      for (let i = 0; i < 10_000; i += 1) updated("mail", "mail://1");
      expect(told).toHaveLength(20);
      vi.advanceTimersByTime(10_000);
      expect(told).toHaveLength(21);
    } finally {
      vi.useRealTimers();
    }
  });
});
