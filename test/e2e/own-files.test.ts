/** An agent with a filesystem server on the project reaches for PML's own files: a person is asked, each time. */
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { errorOf, execute } from "../support/agent.js";
import { type TestGateway, useClient, useGateway } from "../support/test-gateway.js";

const require = createRequire(import.meta.url);
const FILESYSTEM = dirname(require.resolve("@modelcontextprotocol/server-filesystem/package.json"));
const RULES = "defaults: { approvalMode: hil }\n";
/** By the rules of this gateway everything may happen unasked, but for what the server calls destructive. */
const CONFIG = {
  mcpServers: { files: { command: process.execPath, args: [join(FILESYSTEM, "dist/index.js"), "."] } },
  approvals: { unannotated: "auto" },
};

const PATHS = ["pml.json", "mcp-permissions.yaml", "data/installation-key.pem", "innocent.txt", "notes/x"];

function prepare({ directory, dataDir }: TestGateway): void {
  writeFileSync(join(directory, "plain.txt"), "plain");
  symlinkSync(join(directory, "pml.json"), join(directory, "innocent.txt"));
  symlinkSync(dataDir, join(directory, "notes"));
}

describe("[TB-5] PML's own files", () => {
  const gateway = useGateway("background", CONFIG);
  const client = useClient(gateway, "v2-2025");
  let config = "";
  beforeAll(() => {
    prepare(gateway());
    config = readFileSync(gateway().config, "utf8");
  });
  beforeEach(() => client().answerWith(() => ({ action: "accept", content: { decision: "no" } })));
  const asked = async (work: () => Promise<unknown>): Promise<string> => {
    const before = client().questions.length;
    await work();
    expect(client().questions.length).toBeGreaterThan(before);
    return client().questions.at(-1) ?? "";
  };
  const unasked = async (work: () => Promise<unknown>): Promise<void> => {
    const before = client().questions.length;
    await work();
    expect(client().questions.length).toBe(before);
  };
  const read = (path: string) =>
    `return (await mcp.files.read_text_file({ path: ${JSON.stringify(path)} })).content;`;

  it("other files are read unasked", async () => {
    await unasked(async () => {
      const direct = await client().call("files:read_text_file", { path: "plain.txt" });
      expect(direct.structuredContent).toEqual({ content: "plain" });
      expect(await execute(client(), { code: read("plain.txt") })).toMatchObject({ result: "plain" });
    });
  });

  it.each(PATHS)("a client that reads %s itself is asked", async (path) => {
    const question = await asked(async () => {
      const result = await client().call("files:read_text_file", { path });
      expect(errorOf(result)).toMatchObject({ code: "APPROVAL_REJECTED" });
    });
    expect(question).toContain(`its arguments name ${JSON.stringify(path)}, one of PML's own files`);
  });

  it.each(PATHS)("a client that writes %s itself is asked", async (path) => {
    await asked(async () => {
      const result = await client().call("files:write_file", { path, content: RULES });
      expect(errorOf(result)).toMatchObject({ code: "APPROVAL_REJECTED" });
    });
    expect(readFileSync(gateway().config, "utf8")).toBe(config);
  });

  it("a person may say yes, for that one call", async () => {
    client().answerWith(() => ({ action: "accept", content: { decision: "once" } }));
    for (let round = 0; round < 2; round += 1)
      await asked(async () => {
        const result = await client().call("files:read_text_file", { path: "pml.json" });
        expect(result.structuredContent).toEqual({ content: config });
      });
  });

  it.each(PATHS)("code that names %s is asked about", async (path) => {
    const question = await asked(async () => {
      const { error } = await execute(client(), { code: read(path) });
      expect(error).toMatchObject({ code: "APPROVAL_REJECTED" });
    });
    expect(question).toContain(JSON.stringify({ path }).slice(1, -1));
  });

  it("code that gets the path as an argument is asked about, and so is a capability, and what calls it", async () => {
    const code = "return (await mcp.files.read_text_file({ path: args.path })).content;";
    await unasked(async () => {
      const first = await execute(client(), { code, args: { path: "plain.txt" }, name: "own:read" });
      expect(first).toMatchObject({ status: "success", result: "plain" });
    });
    for (const input of [
      { code, args: { path: "pml.json" } },
      { capability: "own:read", args: { path: "pml.json" } },
      { code: 'return await mcp.own.read({ path: "pml.json" });' },
    ])
      await asked(async () => {
        expect((await execute(client(), input)).error).toMatchObject({ code: "APPROVAL_REJECTED" });
      });
    await asked(() => client().call("own:read", { path: "pml.json" }));
  });

  it("code that computes the path is refused at the call, and asked about with per_layer_validation", async () => {
    const code =
      'const name = ["pml", "json"].join("."); return (await mcp.files.read_text_file({ path: name })).content;';
    await unasked(async () => {
      const { error } = await execute(client(), { code });
      expect(error).toMatchObject({
        message: expect.stringContaining(
          'files:read_text_file was not called: its arguments name "pml.json", one of PML\'s own files',
        ),
      });
      expect(JSON.stringify(error)).toContain("per_layer_validation");
    });
    const layered = { code, options: { per_layer_validation: true } };
    const question = await asked(async () => {
      expect((await execute(client(), layered)).error).toMatchObject({ code: "APPROVAL_REJECTED" });
    });
    expect(question).toContain('"path":"pml.json"');
    client().answerWith(() => ({ action: "accept", content: { decision: "once" } }));
    // What a person let a run read is kept for no other run.
    for (let round = 0; round < 2; round += 1)
      await asked(async () => {
        expect(await execute(client(), layered)).toMatchObject({ status: "success", result: config });
      });
    await unasked(async () => {
      expect((await execute(client(), { code })).status).toBe("error");
    });
  });

  it("a yes to a path that is not known covers none of PML's own files", async () => {
    const code =
      'const target = args.parts.join("."); await mcp.files.write_file({ path: target, content: "written" });';
    client().answerWith(() => ({ action: "accept", content: { decision: "once" } }));
    const fine = await execute(client(), { code, args: { parts: ["fine", "txt"] } });
    expect(fine.status).toBe("success");
    expect(readFileSync(join(gateway().directory, "fine.txt"), "utf8")).toBe("written");
    for (const parts of [
      ["pml", "json"],
      ["innocent", "txt"],
    ]) {
      const { error } = await execute(client(), { code, args: { parts } });
      expect(error?.message).toContain("does not cover this call with these arguments");
    }
    expect(readFileSync(gateway().config, "utf8")).toBe(config);
  });

  it("a yes to a path that is shown covers it, with content that is computed, and nothing else", async () => {
    const code = `const content = ["a", "b"].join("");
      await mcp.files.write_file({ path: "mcp-permissions.yaml", content });
      try { await mcp.files.write_file({ path: ["pml", "json"].join("."), content }); } catch (error) { return error.code; }`;
    client().answerWith(() => ({ action: "accept", content: { decision: "once" } }));
    expect(await execute(client(), { code })).toMatchObject({
      status: "success",
      result: "APPROVAL_REQUIRED",
    });
    const written = join(gateway().directory, "mcp-permissions.yaml");
    expect(readFileSync(written, "utf8")).toBe("ab");
    rmSync(written);
    expect(readFileSync(gateway().config, "utf8")).toBe(config);
  });

  it("always does not cover them", async () => {
    client().answerWith(() => ({ action: "accept", content: { decision: "always" } }));
    const write = (path: string) => ({
      code: `await mcp.files.write_file({ path: ${JSON.stringify(path)}, content: "x" });`,
    });
    await asked(() => execute(client(), write("one.txt")));
    await unasked(() => execute(client(), write("two.txt")));
    client().answerWith(() => ({ action: "accept", content: { decision: "no" } }));
    for (const path of ["pml.json", "mcp-permissions.yaml", "innocent.txt", "notes/x"]) {
      await asked(() => client().call("files:write_file", { path, content: "x" }));
      await asked(() => execute(client(), write(path)));
      const computed = `await mcp.files.write_file({ path: ${JSON.stringify([...path])}.join(""), content: "x" });`;
      expect((await execute(client(), { code: computed })).status).toBe("error");
    }
    // Always, said to one of them, is once.
    client().answerWith(() => ({ action: "accept", content: { decision: "always" } }));
    for (let round = 0; round < 2; round += 1)
      await asked(() => client().call("files:read_text_file", { path: "pml.json" }));
    const { standing } = JSON.parse(await gateway().pml("approve", "--list", "--json")) as {
      standing: readonly { tool: string }[];
    };
    expect(standing.map(({ tool }) => tool)).toEqual(["files:write_file"]);
    expect(readFileSync(gateway().config, "utf8")).toBe(config);
  });

  it("a server that was given their directory is told by pml doctor", async () => {
    const { findings } = JSON.parse(await gateway().pml("doctor", "--json")) as {
      findings: readonly { part: string; state: string; detail: string }[];
    };
    expect(findings).toContainEqual(
      expect.objectContaining({
        part: "server files",
        state: "warning",
        detail: expect.stringContaining("which contains PML's own files"),
      }),
    );
  });
});
