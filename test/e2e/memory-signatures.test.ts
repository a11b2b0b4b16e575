/** Code that was changed in the store, with the append-only trigger removed, is refused and never run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openInstallationKey } from "../../src/app/installation-key.js";
import { RESIGNED_DIRECTORY } from "../../src/app/resign-once.js";
import { sha256Hex } from "../../src/base/sha256.js";
import type { Database } from "../../src/postgres/database.js";
import { parseFqdn } from "../../src/registry/fqdn.js";
import { oldSignedText, type SignedContent, signedHash, signedText } from "../../src/registry/signature.js";
import { counted, errorOf, execute, fails, lookUp, succeeds } from "../support/agent.js";
import { inStore } from "../support/opened-store.js";
import { IS_FULL } from "../support/sizes.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useGateway } from "../support/test-gateway.js";
import { newSigner } from "../support/test-signer.js";

interface VersionRow {
  readonly capability_fqdn: string;
  readonly code_snippet: string;
  readonly canonical_code: string;
  readonly parameters_schema: Parameters<typeof signedText>[0]["parameters"];
}

interface Tampering {
  readonly what: string;
  /** Code that calls a capability is saved otherwise than it was written. */
  readonly calls?: boolean;
  /** Tried through all doors in the usual size too. All doors check the same signature, so that some will do. */
  readonly everyDoor?: boolean;
  /** The columns that the tamperer sets. */
  change(row: VersionRow, other: VersionRow): Promise<Record<string, string | null>>;
}

const EVIL = 'await mcp.work.count({ id: "evil" });\nreturn "evil";';

const TAMPERINGS: readonly Tampering[] = [
  { what: "code_snippet", everyDoor: true, change: async () => ({ code_snippet: EVIL }) },
  {
    what: "code_snippet, which people read, where what runs is saved_code",
    calls: true,
    change: async ({ code_snippet }) => ({ code_snippet: `// harmless\n${code_snippet}` }),
  },
  { what: "saved_code, where there was none", change: async () => ({ saved_code: EVIL }) },
  {
    what: "saved_code, where there was one",
    calls: true,
    everyDoor: true,
    change: async () => ({ saved_code: EVIL }),
  },
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
    everyDoor: true,
    change: async (row) => {
      const directory = mkdtempSync(join(tmpdir(), "pml-tamperer-"));
      try {
        const signer = openInstallationKey({ keyDir: directory, directory });
        const { signature, publicKey } = signer.sign(
          signedText({
            fqdn: parseFqdn(row.capability_fqdn),
            version: 1,
            previousHash: null,
            code: row.code_snippet,
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
          .filter(
            ([name]) =>
              !["id", "version", "signed_hash", "tools_used", "dependencies", "updated_at"].includes(name),
          )
          .map(([name, value]) => [
            name,
            typeof value === "object" && value !== null ? JSON.stringify(value) : (value as string | null),
          ]),
      );
    },
  },
];

const isEveryDoor = (index: number) => IS_FULL || TAMPERINGS[index]?.everyDoor === true;
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
      if (!isEveryDoor(index)) continue;
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
    for (const set of ["code_snippet = 'x'", "version = 2, signature = 'x'", "signed_hash = null"])
      await expect(database.query(`update capability_versions set ${set}`)).rejects.toThrow(/append-only/);
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
    "is refused when it is $what",
    async ({ index }) => {
      const name = nameOf(index);
      const refusal = { code: "SIGNATURE_INVALID", message: expect.stringContaining(name) };
      expect(await fails(client, { capability: name })).toMatchObject(refusal);
      if (isEveryDoor(index)) await otherDoorsRefuse(index, refusal);
      expect(await counted(client, idOf(index))).toBe(0);
    },
  );

  async function otherDoorsRefuse(index: number, refusal: object): Promise<void> {
    const name = nameOf(index);
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
    expect(errorOf(await client.call("cap_merge", { sources, name: "signed:both" }))).toMatchObject(refusal);
  }

  it("is the only one that is refused, and can still be looked up", async () => {
    expect((await execute(client, { capability: "signed:other", args: { x: 2 } })).result).toBe("other: 2");
    expect((await lookUp(client, nameOf(0))).display_name).toBe(nameOf(0));
    for (const id of ["evil", "tampered"]) expect(await counted(client, id)).toBe(0);
  });
});

