/** Code that somebody changed in the store, with the append-only trigger out of the way, is refused and never run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openInstallationKey } from "../../src/app/installation-key.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { Database } from "../../src/postgres/database.js";
import { parseFqdn } from "../../src/registry/fqdn.js";
import { signedText } from "../../src/registry/signature.js";
import { counted, errorOf, execute, fails, lookUp, succeeds } from "../support/agent.js";
import { inStore } from "../support/opened-store.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useGateway } from "../support/test-gateway.js";

interface VersionRow {
  readonly capability_fqdn: string;
  readonly canonical_code: string;
  readonly parameters_schema: Parameters<typeof signedText>[0]["parameters"];
}

interface Tampering {
  readonly what: string;
  /** Code that calls a capability is saved otherwise than it was written. */
  readonly calls?: boolean;
  /** The columns that the tamperer sets. */
  change(row: VersionRow, other: VersionRow): Promise<Record<string, string | null>>;
}

const EVIL = 'await mcp.work.count({ id: "evil" });\nreturn "evil";';

const TAMPERINGS: readonly Tampering[] = [
  { what: "code_snippet", change: async () => ({ code_snippet: EVIL }) },
  { what: "saved_code, where there was none", change: async () => ({ saved_code: EVIL }) },
  { what: "saved_code, where there was one", calls: true, change: async () => ({ saved_code: EVIL }) },
  { what: "saved_code, taken away", calls: true, change: async () => ({ saved_code: null }) },
  { what: "canonical_code", change: async () => ({ canonical_code: EVIL }) },
  {
    what: "all of the code and its hash",
    change: async ({ canonical_code }) => {
      const evil = canonical_code.replace("as signed", "evil");
      expect(evil).not.toBe(canonical_code);
      return {
        code_snippet: EVIL.replace("evil", "tampered"),
        canonical_code: evil,
        code_hash: await sha256Hex(evil),
      };
    },
  },
  { what: "code_hash", change: async () => ({ code_hash: "0".repeat(64) }) },
  {
    what: "parameters_schema",
    change: async ({ parameters_schema }) => ({
      parameters_schema: JSON.stringify({ ...parameters_schema, additionalProperties: true }),
    }),
  },
  { what: "signature", change: async () => ({ signature: "bm9uZQ==" }) },
  { what: "signature, taken away", change: async () => ({ signature: null, public_key: null }) },
  {
    what: "signature and public_key, by a key of the tamperer's own",
    change: async (row) => {
      const directory = mkdtempSync(join(tmpdir(), "pml-tamperer-"));
      try {
        const signer = openInstallationKey({ dataDir: directory, directory });
        const { signature, publicKey } = signer.sign(
          signedText({
            fqdn: parseFqdn(row.capability_fqdn),
            canonicalCode: row.canonical_code,
            parameters: row.parameters_schema,
          }),
        );
        return { signature, public_key: publicKey };
      } finally {
        rmSync(directory, { recursive: true });
      }
    },
  },
  {
    what: "everything, by the version of another capability",
    change: async (_, other) => {
      const { capability_fqdn: _fqdn, ...rest } = other as VersionRow & Record<string, unknown>;
      return Object.fromEntries(
        Object.entries(rest)
          .filter(([name]) => !["id", "version", "tools_used", "dependencies", "updated_at"].includes(name))
          .map(([name, value]) => [
            name,
            typeof value === "object" && value !== null ? JSON.stringify(value) : (value as string | null),
          ]),
      );
    },
  },
];

const nameOf = (index: number) => `signed:tool_${index}`;
/** Which the signed code counts under when it runs. */
const idOf = (index: number) => `run-${index}`;

