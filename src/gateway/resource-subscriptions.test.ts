import { describe, expect, it } from "vitest";
import { LIMITS } from "../base/limits.js";
import type { RealServers } from "../mcp/real-servers.js";
import type { OfferCatalogue } from "./offer-catalogue.js";
import { ResourceSubscriptions } from "./resource-subscriptions.js";

/** What the servers behind are asked, as text. Resources of server `fs` begin with `fs`. */
function subscriptions() {
  const asked: string[] = [];
  const failing = new Set<string>();
  const ask = (what: string) => async (server: string, uri: string) => {
    asked.push(`${what}${server} ${uri}`);
    if (failing.has(uri)) throw new Error("not today");
  };
  const servers = { subscribe: ask("+"), unsubscribe: ask("-") } as unknown as RealServers;
  const offers = {
    serverOf(uri: string) {
      if (!uri.includes("://")) throw new Error(`no ${uri}`);
      return uri.split("://")[0];
    },
  } as unknown as OfferCatalogue;
  return { subscriptions: new ResourceSubscriptions(servers, offers), asked, failing };
}

describe("[GW-2] ResourceSubscriptions", () => {
  it("asks the server of a resource, and knows who asked", async () => {
    const { subscriptions: wanted, asked } = subscriptions();
    await wanted.subscribe("a", "fs://x");
    expect(asked).toEqual(["+fs fs://x"]);
    expect([wanted.has("a", "fs://x"), wanted.has("b", "fs://x"), wanted.has("a", "fs://y")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("asks once where a client subscribes twice", async () => {
    const { subscriptions: wanted, asked } = subscriptions();
    await wanted.subscribe("a", "fs://x");
    await wanted.subscribe("a", "fs://x");
    expect(asked).toEqual(["+fs fs://x"]);
  });

  it("asks for each client, which the servers count", async () => {
    const { subscriptions: wanted, asked } = subscriptions();
    await wanted.subscribe("a", "fs://x");
    await wanted.subscribe("b", "fs://x");
    await wanted.unsubscribe("a", "fs://x");
    expect(asked).toEqual(["+fs fs://x", "+fs fs://x", "-fs fs://x"]);
    expect(wanted.has("b", "fs://x")).toBe(true);
  });

  it("passes over an unsubscription of what was not subscribed", async () => {
    const { subscriptions: wanted, asked } = subscriptions();
    await wanted.unsubscribe("a", "fs://x");
    await wanted.subscribe("a", "fs://x");
    await wanted.unsubscribe("a", "fs://x");
    await wanted.unsubscribe("a", "fs://x");
    expect(asked).toEqual(["+fs fs://x", "-fs fs://x"]);
  });

  it("ends everything of a client that leaves, its listening streams too, and nothing of others", async () => {
    const { subscriptions: wanted, asked } = subscriptions();
    await wanted.subscribe("a", "fs://x");
    await wanted.subscribe("a#7", "git://y");
    await wanted.subscribe("ab", "fs://z");
    asked.length = 0;
    await wanted.drop("a");
    expect(asked).toEqual(["-fs fs://x", "-git git://y"]);
    expect(wanted.has("ab", "fs://z")).toBe(true);
    await wanted.drop("a");
    expect(asked).toHaveLength(2);
  });

  it("ends one listening stream alone", async () => {
    const { subscriptions: wanted, asked } = subscriptions();
    await wanted.subscribe("a#1", "fs://x");
    await wanted.subscribe("a#12", "fs://y");
    asked.length = 0;
    await wanted.drop("a#1");
    expect(asked).toEqual(["-fs fs://x"]);
  });

  it("ends the rest where a server fails to end one", async () => {
    const { subscriptions: wanted, asked, failing } = subscriptions();
    await wanted.subscribe("a", "fs://x");
    await wanted.subscribe("a", "fs://y");
    failing.add("fs://x");
    await wanted.drop("a");
    expect(asked.slice(2)).toEqual(["-fs fs://x", "-fs fs://y"]);
  });

  it("[TB-8] bounds what one client has over all its streams, and leaves others alone", async () => {
    const { subscriptions: wanted } = subscriptions();
    const over = { code: "LIMIT_EXCEEDED", message: expect.stringContaining("clientSubscriptions") };
    for (let n = 0; n < LIMITS.clientSubscriptions - 2; n += 1)
      await wanted.subscribe("c1", `fs://${n}`, "c");
    expect(() => wanted.open("c2#1", "c", 2)).toThrow(expect.objectContaining(over));
    wanted.open("c2#1", "c", 1);
    await wanted.subscribe("c2#1", "fs://x", "c");
    await expect(wanted.subscribe("c3", "fs://y", "c")).rejects.toMatchObject(over);
    await wanted.subscribe("d", "fs://y");
    await wanted.drop("c2");
    await wanted.subscribe("c3", "fs://y", "c");
    await wanted.unsubscribe("c1", "fs://0");
    wanted.open("c4#1", "c", 1);
    for (const connection of ["c1", "c3", "c4"]) await wanted.drop(connection);
    wanted.open("c5#1", "c", LIMITS.clientSubscriptions - 1);
  });

  it("fails for a resource that no server has, and asks no server", async () => {
    const { subscriptions: wanted, asked } = subscriptions();
    await expect(wanted.subscribe("a", "nowhere")).rejects.toThrow("no nowhere");
    expect(wanted.has("a", "nowhere")).toBe(false);
    expect(asked).toEqual([]);
  });
});