describe("[TB-4, ID-10] what the database alone can do", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  let client: TestClient;
  const NAMES = ["replay:again", "replay:swapped", "replay:lost", "old:own", "old:foreign", "foreign:row"];
  const stranger = newSigner();
  const keyDir = () => gateway().env.PML_KEY_DIR ?? "";

  beforeAll(async () => {
    client = await gateway().connect("v2-2025");
    for (const name of NAMES) {
      await succeeds(client, { code: `return "${name} 1";`, name });
      await succeeds(client, { code: `return "${name} 2";`, name, options: { update: true } });
    }
    await gateway().restart(() => inStore(gateway().dataDir, change));
    client = await gateway().connect("v2-2025");
  });

  async function change(database: Database): Promise<void> {
    await database.query("alter table capability_versions disable trigger all");
    const fqdns = new Map<string, string>();
    for (const name of NAMES) {
      const { rows } = await database.query<{ id: string }>(
        "select id from capability_records where display_name = $1",
        [name],
      );
      fqdns.set(name, rows[0]?.id ?? "");
    }
    const of = (name: string) => [fqdns.get(name) ?? ""];
    const columns = `capability_fqdn, version_tag, code_snippet, saved_code, canonical_code, code_hash, parameters_schema,
      tools_used, dependencies, signature, public_key, updated_by, change_summary, updated_at, definition, signed_hash`;
    // Version 1 once more, as the newest.
    await database.query(
      `insert into capability_versions (version, ${columns})
         select 3, ${columns} from capability_versions where capability_fqdn = $1 and version = 1`,
      of("replay:again"),
    );
    await database.query("update capability_records set version = 3 where id = $1", of("replay:again"));
    for (const [from, to] of [
      [1, 3],
      [2, 1],
      [3, 2],
    ] as const)
      await database.query(
        "update capability_versions set version = $3 where capability_fqdn = $1 and version = $2",
        [...of("replay:swapped"), from, to],
      );
    await database.query(
      "delete from capability_versions where capability_fqdn = $1 and version = 1",
      of("replay:lost"),
    );
    for (const name of ["old:own", "old:foreign", "foreign:row"])
      await signOtherwise(database, name, of(name));
    // Which was enough to be believed.
    await database.query(
      "insert into trusted_keys (public_key, name, trusted_by) values ($1, 'ada', 'ada@local')",
      [stranger.publicKey],
    );
    await database.query("alter table capability_versions enable trigger all");
    // As with the first start of this version of PML.
    rmSync(join(keyDir(), RESIGNED_DIRECTORY), { recursive: true });
  }

  /** By the own key in the old form, by a stranger in the old form, and by a stranger in the form of now. */
  async function signOtherwise(database: Database, name: string, of: readonly string[]): Promise<void> {
    const own = openInstallationKey({ keyDir: keyDir(), directory: keyDir() });
    const { rows } = await database.query<VersionRow & { version: number }>(
      "select * from capability_versions where capability_fqdn = $1 order by version",
      of,
    );
    let previousHash: string | null = null;
    for (const { capability_fqdn, version, code_snippet, canonical_code, parameters_schema } of rows) {
      const content: SignedContent = {
        fqdn: parseFqdn(capability_fqdn),
        version,
        previousHash,
        code: code_snippet,
        canonicalCode: canonical_code,
        parameters: parameters_schema,
      };
      previousHash = await signedHash(content);
      const isOld = name.startsWith("old");
      const key = name === "old:own" ? own : stranger;
      const { signature, publicKey } = key.sign(isOld ? oldSignedText(content) : signedText(content));
      await database.query(
        `update capability_versions set signature = $3, public_key = $4, signed_hash = $5
          where capability_fqdn = $1 and version = $2`,
        [capability_fqdn, version, signature, publicKey, isOld ? null : previousHash],
      );
    }
  }

  const outcome = async (capability: string) => {
    const { result, error } = await execute(client, { capability });
    return error === undefined ? result : (error as { code: string }).code;
  };

  it("[TB-4] a version put in again under another number is refused, and the others run", async () => {
    expect(await outcome("replay:again")).toBe("SIGNATURE_INVALID");
    expect(await outcome("replay:again@v2")).toBe("replay:again 2");
    expect(await outcome("replay:again@v1")).toBe("replay:again 1");
  });

  it("[TB-4] versions in another order are refused", async () => {
    for (const version of ["", "@v1", "@v2"])
      expect(await outcome(`replay:swapped${version}`), version).toBe("SIGNATURE_INVALID");
  });

  it("[TB-4] a version whose version before is missing is refused", async () => {
    expect(await outcome("replay:lost")).toBe("SIGNATURE_INVALID");
  });

  it("[TB-4] own versions of the old form run after a start, which has signed them again", async () => {
    expect([await outcome("old:own"), await outcome("old:own@v1")]).toEqual(["old:own 2", "old:own 1"]);
  });

  it("[TB-4] own versions of the old form that appear later are refused", async () => {
    await gateway().restart(() =>
      inStore(gateway().dataDir, async (database) => {
        await database.query("alter table capability_versions disable trigger all");
        const { rows } = await database.query<{ id: string }>(
          "select id from capability_records where display_name = 'old:own'",
        );
        await signOtherwise(database, "old:own", [rows[0]?.id ?? ""]);
        await database.query("alter table capability_versions enable trigger all");
      }),
    );
    client = await gateway().connect("v2-2025");
    expect([await outcome("old:own"), await outcome("old:own@v1")]).toEqual([
      "SIGNATURE_INVALID",
      "SIGNATURE_INVALID",
    ]);
  });

  it("[TB-4] versions of another key of the old form are refused, and say why", async () => {
    expect(await fails(client, { capability: "old:foreign" })).toMatchObject({
      code: "SIGNATURE_INVALID",
      message: expect.stringContaining("old form"),
      hint: expect.stringContaining("export it again"),
    });
  });

  it("[TB-4] a row in trusted_keys makes nothing run", async () => {
    expect(await fails(client, { capability: "foreign:row" })).toMatchObject({
      code: "SIGNATURE_INVALID",
      message: expect.stringContaining("does not trust for the org local"),
    });
  });
});