describe("[ID-10] a version that was changed in the store", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  let client: TestClient;

  beforeAll(async () => {
    client = await gateway().connect("v2-2025");
    await succeeds(client, { code: "return 'helped';", name: "signed:helper" });
    await succeeds(client, { code: 'return "other: " + args.x;', args: { x: 1 }, name: "signed:other" });
    for (const [index, { calls }] of TAMPERINGS.entries()) {
      const call = calls === true ? "await mcp.signed.helper({});\n" : "";
      const code = `${call}await mcp.work.count({ id: "${idOf(index)}" });\nreturn args.x ?? "as signed";`;
      await succeeds(client, { code, name: nameOf(index) });
      await succeeds(client, {
        code: `return "called: " + (await mcp.signed.tool_${index}({}));`,
        name: `calls:tool_${index}`,
      });
      await succeeds(client, {
        code: `return "pinned: " + (await mcp["signed:tool_${index}@1"]({}));`,
        name: `pins:tool_${index}`,
      });
      // The server starts to count anew with the gateway.
      expect(await counted(client, idOf(index))).toBe(3);
    }
    await gateway().restart(() => inStore(gateway().dataDir, tamper));
    client = await gateway().connect("v2-2025");
  });

  async function tamper(database: Database): Promise<void> {
    const update = "update capability_versions set signature = 'x'";
    await expect(database.query(update)).rejects.toThrow(/append-only/);
    await database.query("alter table capability_versions disable trigger all");
    const other = await rowOf(database, "signed:other");
    for (const [index, { change }] of TAMPERINGS.entries()) {
      const row = await rowOf(database, nameOf(index));
      const columns = Object.entries(await change(row, other));
      const set = columns.map(
        ([name], at) => `${name} = $${at + 2}${name === "parameters_schema" ? "::json" : ""}`,
      );
      const { rowCount } = await database.query(
        `update capability_versions set ${set.join(", ")} where capability_fqdn = $1`,
        [row.capability_fqdn, ...columns.map(([, value]) => value)],
      );
      expect(rowCount).toBe(1);
    }
    await database.query("alter table capability_versions enable trigger all");
  }

  async function rowOf(database: Database, name: string): Promise<VersionRow> {
    const { rows } = await database.query<VersionRow>(
      `select * from capability_versions where capability_fqdn =
         (select id from capability_records where display_name = $1)`,
      [name],
    );
    const [row] = rows;
    if (row === undefined) throw new Error(`There is no ${name}`);
    return row;
  }

  it.each(TAMPERINGS.map(({ what }, index) => ({ what, index })))(
    "is refused by every door when it is $what",
    async ({ index }) => {
      const name = nameOf(index);
      const refusal = { code: "SIGNATURE_INVALID", message: expect.stringContaining(name) };
      expect(await fails(client, { capability: name })).toMatchObject(refusal);
      expect(await fails(client, { capability: `${name}@v1` })).toMatchObject(refusal);
      expect(errorOf(await client.call(name.replace(/(.*):/, "mcp__$1__")))).toMatchObject(refusal);
      for (const caller of ["calls", "pins"])
        expect(await fails(client, { capability: `${caller}:tool_${index}` })).toMatchObject(refusal);
      for (const callee of [`.signed.tool_${index}`, `["${name}@v1"]`])
        expect(await fails(client, { code: `return await mcp${callee}({ x: 1 });` })).toMatchObject(refusal);
      const sources = ["signed:helper", name];
      expect(errorOf(await client.call("cap_fork", { source: name, name: "signed:copy" }))).toMatchObject(
        refusal,
      );
      expect(errorOf(await client.call("cap_merge", { sources, name: "signed:both" }))).toMatchObject(
        refusal,
      );
      expect(await counted(client, idOf(index))).toBe(0);
    },
  );

  it("is the only one that is refused, and can still be looked up", async () => {
    expect((await execute(client, { capability: "signed:other", args: { x: 2 } })).result).toBe("other: 2");
    expect((await lookUp(client, nameOf(0))).display_name).toBe(nameOf(0));
    for (const id of ["evil", "tampered"]) expect(await counted(client, id)).toBe(0);
  });
});
