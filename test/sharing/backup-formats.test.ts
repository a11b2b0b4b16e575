/**
 * Stored data keeps its meaning: what was written in an earlier schema is there after the upgrade, and what is moved
 * between databases arrives as it was. `test/fixtures/backups` has a backup of a small store by each released schema; the
 * rows of the newest stand for the schemas before it, as far as those have their tables and columns.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readBackup, readHeader, writeBackup } from "../../src/app/backup-file.js";
import { canonicalJson } from "../../src/base/canonical-json.js";
import type { Database } from "../../src/postgres/database.js";
import { migrate } from "../../src/postgres/migrate.js";
import { MIGRATIONS } from "../../src/postgres/migrations/index.js";
import { knownSteps, type TableColumns, type TextRow, writeRows } from "../../src/postgres/table-rows.js";
import { databases } from "../support/databases.js";
import { IS_FULL } from "../support/sizes.js";

const FIXTURE = fileURLToPath(new URL("../fixtures/backups/0022-ledger.backup", import.meta.url));

/** All but the newest. */
const FROZEN = MIGRATIONS.length - 4;

/** Rows by table, as texts of `column=value`, in an order of their own. */
type Content = Record<string, readonly string[]>;
interface Backup {
  readonly tables: readonly { readonly of: TableColumns; readonly rows: TextRow[] }[];
}

let fixture: Backup;
const directory = mkdtempSync(join(tmpdir(), "pml-backup-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

async function read(file: string): Promise<Backup> {
  const tables = new Map<string, { of: TableColumns; rows: TextRow[] }>();
  for (const of of (await readHeader(file)).tables) tables.set(of.table, { of, rows: [] });
  await readBackup(file, async ({ table }, row) => void tables.get(table)?.rows.push(row));
  return { tables: [...tables.values()] };
}

/** Records that a migration made itself. */
const BUILT_IN = /^(record_)?id=pml\.std\.mcp\./;

/** JSON in one form: earlier columns were `jsonb`, which orders keys. */
function plain(value: string | null | undefined): string | null | undefined {
  return value?.startsWith("{") && value.endsWith("}") && value.includes('":')
    ? canonicalJson(JSON.parse(value))
    : value;
}

/** Of the tables and columns that `like` has. */
function contentOf({ tables }: Backup, like: Backup = { tables }): Content {
  return Object.fromEntries(
    like.tables.map(({ of: { table, columns } }) => {
      const found = tables.find(({ of }) => of.table === table);
      const places = columns.map((name) => found?.of.columns.indexOf(name) ?? -1);
      const texts = found?.rows.map((row) =>
        columns.map((name, at) => `${name}=${plain(row[places[at] ?? -1])}`).join(" "),
      );
      return [table, texts?.filter((text) => !BUILT_IN.test(text)).sort() ?? []];
    }),
  );
}

async function load(database: Database, { tables }: Backup): Promise<void> {
  await writeRows(database, async (write) => {
    for (const { of, rows } of tables) if (rows.length > 0) await write(of, rows);
  });
}

async function dumped(database: Database, name: string): Promise<Backup> {
  const file = join(directory, name);
  await writeBackup(database, file, "key");
  return read(file);
}

/** The part of `backup` that an earlier schema has a place for. */
async function partFor(database: Database, { tables }: Backup): Promise<Backup> {
  const { rows } = await database.query<{ readonly table: string; readonly column: string }>(
    `select table_name::text as table, column_name::text as column from information_schema.columns
      where table_schema = current_schema()`,
  );
  const there = new Set(rows.map(({ table, column }) => `${table}.${column}`));
  return {
    tables: tables.flatMap(({ of: { table, columns }, rows: all }) => {
      const kept = columns.filter((name) => there.has(`${table}.${name}`));
      const places = kept.map((name) => columns.indexOf(name));
      if (kept.length === 0) return [];
      // Servers have had records since this table is there.
      const type = there.has("server_versions.record_id") ? -1 : columns.indexOf("record_type");
      const rowsThen = all.filter((row) => type < 0 || row[type] !== "mcp-server");
      return [
        { of: { table, columns: kept }, rows: rowsThen.map((row) => places.map((at) => row[at] ?? null)) },
      ];
    }),
  };
}

beforeAll(async () => {
  fixture = await read(FIXTURE);
});

describe.each(databases())("on $name", ({ name, open }) => {
  /** All in the full size. Otherwise some, and the newest on the faster of the two: the steps that were released stay as they are. */
  const schemas = MIGRATIONS.map(({ id }, index) => ({ id, steps: index + 1 })).filter(
    ({ steps }) => steps > 1 && (IS_FULL || steps % 8 === 0 || (name !== "PGlite" && steps > FROZEN)),
  );

  it("[ST-5, SC-4] a backup is restored as it was, and backed up again", async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    await load(database, fixture);
    expect(contentOf(await dumped(database, "again"), fixture)).toEqual(contentOf(fixture));
    // Numbers that were given are not given again.
    const { rows } = await database.query<{ readonly id: number }>(
      "insert into rename_history (capability_fqdn, old_name, new_name, actor, renamed_by) select id, 'a:b', 'a:c', 'user', 'x' from capability_records limit 1 returning id",
    );
    expect(rows[0]?.id).toBe(2);
    await expect(load(database, fixture)).rejects.toMatchObject({ code: "STORE_FAILED" });
  });

  it("[ST-5] bytes are kept", async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    await database.query("insert into embeddings (model_id, content_hash, vector) values ('m', $1, $2)", [
      Buffer.from([7]),
      Buffer.from([0, 1, 255, 92]),
    ]);
    const one = await dumped(database, "bytes");
    const other = await open();
    await migrate(other, MIGRATIONS);
    await load(other, one);
    const { rows } = await other.query<{ readonly vector: Uint8Array }>("select vector from embeddings");
    expect([...(rows[0]?.vector ?? [])]).toEqual([0, 1, 255, 92]);
  });

  it.each(schemas)(
    "[ST-1, ST-5, 13.1 AC10] a store of schema $id is upgraded, and its rows stay",
    async ({ steps }) => {
      const database = await open();
      await migrate(database, MIGRATIONS.slice(0, steps));
      const old = await partFor(database, fixture);
      await load(database, old);
      await migrate(database, MIGRATIONS);
      expect(contentOf(await dumped(database, `from-${steps}`), old)).toEqual(contentOf(old));
    },
  );
});

