import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PmlError } from "../base/pml-error.js";
import { parseServerName, splitToolId, toolId } from "./tool-id.js";

/** `ok`, or the code of the refusal. */
function verdict(name: string): string {
  try {
    expect(parseServerName(name)).toBe(name);
    return "ok";
  } catch (error) {
    return error instanceof PmlError ? error.code : String(error);
  }
}

const serverName = fc
  .stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/)
  .filter((name) => verdict(name) === "ok")
  .map(parseServerName);

describe("parseServerName", () => {
  it.each(["fs", "F", "7zip", "my.server", "my-server_2", "a_", "a_._b", "pmlx", "x".repeat(64)])(
    "takes %s",
    (name) => expect(verdict(name)).toBe("ok"),
  );

  it.each(["", "_fs", "-fs", ".fs", "a b", "a:b", "a__b", "a/b", "é", "fs\n", "\u200bfs", "x".repeat(65)])(
    "refuses %j",
    (name) => expect(verdict(name)).toBe("NAME_INVALID"),
  );

  it.each(["pml", "cap", "mcp", "PML", "Cap", "mCP", "pml-std", "pml-capabilities"])(
    "[WIRE-3, FP-8] refuses %s, which is reserved",
    (name) => expect(verdict(name)).toBe("NAME_INVALID"),
  );

  it("says what would be right", () => {
    expect(() => parseServerName("a__b")).toThrow(
      `Cannot use "a__b" as a server name: expected 1 to 64 letters, digits, '_', '-' or '.', starting with a letter or digit, without '__', and none of pml, cap, mcp`,
    );
  });

  it("answers the text or NAME_INVALID, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(["ok", "NAME_INVALID"]).toContain(verdict(text));
      }),
    );
  });
});

describe("toolId", () => {
  /** `server|tool` in, id out, and back. */
  function check(parts: string, id: string): void {
    const [server = "", ...tool] = parts.split("|");
    const made = toolId(parseServerName(server), tool.join("|"));
    expect(made).toBe(id);
    expect(splitToolId(made)).toEqual({ server, tool: tool.join("|") });
  }

  it("joins with a colon", () => check("fs|read_file", "fs:read_file"));
  it("splits at the first colon only", () => check("fs|a:b:c", "fs:a:b:c"));
  it("keeps a tool that starts with a colon", () => check("fs|:x", "fs::x"));
  it("keeps a tool without a name", () => check("fs|", "fs:"));

  it("[WIRE-3] is undone by splitToolId, whatever the tool is called", () => {
    fc.assert(
      fc.property(serverName, fc.string({ unit: "binary" }), (server, tool) => {
        expect(splitToolId(toolId(server, tool))).toEqual({ server, tool });
      }),
    );
  });

  it("differs for different tools", () => {
    const tool = fc.tuple(serverName, fc.string());
    fc.assert(
      fc.property(tool, tool, (a, b) => {
        expect(toolId(...a) === toolId(...b)).toBe(a[0] === b[0] && a[1] === b[1]);
      }),
    );
  });
});
