import { describe, expect, it } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import * as report from "./cap-report.js";

const deletedText = loosely(report.deletedText);
const listText = loosely(report.listText);
const mergedText = loosely(report.mergedText);
const { recordText } = report;
const forkedText = loosely(report.forkedText);
const renamedText = loosely(report.renamedText);
const verifiedText = loosely(report.verifiedText);
const savedText = loosely(report.savedText);

const row = (name: string, more: object = {}) => ({
  id: "i",
  name,
  description: "Reads\nwith care",
  usage_count: 12,
  success_rate: 0.667,
  ...more,
});

describe("[UX-1] capabilities as a table", () => {
  it("have a line each", () =>
    expect(
      listText(
        { capabilities: [row("fs:read"), row("x", { description: null, success_rate: null })], total: 2 },
        0,
        "capabilities",
        80,
      ),
    ).toBe(
      ["NAME     USED  SUCCESS  DESCRIPTION", "fs:read  12    67 %     Reads", "x        12    –"].join("\n"),
    ));

  it("say where the next page begins", () =>
    expect(listText({ capabilities: [row("a"), row("b")], total: 9 }, 4, "capabilities", 80)).toMatch(
      /\n\n5 to 6 of 9; next: --offset 6$/,
    ));

  it("say that there are none", () => {
    const hint = "12 of these have no name: cap_curate suggests names";
    expect(listText({ capabilities: [row("a")], total: 1, hint }, 0, "capabilities", 80)).toMatch(
      /\n\n12 of these have no name: `pml cap curate` suggests names$/,
    );
    expect(listText({ capabilities: [], total: 0 }, 0)).toBe("No capabilities");
    expect(listText({ capabilities: [], total: 3 }, 5)).toBe(
      "No entry at offset 5: there are 3 capabilities",
    );
  });

  it("show nothing that a terminal would obey", () =>
    expect(listText({ capabilities: [row("a", { description: "\u001b[31mred" })], total: 1 }, 0)).toContain(
      "\\u{1b}[31mred",
    ));
});

describe("[UX-1] a capability", () => {
  it("has a line a field, and its parameters", () =>
    expect(
      recordText({
        display_name: "fs:read",
        success_rate: 1,
        tags: ["a", "b"],
        description: undefined,
        aliases: [],
        warnings: ["w"],
        parameters: {
          type: "object",
          required: ["path"],
          properties: {
            path: { type: "string", description: "Which file" },
            depth: { type: ["integer", "null"], default: 3 },
            any: {},
          },
        },
      }),
    ).toBe(
      [
        "display name  fs:read",
        "success rate  100 %",
        "tags          a, b",
        "",
        "parameters",
        "  path   string         required                Which file",
        "  depth  integer, null  optional, 3 by default",
        "  any    any            optional",
      ].join("\n"),
    ));

  it("[AN-10] names what it calls and what calls it", () =>
    expect(
      recordText({
        display_name: "fs:read",
        dependencies: [
          { name: "fs:open", fqdn: "a.b.fs.open.1234", version: 1 },
          { name: "fs:close", fqdn: "a.b.fs.close.1234", version: 2 },
        ],
        dependents: [],
      }),
    ).toBe(["display name  fs:read", "dependencies  fs:open, fs:close"].join("\n")));

  it("may have no parameters", () =>
    expect(recordText({ fqdn: "a.b.c.d.1234", parameters: { type: "object", properties: {} } })).toBe(
      "fqdn  a.b.c.d.1234",
    ));
});

describe("[UX-1, ID-9] a complete record", () => {
  it("has a line for each field of what is within it, and names other capabilities", () =>
    expect(
      recordText({
        display_name: "fs:read",
        trust: { state: "degraded", missing_tools: ["a:b"], trusted: true },
        provenance: { source: "code", forked_from: { name: "fs:old", fqdn: "a.b.fs.old.1234", version: 1 } },
        dependencies: [
          { name: "fs:open", fqdn: "a.b.fs.open.1234", version: 3, pinned: 2 },
          { name: "fs:gone", fqdn: "a.b.fs.gone.1234", version: 1, deleted_at: "2026-11-16T00:00:00.000Z" },
        ],
      }),
    ).toBe(
      [
        "display name            fs:read",
        "trust state             degraded",
        "trust missing tools     a:b",
        "trust trusted           true",
        "provenance source       code",
        "provenance forked from  fs:old",
        "dependencies            fs:open@2, fs:gone (deleted)",
      ].join("\n"),
    ));

  it("shows nothing that a terminal would obey", () =>
    expect(
      recordText({ trust: { signed_by: "\u001b[2J" }, forked_from: { name: "\u001b[2J", fqdn: "f" } }),
    ).not.toContain("\u001b"));
});

