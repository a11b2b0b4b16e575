import { describe, expect, it } from "vitest";
import type { ServerOffer } from "../mcp/real-servers.js";
import { parseServerName } from "../registry/tool-id.js";
import { ResourceAddresses } from "./resource-addresses.js";

/** A line a server, in the order of the configuration: `mail: mail://inbox/1 mail://{+id}`. */
function addresses(text: string): ResourceAddresses {
  const offers = text
    .trim()
    .split("\n")
    .map((line, place): ServerOffer => {
      const [server = "", ...uris] = line.trim().split(/ +/);
      return {
        server: parseServerName(server.replace(/:$/, "")),
        place,
        naming: "prefixed",
        available: true,
        current: true,
        tools: [],
        prompts: [],
        resources: uris.filter((uri) => !uri.includes("{")).map((uri) => ({ uri, name: uri })),
        templates: uris
          .filter((uri) => uri.includes("{"))
          .map((uriTemplate) => ({ uriTemplate, name: uriTemplate })),
      };
    });
  return new ResourceAddresses(offers);
}

/** The server of an address: `mail`, `nobody`, or `mail or evil` if it is ambiguous. */
function check(servers: string, uri: string, expected: string): void {
  let found: string;
  try {
    found = addresses(servers).serverOf(uri) ?? "nobody";
  } catch (error) {
    const { code, data } = error as { code: string; data: { servers: readonly string[] } };
    expect(code).toBe("RESOURCE_AMBIGUOUS");
    found = data.servers.join(" or ");
  }
  expect(found).toBe(expected);
}

describe("[TB-9] a resource address", () => {
  it("belongs to the server that lists it, whatever templates others have", () =>
    check("evil: {+anything} mail://inbox/{id}\nmail: mail://inbox/1", "mail://inbox/1", "mail"));

  it("that two servers list belongs to the first in the configuration, whatever their names", () => {
    const both = "mail: mail://inbox/1\naaa: mail://inbox/1 aaa://x";
    check(both, "mail://inbox/1", "mail");
    const { resources } = addresses(both);
    expect(resources.map(({ uri }) => uri)).toEqual(["mail://inbox/1", "aaa://x"]);
    expect(addresses(both).refused(parseServerName("aaa"))).toEqual([
      'resource mail://inbox/1: it belongs to server "mail", which comes first in the configuration',
    ]);
    expect(addresses(both).refused(parseServerName("mail"))).toEqual([]);
  });

  it("of a template that two servers have belongs to the first in the configuration", () => {
    const both = "mail: mail://{id}\naaa: mail://{id}";
    check(both, "mail://5", "mail");
    expect(addresses(both).serverOfTemplate("mail://{id}")).toBe("mail");
    expect(addresses(both).templates).toHaveLength(1);
    expect(addresses(both).refused(parseServerName("aaa"))).toEqual([
      'template mail://{id}: it belongs to server "mail", which comes first in the configuration',
    ]);
  });

  it.each(["{+anything}", "{scheme}://{+rest}", "mail:{+rest}", "mail://{+rest}", "mail://inbox/{id}"])(
    "is not taken out of a directory in which another server lists: %s",
    (template) => check(`evil: ${template} evil://x\nmail: mail://inbox/1`, "mail://inbox/2", "mail"),
  );

  it("is not taken by a template that is only written more closely", () =>
    check("evil: mail://inbox/1{+rest}\nmail: mail://inbox/1 mail://inbox/{id}", "mail://inbox/12", "mail"));

  it("of a scheme belongs to who lists resources of it, not to a template for all of it", () => {
    check("evil: mail://{+rest}\nmail: mail://inbox/1", "mail://sent/1", "mail");
    check("evil: {+rest}\nmail: mail://inbox/1", "MAIL://sent/1", "mail");
    check("evil: note://{+x}\nnotes: note://one", "note://two", "notes");
  });

  it("belongs to the template whose beginning is most specific", () => {
    check("a: db://{+x}\nb: db://b/{x}", "db://b/1", "b");
    check("a: db://{+x}\nb: db://b/{x}", "db://a/1", "a");
    check("a: {+x}\nb: db://{+x}", "db://a/1", "b");
    check("a: db://a/1\nb: db://b/{x}", "db://b/1", "b");
  });

  it("belongs to no server if two templates fit alike", () => {
    check("a: db://x/{id}\nb: db://x/{+id}", "db://x/1", "a or b");
    check("a: db://x/{id}\nb: db://x/1{+id}", "db://x/12", "a or b");
    check("a: db://x/1 db://x/{id}\nb: db://x/2 db://x/{+id}", "db://x/3", "a or b");
  });

  it("names the servers where it cannot be told", () => {
    expect(() => addresses("a: db://x/{id}\nb: db://x/{+id}").serverOf("db://x/1")).toThrow(
      'Cannot read resource "db://x/1": servers "a" and "b" both offer templates for it',
    );
  });

  it("of a shared scheme belongs to no server because of a file beside it", () => {
    check("a: file:///a/readme\nb: file:///{+path}", "file:///b/x", "b");
    check("a: file:///a/readme\nb: file:///{+path}", "file:///a/x", "a");
    check("a: https://a.example/doc\nb: https://b.example/{x}", "https://b.example/y", "b");
  });

  it("of two servers of the same kind belongs to the one that offers it", () => {
    const both = "work: note://one note://{id}\nhome: note://two note://{id}";
    check(both, "note://two", "home");
    check(both, "note://three", "work");
  });

  it("that fits nothing belongs to the only server with resources, or to none", () => {
    check("a: db://x/1", "other://y", "a");
    check("a: db://x/1\nb:", "other://y", "a");
    check("a: db://x/1\nb: note://one", "other://y", "nobody");
    check("a: db://x/1\nb: db://x/2", "db://x/3", "nobody");
  });

  it.each(["", "x", ":", "//", "note:", "note://", "?#", "note://a?b/c"])("may be %j", (uri) => {
    expect(() => addresses("a: db://x/1\nb: note://one {+x}").serverOf(uri)).not.toThrow();
  });
});
