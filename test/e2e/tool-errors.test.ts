/**
 * Errors that PML makes for tools of servers, as clients show them that check structured content against the tool's
 * output schema: after a listing the SDKs do, and with them the frameworks that are built on them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, errorOf, fails, succeeds } from "../support/agent.js";
import { CLIENTS } from "../support/test-client.js";
import { useGateway } from "../support/test-gateway.js";

const FILESYSTEM = dirname(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/server-filesystem/package.json"),
);

const PERMISSIONS = "servers: { filesystem: { tools: { write_file: { approvalMode: hil } } } }\n";
const WRITE = { path: "new.txt", content: "hello" };
const WRITE_FILE = "mcp__filesystem__write_file";

describe("[FP-15] errors of a tool with an output schema", () => {
  const gateway = useGateway("background", {
    mcpServers: {
      filesystem: { command: process.execPath, args: [join(FILESYSTEM, "dist/index.js"), "."] },
    },
    approvals: { scripted: true },
  });
  beforeAll(() => writeFileSync(join(gateway().directory, "mcp-permissions.yaml"), PERMISSIONS));

  describe.each(CLIENTS)("$client", ({ kind }) => {
    it("shows code, message and hint of wrong arguments", async () => {
      const client = await gateway().connect(kind);
      await client.tools();
      const result = await client.call("mcp__filesystem__read_text_file", { pth: "a.txt" });
      expect(result).not.toHaveProperty("structuredContent");
      expect(result).toMatchObject({
        isError: true,
        content: [{ type: "text", text: expect.stringMatching(/^ARGUMENTS_INVALID: .*"?path"?/) }],
        _meta: { "pml/error": { code: "ARGUMENTS_INVALID" } },
      });
    });

    it("shows the workflowId of a call that waits for approval, with which the run goes on", async () => {
      const client = await gateway().connect(kind, { can: [] });
      await client.tools();
      const waits = await client.call(WRITE_FILE, { ...WRITE, content: kind });
      expect(waits).not.toHaveProperty("structuredContent");
      const workflowId = errorOf(waits)?.workflowId;
      expect(waits.content).toEqual([
        {
          type: "text",
          text: expect.stringMatching(new RegExp(`^APPROVAL_REQUIRED: [^]*\\nworkflowId: ${workflowId}$`)),
        },
      ]);
      expect(waits._meta).toMatchObject({ "pml/run": { workflowId } });

      await gateway().pml("approve", String(workflowId));
      // A run that continues has its intent already.
      await ask(client, "pml_execute", { resume: workflowId });
      expect(readFileSync(join(gateway().directory, WRITE.path), "utf8")).toBe(kind);
    });

    it("says which fields of pml_execute are required", async () => {
      const client = await gateway().connect(kind);
      expect(errorOf(await client.call("pml_execute", { code: "return 1;" }))).toMatchObject({
        code: "ARGUMENTS_INVALID",
        message: "Cannot call pml_execute: intent is missing",
        hint: expect.stringMatching(/^Required: intent; optional: code, capability, args, name, /),
      });
    });

    it("[WIRE-3, FP-21] keeps structured errors of PML's own tools, with all fields side by side", async () => {
      const client = await gateway().connect(kind);
      for (const { name, outputSchema } of await client.tools())
        if (/^(pml|cap)_/.test(name)) expect(outputSchema, name).toBeUndefined();
      await succeeds(client, { code: `return "one ${kind}";`, name: `one:${kind}` });
      const missing = await client.call("cap_lookup", { name: `one:${kind}s` });
      expect(missing.structuredContent).toMatchObject({
        error: { code: "CAPABILITY_NOT_FOUND", nearest: expect.arrayContaining([`one:${kind}`]) },
      });
    });

    it("[ID-3] says which capability has a name", async () => {
      const client = await gateway().connect(kind);
      const name = `held:by_${kind.replace("-", "_")}`;
      await succeeds(client, { code: `return "${kind}";`, name });
      expect(await fails(client, { code: "return 2;", name: name.toUpperCase() })).toMatchObject({
        code: "NAME_TAKEN",
        message: `Capability name '${name.toUpperCase()}' already exists in scope local.default: ${name} has it`,
        holder: name,
      });
    });
  });

  it("[ID-3, ID-7] does not say who has a name where the asker may not see it", async () => {
    const mine = await gateway().connect("v1", { scope: "local/default/ann" });
    const other = await gateway().connect("v1", { scope: "local/default/bob" });
    await succeeds(mine, { code: "return 'mine';", name: "held:secretly" });
    await ask(mine, "cap_rename", { name: "held:secretly", visibility: "private" });
    const error = await fails(other, { code: "return 'other';", name: "held:Secretly" });
    expect(error).toMatchObject({ code: "NAME_TAKEN", hint: "Choose another name." });
    expect(error).not.toHaveProperty("holder");
    expect(error.message).not.toContain("has it");
  });

  describe("LangChain", () => {
    let adapter: MultiServerMCPClient;
    beforeAll(() => {
      const { directory, config, dataDir, env } = gateway();
      const program = join(import.meta.dirname, "../../dist/cli/main.js");
      adapter = new MultiServerMCPClient({
        mcpServers: {
          pml: {
            transport: "stdio",
            command: process.execPath,
            args: [program, "serve", "--config", config, "--data-dir", dataDir],
            env: { ...(env as Record<string, string>) },
            cwd: directory,
          },
        },
      });
    });
    afterAll(() => adapter.close());

    it("shows the agent what to do, through approval to the result", async () => {
      const tools = await adapter.getTools();
      const tool = (name: string) => tools.find((one) => one.name === name);
      const failed: unknown = await tool(WRITE_FILE)
        ?.invoke(WRITE)
        .catch((error: unknown) => error);
      const { message } = failed as Error;
      expect(message).toContain("APPROVAL_REQUIRED: ");
      expect(message).not.toContain("does not match the tool's output schema");
      const [, resume = ""] = /\nworkflowId: (\S+)$/.exec(message) ?? [];
      await gateway().pml("approve", resume);
      await tool("pml_execute")?.invoke({ intent: "write a file", resume });
      expect(readFileSync(join(gateway().directory, WRITE.path), "utf8")).toBe(WRITE.content);
    });
  });
});
