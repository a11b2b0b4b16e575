import { describe, expect, it } from "vitest";
import { parseServerName, type ServerName, type ToolId, toolId } from "../../registry/tool-id.js";
import type { KnownTool } from "../ports/tool-box.js";
import { ToolIndex } from "./tool-index.js";

function known(text: string): KnownTool {
  const at = text.indexOf(":");
  const server = parseServerName(text.slice(0, at));
  const name = text.slice(at + 1);
  return {
    id: toolId(server, name),
    server,
    name,
    inputSchema: {},
    hash: "",
    transport: "stdio",
    trusted: true,
  };
}

/** Of PML itself. */
function operation(id: string): KnownTool {
  const [server = "", name = ""] = id.split(":");
  return { ...known(`x:${name}`), id: id as ToolId, server: server as ServerName, operation: "reads" };
}

/** Tools in, path in, id or nothing out. */
function check(tools: string, path: string, expected: string | undefined, operations = ""): void {
  const own = operations.split(" ").filter(Boolean).map(operation);
  const index = new ToolIndex([...own, ...tools.split(" ").map(known)]);
  expect(index.find(path.split("|"))?.id).toBe(expected);
}

describe("[AN-2] ToolIndex", () => {
  it("finds by server and tool", () => check("fs:read_file", "fs|read_file", "fs:read_file"));
  it("finds by id", () => check("fs:read_file", "fs:read_file", "fs:read_file"));
  it("takes camelCase for snake_case", () => check("fs:read_file", "fs|readFile", "fs:read_file"));
  it("takes snake_case for kebab-case", () => check("my-fs:read-file", "my_fs|read_file", "my-fs:read-file"));
  it("takes snake_case for camelCase, in an id too", () =>
    check("fs:readFile", "fs:read_file", "fs:readFile"));
  it("takes an underscore for a dot", () => check("my.fs:read", "my_fs|read", "my.fs:read"));
  it("prefers the exact one", () => check("fs:read_file fs:readFile", "fs|readFile", "fs:readFile"));
  it("answers none of two that differ in spelling only", () =>
    check("fs:read_file fs:readFile", "fs|read-file", undefined));
  it("splits an id at its first colon", () => check("fs:a:b", "fs:a:b", "fs:a:b"));
  it("does not mistake one server's tool for another's", () => check("a:bc", "ab|c", undefined));
  it("has nothing for a server alone", () => check("fs:read", "fs", undefined));
  it("has nothing for three parts", () => check("fs:read", "fs|read|x", undefined));
  it("has nothing for names of Object.prototype", () => {
    check("fs:read", "__proto__|constructor", undefined);
    check("fs:read", "constructor:constructor", undefined);
  });
});

describe("[LP-3] [TB-6] ToolIndex, with operations of PML and a server that is called nearly the same", () => {
  const own = "cap:lookup pml:get_task_result";
  const like = "c-a-p:look_up c-a-p:verify";
  it("finds an operation, however it is spelt", () => {
    check(like, "cap|lookup", "cap:lookup", own);
    check(like, "cap|lookUp", "cap:lookup", own);
    check(like, "pml|getTaskResult", "pml:get_task_result", own);
  });
  it("finds the server by its exact name", () => check(like, "c-a-p|look_up", "c-a-p:look_up", own));
  it("takes no other name for the server's", () => {
    check(like, "cap|verify", undefined, own);
    check(like, "C_A_P|verify", undefined, own);
  });

  it("guesses a tool's name alone to be a server's, and an operation's by its whole name", () => {
    const index = new ToolIndex([operation("cap:list"), known("fs:list")]);
    const readings = (path: string) => index.readings([path]).map(({ id }) => id);
    expect(readings("list")).toEqual(["fs:list"]);
    expect(readings("cap_list")).toEqual(["cap:list"]);
  });
});
