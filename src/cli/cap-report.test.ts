import { describe, expect, it } from "vitest";
import { listText, recordText } from "./cap-report.js";

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
        80,
      ),
    ).toBe(
      ["NAME     USED  SUCCESS  DESCRIPTION", "fs:read  12    67 %     Reads", "x        12    –"].join("\n"),
    ));

  it("say where the next page begins", () =>
    expect(listText({ capabilities: [row("a"), row("b")], total: 9 }, 4, 80)).toMatch(
      /\n\n5 to 6 of 9; next: --offset 6$/,
    ));

  it("say that there are none", () => {
    expect(listText({ capabilities: [], total: 0 }, 0)).toBe("No capabilities");
    expect(listText({ capabilities: [], total: 3 }, 5)).toBe("Nothing from 5 on: there are 3 capabilities");
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