describe("[UX-1, FH-5] what was done, in a line", () => {
  const parameters = { type: "object", required: ["path"], properties: { path: { type: "string" } } };
  const record = { display_name: "fs:read", version: 2, aliases: ["fs:old"], parameters };
  const again = "\n  run it: `pml exec --capability fs:read --arg path=…`";

  it.each([
    ["created", "Saved: fs:read@2"],
    ["known", "Already known: fs:read@2"],
    ["named", "Already known, now named: fs:read@2"],
    ["updated", "Saved as a new version: fs:read@2"],
  ])("[ID-11] %s", (saved, line) => expect(savedText({ ...record, saved })).toBe(`${line}${again}`));

  it.each([
    [{ name: "fs:old", new_name: "fs:read" }, "Renamed fs:old to fs:read; the old name stays as an alias"],
    [{ name: "0b0f9d56", new_name: "fs:read" }, "Renamed 0b0f9d56 to fs:read"],
    [
      { name: "fs:old", new_name: "fs:read", tags: ["a"], cache_policy: "none" },
      "Renamed fs:old to fs:read; the old name stays as an alias; also changed: tags, cache policy",
    ],
    [{ name: "fs:read", description: "x" }, "Changed the description of fs:read"],
  ])("[ID-5] a rename of %j", (asked, line) => expect(renamedText(record, asked as never)).toBe(line));

  it("[ID-13] a fork, and the code that joins what was merged", () => {
    expect(forkedText({ ...record, saved: "created" }, "acme.shared:fs:read")).toBe(
      `Forked acme.shared:fs:read as fs:read@2; the two are independent now${again}`,
    );
    expect(forkedText({ ...record, saved: "known" }, "x")).toBe(`Already known: fs:read@2${again}`);
    expect(mergedText({ ...record, saved: "created", code: "a;\n\nb;\u001b" }, ["a:b", "c:d"])).toBe(
      `Merged a:b and c:d into fs:read@2${again}\n\ncode\n  a;\n\n  b;\\u{1b}`,
    );
  });

  it("[TB-7] what a person vouches for", () => {
    expect(verifiedText({ ...record, trust: "verified" })).toBe("Verified fs:read@2");
    expect(verifiedText({ ...record, trust: "degraded" })).toBe(
      "Verified fs:read@2; it is still degraded: `pml cap whois` says why",
    );
  });

  it("[ID-12] tells until when what was deleted can be brought back", () =>
    expect(deletedText({ ...record, reserved_until: "2026-12-16T01:02:03.004Z" })).toBe(
      "Deleted fs:read; until 2026-12-16 `pml cap undelete fs:read` restores it",
    ));
});

describe("[UX-1, ID-14] servers as a table", () => {
  it("have a line each", () =>
    expect(
      listText(
        {
          capabilities: [
            {
              name: "mcp:fs",
              version: "1.2.0",
              routing: "local",
              visibility: "public",
              description: "Files",
            },
            {
              name: "mcp:sh",
              version: 1,
              routing: "local",
              visibility: "public",
              description: "Shell",
              example: true,
            },
          ],
          total: 2,
        },
        0,
        "servers",
        80,
      ),
    ).toBe(
      "NAME    VERSION  ROUTING  VISIBILITY  DESCRIPTION\nmcp:fs  1.2.0    local    public      Files\nmcp:sh  1        local    public      example: Shell\n\nExamples are records that every installation has; they are not configured here.",
    ));

  it("say that there are none", () =>
    expect(listText({ capabilities: [], total: 0 }, 0, "servers")).toBe("No servers"));
});
