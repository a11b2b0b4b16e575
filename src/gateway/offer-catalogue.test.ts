import { describe, expect, it } from "vitest";
import type { RealServers, ServerOffer } from "../mcp/real-servers.js";
import { parseServerName } from "../registry/tool-id.js";
import { OfferCatalogue } from "./offer-catalogue.js";

/** `fs:a,b mine*:c` are prompts of two servers, the second by bare names. */
function catalogue(text: string): OfferCatalogue {
  const offers = text.split(" ").map((word, place): ServerOffer => {
    const [server = "", names = ""] = word.split(":");
    return {
      server: parseServerName(server.replace("*", "")),
      place,
      naming: server.includes("*") ? "bare" : "prefixed",
      available: true,
      current: true,
      tools: [],
      prompts: names.split(",").map((name) => ({ name })),
      resources: names.split(",").map((name) => ({ name, uri: `x://${name}` })),
      templates: [],
    };
  });
  return new OfferCatalogue({ offers: () => offers } as unknown as RealServers);
}

function check(given: string, expected: string): void {
  expect(
    catalogue(given)
      .prompts()
      .map(({ listed }) => listed.name)
      .join(" "),
  ).toBe(expected);
}

describe("OfferCatalogue, prompts", () => {
  it("[WIRE-2] are listed behind their server's name, in order", () =>
    check("git:log fs:read", "fs__read git__log"));
  it("[WIRE-2] are listed by their own names where the server says so", () => check("mine*:read", "read"));
  it("[WIRE-3] of a bare server do not take the names of another server's", () =>
    check("aaa*:github__review github:review", "aaa__github__review github__review"));
  it("[WIRE-3] of a bare server may have two underscores that claim nothing", () =>
    check("mine*:to__do fs:read", "fs__read to__do"));

  it("belong to the server that has them", () => {
    expect(catalogue("aaa*:github__review github:review").prompt("github__review").server).toBe("github");
  });

  it("are not found by other names, and the nearest is offered", () => {
    expect(() => catalogue("github:review").prompt("github__revew")).toThrow(
      expect.objectContaining({ code: "PROMPT_NOT_FOUND", hint: 'Did you mean "github__review"?' }),
    );
  });
});

describe("OfferCatalogue, resources", () => {
  it("that two servers offer are listed once, and belong to the first of them", () => {
    const both = catalogue("b:doc a:doc");
    expect(both.resources().map(({ uri }) => uri)).toEqual(["x://doc"]);
    expect(both.serverOf("x://doc")).toBe("b");
  });
});
