/** The reference servers, as people configure them, behind one gateway. */
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { clients } from "../support/test-client.js";
import { transports, useClient, useGateway } from "../support/test-gateway.js";

const require = createRequire(import.meta.url);

/** Starts the program of a package, named by its package.json, since some packages export nothing else. */
function installed(packageFile: string, ...args: readonly string[]) {
  return { command: process.execPath, args: [join(dirname(packageFile), "dist/index.js"), ...args] };
}

const FILESYSTEM = require.resolve("@modelcontextprotocol/server-filesystem/package.json");
const MEMORY = require.resolve("@modelcontextprotocol/server-memory/package.json");
const EVERYTHING = require.resolve("@modelcontextprotocol/server-everything/package.json");

describe.each(transports("background"))(
  "[GW-2] filesystem, memory and everything over $over",
  ({ transport }) => {
    const gateway = useGateway(transport, {
      exposure: "all",
      mcpServers: {
        // Its working directory is the configuration's, which is this gateway's own.
        filesystem: installed(FILESYSTEM, "."),
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the configuration's own variable.
        memory: { ...installed(MEMORY), env: { MEMORY_FILE_PATH: "${PML_CONFIG_DIR}/memory.jsonl" } },
        everything: installed(EVERYTHING),
      },
    });

    describe.each(clients("v2-2026"))("$client", ({ kind }) => {
      const client = useClient(gateway, kind);

      it("lists the tools of all of them", async () => {
        const ids = (await client().tools()).map(({ _meta }) => String(_meta?.["pml/id"]));
        expect(ids).toEqual(
          expect.arrayContaining(["filesystem:read_text_file", "memory:create_entities", "everything:echo"]),
        );
        expect(ids.length).toBeGreaterThan(30);
      });

      it("reads a file", async () => {
        writeFileSync(join(gateway().directory, "hello.txt"), "hello from disk");
        const result = await client().call("filesystem:read_text_file", { path: "hello.txt" });
        expect(result.content).toEqual([{ type: "text", text: "hello from disk" }]);
        expect(result.structuredContent).toEqual({ content: "hello from disk" });
      });

      it("remembers", async () => {
        const entity = { name: kind, entityType: "client", observations: ["was here"] };
        await client().call("memory:create_entities", { entities: [entity] });
        const { structuredContent } = await client().call("mcp__memory__open_nodes", { names: [kind] });
        expect(structuredContent).toMatchObject({ entities: [entity] });
      });

      it("does everything", async () => {
        const { content } = await client().call("everything:echo", { message: "hi" });
        expect(content).toEqual([{ type: "text", text: "Echo: hi" }]);
        expect((await client().prompts()).map(({ name }) => name)).toContain("everything__simple-prompt");
        expect((await client().resources()).length).toBeGreaterThan(0);
      });
    });
  },
);
