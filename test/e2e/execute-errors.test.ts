/** What an agent is told when something is wrong with what it sent: a stable code, the place, and what to do. */
import { describe, expect, it } from "vitest";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

interface Told {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly [key: string]: unknown;
}

describe("an agent that makes mistakes", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");

  async function answer(input: Record<string, unknown>): Promise<Record<string, unknown>> {
    const result = await client().call("pml_execute", { intent: "try something", ...input });
    const content = result.structuredContent as Record<string, unknown>;
    expect(result.isError === true).toBe(content.status === "error");
    return content;
  }

  async function refused(input: Record<string, unknown>): Promise<Told> {
    const { error, status } = await answer(input);
    expect(status, JSON.stringify(input).slice(0, 200)).toBe("error");
    return error as Told;
  }

  async function succeeded(input: Record<string, unknown>): Promise<Record<string, unknown>> {
    const content = await answer(input);
    expect(content.error).toBeUndefined();
    return content;
  }

  async function counted(id: string): Promise<unknown> {
    return ((await client().call("work:seen", { id })).structuredContent as { count: number }).count;
  }

  async function remembered(): Promise<unknown> {
    return ((await client().call("cap_list", {})).structuredContent as { total: number }).total;
  }

  const counts = (id: string) => `await mcp.work.count({ id: "${id}" });\n`;

  it("[AN-1] is told line, column and text of broken code, and nothing runs", async () => {
    const error = await refused({ code: `${counts("broken")}const broken = = 2;\nreturn 1;` });
    expect(error).toMatchObject({ code: "CODE_SYNTAX", line: 2 });
    expect(error.message).toContain("const broken = = 2;");
    expect(await counted("broken")).toBe(0);
  });

  it.each([
    ["a declaration", 'import fs from "node:fs";'],
    ["an expression", 'const fs = await import("node:fs");'],
    ["meta", "return import.meta.url;"],
  ])("[AN-1] is refused import as %s", async (_, code) =>
    expect((await refused({ code: counts("import") + code })).code).toBe("CODE_REFUSED"),
  );

  it("[FP-2] is told what to use instead of fetch", async () => {
    const error = await refused({ code: 'return await fetch("http://127.0.0.1/");' });
    expect(error).toMatchObject({ code: "CODE_REFUSED", line: 1 });
    expect(`${error.message} ${error.hint}`).toMatch(/tool/);
  });

  it("[AN-2] is told the nearest name of an unknown tool, before anything runs", async () => {
    const error = await refused({
      code: `${counts("unknown")}return await mcp.work.raedFile({ path: "a" });`,
    });
    expect(error).toMatchObject({ code: "TOOL_NOT_FOUND", line: 2 });
    expect(`${error.message} ${error.hint}`).toContain("read_file");
    expect(await counted("unknown")).toBe(0);
  });

  it("[AN-2] is told of an unknown capability, in code and by name", async () => {
    expect(await refused({ code: "return await capabilities.no_such_thing({});" })).toMatchObject({
      code: "CAPABILITY_NOT_FOUND",
      message: expect.stringContaining("no_such_thing"),
    });
    expect(await refused({ capability: "no:such" })).toMatchObject({
      code: "CAPABILITY_NOT_FOUND",
      message: "Capability not found: no:such",
    });
    const called = await client().call("cap:no:such", {});
    expect(called).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "CAPABILITY_NOT_FOUND" } },
    });
  });

  it("[ID-3] is told that a name is taken, wherever it is, before anything runs", async () => {
    await succeeded({ code: "return 1;", name: "taken:name" });
    await client().call("cap_rename", { name: "taken:name", new_name: "taken:again" });
    const total = await remembered();
    for (const name of [
      "taken:again",
      "TAKEN:Again",
      "taken:name",
      "work:read_file",
      "work:readFile",
      "cap:x",
      "pml:x",
      "mcp:x",
    ]) {
      const error = await refused({ code: `${counts("taken")}return 2;`, name });
      expect(error.code, name).toBe("NAME_TAKEN");
      expect(error.hint, name).toBeDefined();
    }
    expect((await refused({ code: `${counts("taken")}return 2;`, name: "taken:again" })).message).toBe(
      "Capability name 'taken:again' already exists in scope local.default",
    );
    for (const new_name of ["taken:again", "work:read_file", "pml:x"]) {
      await succeeded({ code: "return 'another';", name: "another:one" });
      const result = await client().call("cap_rename", { name: "another:one", new_name });
      expect(result.structuredContent, new_name).toMatchObject({ error: { code: "NAME_TAKEN" } });
    }
    expect(await counted("taken")).toBe(0);
    expect(await remembered()).toBe((total as number) + 1);
  });

  it.each([
    "a b",
    "fs/read",
    "a::b",
    ":a",
    "a:",
    "é",
    "a@v1",
    "a\nb",
    "x'); DROP TABLE capability_records;--",
  ])("[ID-2] is told that %j is no name", async (name) =>
    expect(await refused({ code: `${counts("badname")}return 1;`, name })).toMatchObject({
      code: "NAME_INVALID",
      message: `Invalid capability name: "${name}". Must be alphanumeric with underscores, hyphens, and colons only.`,
    }),
  );

  it("[EX-5] is told which arguments are wrong, missing and unknown, before anything runs", async () => {
    const code = `${counts("args")}return (await mcp.work.readFile({ path: args.path })).content.length;`;
    await succeeded({ code, args: { path: "a.json" }, name: "args:strict" });
    for (const [args, field] of [
      [{ path: 5 }, "path"],
      [{}, "path"],
      [{ path: "a.json", paht: 1 }, "paht"],
    ] as const) {
      const byName = await refused({ capability: "args:strict", args });
      expect(byName, field).toMatchObject({
        code: "ARGUMENTS_INVALID",
        message: expect.stringContaining(field),
      });
      const asTool = await client().call("mcp__args__strict", args);
      expect(asTool, field).toMatchObject({
        isError: true,
        structuredContent: { error: { code: "ARGUMENTS_INVALID" } },
      });
      const asCode = await refused({ code, args });
      expect(asCode.code, field).toBe("ARGUMENTS_INVALID");
    }
    expect(await counted("args")).toBe(1);
  });

  it("[AN-14] is told the limit of code that is too large, and may send exactly that much", async () => {
    const code = "return 1;";
    const padded = (bytes: number) => `${code}\n//${"p".repeat(bytes - code.length - 3)}`;
    await succeeded({ code: padded(262_144) });
    expect(await refused({ code: padded(262_145) })).toMatchObject({
      code: "LIMIT_EXCEEDED",
      message: expect.stringMatching(/262,?144|256/),
    });
  });

  it.each([
    ["no intent", { intent: undefined, code: "return 1;" }, "intent"],
    ["code that is no text", { code: { toString: "evil" } }, "code"],
    ["two modes", { code: "return 1;", capability: "a:b" }, "capability"],
    ["a timeout of words", { code: "for (;;);", options: { timeout: "for ever" } }, "timeout"],
    ["a timeout that is too long", { code: "return 1;", options: { timeout: 600_001 } }, "timeout"],
    ["an unknown field", { code: "return 1;", optoins: {} }, 'did you mean "options"'],
    ["a name for a capability", { capability: "a:b", name: "c:d" }, "name"],
    ["an update of nothing", { code: "return 1;", options: { update: true } }, "update"],
    ["an update by name alone", { capability: "a:b", options: { update: true } }, "update"],
    ["a version tag of words", { code: "return 1;", options: { version_tag: "newest" } }, "version_tag"],
  ])("is told of %s", async (_, input, field) => {
    const error = await refused(input);
    expect(error).toMatchObject({ code: "ARGUMENTS_INVALID", message: expect.stringContaining(field) });
  });

  it("[EX-4] is told message and line of what its code threw, and nothing is remembered", async () => {
    const total = await remembered();
    const error = await refused({
      code: 'const a = 1;\nthrow new TypeError("no luck today");',
      name: "x:fails",
    });
    expect(error).toMatchObject({ code: "RUN_FAILED", line: 2, name: "TypeError" });
    expect(error.message).toContain("no luck today");
    expect(await remembered()).toBe(total);
    expect((await refused({ capability: "x:fails" })).code).toBe("CAPABILITY_NOT_FOUND");
  });

  it("[FP-1] is told a tool's own error, and can catch it", async () => {
    const error = await refused({ code: '\nreturn await mcp.work.readFile({ path: "none" });' });
    expect(error).toMatchObject({
      code: "TOOL_FAILED",
      tool: "work:read_file",
      line: 2,
      content: [{ type: "text", text: "there is no file none" }],
    });
    const { result } = await succeeded({
      code: "try { await mcp.work.fail({}); } catch (error) { return [error.name, error.message, error.tool]; }",
    });
    expect(result).toEqual(["ToolError", "broken on purpose", "work:fail"]);
  });

  it("[EX-6] is asked before what destroys, and refused it by a computed name, though what says nothing is allowed", async () => {
    const asked = await answer({ code: "return await mcp.work.destroy({});" });
    expect(asked).toMatchObject({ status: "approval_required" });
    expect(
      await refused({ code: "return await mcp.work[args.which]({});", args: { which: "destroy" } }),
    ).toMatchObject({
      code: "APPROVAL_REQUIRED",
      tool: "work:destroy",
      message: expect.stringMatching(/per_layer_validation/),
    });
    expect(await counted("destroyed")).toBe(0);
    expect((await succeeded({ code: "return await mcp.work.unannotated({});" })).result).toBe("ran");
  });

  it("[EX-2] is told which limit was hit and how to raise it, and the next run works", async () => {
    const time = await refused({ code: "for (;;);", options: { timeout: 300 } });
    expect(time).toMatchObject({
      code: "LIMIT_EXCEEDED",
      limit: "time",
      message: expect.stringMatching(/options\.timeout/),
    });
    const output = await refused({ code: 'return "x".repeat(9 * 1024 * 1024);' });
    expect(output).toMatchObject({ code: "LIMIT_EXCEEDED", limit: "output" });
    expect((await succeeded({ code: "return 'still here';" })).result).toBe("still here");
  });

  it("[ID-11] is told that a version does not exist", async () => {
    await succeeded({ code: "return 'v';", name: "my-reader" });
    expect(await refused({ capability: "my-reader@v5" })).toMatchObject({
      code: "VERSION_NOT_FOUND",
      message: "Version v5 not found for my-reader",
    });
  });
});

describe("[EX-6] tools that say nothing, by default", () => {
  const gateway = useGateway("http", { mcpServers: { work: fixture("work") } });
  const client = useClient(gateway, "v2-2025", { can: [] });

  it("are asked about where code calls them, and not where the client itself does", async () => {
    const ran = await client().call("pml_execute", {
      intent: "x",
      code: "return await mcp.work.unannotated({});",
    });
    expect(ran.structuredContent).toMatchObject({
      status: "approval_required",
      approval: { tools: [{ tool: "work:unannotated" }] },
    });
    expect((await client().call("work:unannotated", {})).content).toMatchObject([{ text: "ran" }]);
  });
});