describe("[SC-4] is refused before anything is touched:", () => {
  /** The fixture with other lines, in a file whose check sum is right unless `end` says otherwise. */
  function changed(lines: (lines: string[]) => readonly string[], end?: object): string {
    const text = gunzipSync(readFileSync(FIXTURE)).toString().trimEnd().split("\n");
    const body = lines(text.slice(0, -1))
      .map((line) => `${line}\n`)
      .join("");
    const rows = body.split("\n").length - 2;
    const sha256 = createHash("sha256").update(body).digest("hex");
    return writing(gzipSync(`${body}${JSON.stringify({ end: true, rows, sha256, ...end })}\n`));
  }
  function writing(bytes: Uint8Array): string {
    const file = join(directory, "changed");
    writeFileSync(file, bytes);
    return file;
  }
  const header = (change: (header: Record<string, unknown>) => object) => (lines: string[]) => [
    JSON.stringify({ ...change(JSON.parse(lines[0] ?? "")) }),
    ...lines.slice(1),
  ];
  const bytes = readFileSync(FIXTURE);
  const flipped = Buffer.from(bytes);
  flipped[bytes.length >> 1] = (flipped[bytes.length >> 1] ?? 0) ^ 0xff;

  it.each<[string, () => string]>([
    ["a file that is cut off", () => writing(bytes.subarray(0, bytes.length >> 1))],
    ["a file with a wrong byte", () => writing(flipped)],
    ["an empty file", () => writing(Buffer.alloc(0))],
    ["a file that is no gzip", () => writing(Buffer.from("hello"))],
    ["a file that is not there", () => join(directory, "none")],
    ["something else as gzip", () => writing(gzipSync("{}\n"))],
    ["a later format", () => changed(header((one) => ({ ...one, format: 2 })))],
    ["a wrong check sum", () => changed((lines) => lines, { sha256: "0" })],
    ["a missing row", () => changed((lines) => lines.slice(0, -1), { rows: 130 })],
    ["a row of no table", () => changed((lines) => [...lines, '[99,["x"]]'])],
    ["a row with too few values", () => changed((lines) => [...lines, '[0,["x"]]'])],
    [
      "a table that is no name",
      () => changed(header((one) => ({ ...one, tables: [{ table: "a;b", columns: ["c"] }] }))),
    ],
  ])("%s", async (_, file) => {
    await expect(readBackup(file(), async () => {})).rejects.toMatchObject({ code: "BACKUP_INVALID" });
  });

  it("a schema of a newer PML, and one that PML never had", async () => {
    const { schema } = await readHeader(FIXTURE);
    expect(await knownSteps(schema)).toBe(22);
    const later = [...schema, { id: "9999-later", checksum: "x" }];
    await expect(knownSteps(later)).rejects.toThrow("a newer PML has written it (9999-later)");
    await expect(knownSteps(schema.slice(1))).rejects.toThrow("its schema belongs to no version of PML");
  });
});
