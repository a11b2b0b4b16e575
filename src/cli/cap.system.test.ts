import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchDirectory } from "../../test/support/databases.js";
import { ACTIONS } from "./cap.js";
import type { Values } from "./command-line.js";
import type { Stdin } from "./stdin.js";

const directory = scratchDirectory();
const file = (text: string): string => {
  const path = join(directory, "code.ts");
  writeFileSync(path, text);
  return path;
};
const stdin = (text: string): Stdin => ({ isTerminal: false, read: () => text });
const NOTHING: Stdin = { isTerminal: true, read: () => "" };

const input = (action: string, names: readonly string[], values: Values = {}, from = NOTHING): unknown => {
  try {
    return ACTIONS[action as keyof typeof ACTIONS].read("cap", names, values, from);
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`;
  }
};

describe("[UX-1] what pml cap asks of the gateway", () => {
  it("saves the code of a file, or of stdin", () => {
    const values = { intent: "i", name: "a:b", tag: "v1.2.0", summary: "s", routing: "cloud" };
    const asked = { intent: "i", name: "a:b", version_tag: "v1.2.0", change_summary: "s", routing: "cloud" };
    expect(input("save", [file("return 1;")], values)).toEqual({ ...asked, code: "return 1;" });
    expect(input("save", ["-"], { intent: "i" }, stdin("\uFEFFreturn 2;"))).toEqual({
      intent: "i",
      code: "return 2;",
    });
  });

  it("takes the comment that the code begins with for its intent", () =>
    expect(input("save", [file("// Give one\nreturn 1;")])).toEqual({
      intent: "Give one",
      code: "// Give one\nreturn 1;",
    }));

  it("[EX-9] saves a graph, or a tool with arguments that need not be given", () => {
    const tasks = [{ id: "a", tool: "t:x" }];
    expect(input("save", [], { intent: "i", dag: file(JSON.stringify({ tasks })) })).toEqual({
      intent: "i",
      source: { type: "dag", tasks },
    });
    expect(input("save", [], { intent: "i", tool: "t:x", args: '{"a":1}', arg: ["b=text"] })).toEqual({
      intent: "i",
      source: { type: "tool", tool: "t:x", arguments: { a: 1, b: "text" } },
    });
  });

  it("merges as many as there are", () =>
    expect(input("merge", ["a:b", "c:d@v1", "e:f"], { name: "g:h", code: "-" }, stdin("return 3;"))).toEqual({
      sources: ["a:b", "c:d@v1", "e:f"],
      name: "g:h",
      code: "return 3;",
    }));

  it("[ID-9] lists by every filter that the tool has", () =>
    expect(
      input("list", ["fs:*"], {
        "created-by": "ada@*",
        visibility: "org",
        tag: "v1.*",
        type: "mcp-server",
        sort: "name",
        limit: "3",
      }),
    ).toEqual({
      pattern: "fs:*",
      created_by: "ada@*",
      visibility: "org",
      version_tag: "v1.*",
      type: "mcp-server",
      sort_by: "name",
      limit: 3,
    }));

  it("[ID-9] sets and takes away how long a result may be used again", () => {
    expect(input("rename", ["a:b"], { ttl: "60", "cache-policy": "memoize" })).toEqual({
      name: "a:b",
      cache_policy: "memoize",
      ttl: 60,
    });
    expect(input("rename", ["a:b"], { ttl: "none" })).toEqual({ name: "a:b", ttl: null });
  });

  it("[ID-12] brings back what was deleted", () =>
    expect(input("undelete", ["a:b"])).toEqual({ name: "a:b", undelete: true }));

  it.each([
    ["save", ["-"], { intent: "i" }, "The code is missing: expected FILE, or - and code on stdin"],
    ["save", [], { intent: "i" }, "The code is missing: expected FILE, --dag FILE or --tool SERVER:TOOL"],
    ["save", ["a.ts"], { tool: "t:x" }, "Expected one of FILE and --tool, found both"],
    ["save", ["-"], { arg: ["a=1"] }, "--args and --arg need --tool: they are its default arguments"],
    [
      "save",
      [],
      { tool: "t:x" },
      "The intent is missing: expected --intent TEXT, or a comment at the start of the code",
    ],
    ["save", ["/none/such"], { intent: "i" }, 'Cannot read "/none/such": there is no such file'],
    ["merge", ["a:b"], {}, "The name is missing: expected --name NAME"],
    ["list", [], { type: "server" }, '--type is "server": expected capability or mcp-server'],
    ["rename", ["a:b"], { ttl: "-1" }, '--ttl is "-1": expected a number from 0 to 2000000000'],
    ["history", ["a:b"], { limit: "0" }, '--limit is "0": expected a number from 1 to 200'],
  ])("%s %j %j is wrong usage", (action, names, values, message) =>
    expect(input(action, names, values)).toBe(`USAGE: ${message}`),
  );

  it("wants to know what code is for, and that it is code", () => {
    expect(input("save", [file("return 1;")])).toMatch(/^USAGE: The intent is missing:/);
    expect(input("save", ["-"], { intent: "i" }, stdin(" \n"))).toBe(
      "USAGE: Cannot save stdin: it holds no code",
    );
  });
});
