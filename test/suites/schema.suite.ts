import { beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../src/postgres/database.js";

const HASH = "a".repeat(64);
const OTHER_HASH = "b".repeat(64);

/** Tests what the schema itself refuses, from any writer. */
export function describeSchema(name: string, openMigrated: () => Promise<Database>): void {
  describe(`schema: ${name}`, () => {
    let database: Database;
    beforeAll(async () => {
      database = await openMigrated();
      await pattern("11111111-1111-4111-8111-111111111111");
      await record({ id: "local.default.fs.read.aaaa", display_name: "fs:read" });
      await database.query(
        `insert into capability_versions (capability_fqdn, version, code_snippet, canonical_code, code_hash, updated_by)
         values ('local.default.fs.read.aaaa', 1, 'x', 'x', $1, 'me')`,
        [HASH],
      );
      await database.query(
        `insert into rename_history (capability_fqdn, old_name, new_name, actor, renamed_by)
         values ('local.default.fs.read.aaaa', 'a', 'b', 'user', 'me')`,
      );
    });

    async function pattern(id: string): Promise<void> {
      await database.query(
        `insert into workflow_pattern (pattern_id, source, intent, code, canonical_code, code_hash)
         values ($1, 'code', 'read a file', 'x', 'x', $2)`,
        [id, HASH],
      );
    }

    /** Inserts a capability that is valid except for `changes`. */
    async function record(changes: Readonly<Record<string, string | null>>): Promise<void> {
      const row: Record<string, string | null> = {
        id: "local.default.fs.other.bbbb",
        display_name: "other",
        org: "local",
        project: "default",
        namespace: "fs",
        hash: "bbbb",
        code_hash: OTHER_HASH,
        workflow_pattern_id: "11111111-1111-4111-8111-111111111111",
        created_by: "me",
        ...(changes.id === "local.default.fs.read.aaaa" ? { hash: "aaaa", code_hash: HASH } : {}),
        ...changes,
      };
      row.action ??= row.id ?? null;
      row.display_name_fold ??= row.display_name?.toLowerCase() ?? null;
      const columns = Object.keys(row);
      await database.query(
        `insert into capability_records (${columns.join(", ")}) values (${columns.map((_, i) => `$${i + 1}`).join(", ")})`,
        Object.values(row),
      );
    }

    /** The SQLSTATE and constraint of a refusal. */
    async function refusal(work: () => Promise<unknown>): Promise<string> {
      try {
        await work();
        return "accepted";
      } catch (thrown) {
        const { code, constraint } = thrown as { code?: string; constraint?: string };
        return constraint === undefined ? `${code}` : `${code} ${constraint}`;
      }
    }

    it.each([
      ["update capability_versions set change_summary = 'x'", "23001"],
      ["update capability_versions set signature = 'x', version = 2", "23001"],
      ["update capability_versions set public_key = 'x', code_snippet = 'y'", "23001"],
      ["delete from capability_versions", "23001"],
      ["truncate capability_versions cascade", "23001"],
      ["update rename_history set new_name = 'x'", "23001"],
      ["delete from rename_history", "23001"],
      ["truncate rename_history", "23001"],
    ])("[ID-11] history is append-only: %s", async (sql, expected) => {
      expect(await refusal(() => database.query(sql))).toBe(expected);
    });

    it("[ID-11, TB-4] a signature may be replaced, and a hash of what is signed is set once", async () => {
      const update = (set: string) =>
        refusal(() => database.query(`update capability_versions set ${set} where version = 1`));
      expect(await update("signature = 's', public_key = 'k'")).toBe("accepted");
      expect(await update(`signature = 't', signed_hash = '${HASH}'`)).toBe("accepted");
      expect(await update(`signature = 'u', signed_hash = '${OTHER_HASH}'`)).toBe("23001");
      expect(await update("signed_hash = null")).toBe("23001");
      expect(await update("signature = null")).toBe("accepted");
    });

    it("[ID-11] names the table in the refusal", async () => {
      await expect(database.query("delete from capability_versions")).rejects.toThrow(
        "capability_versions is append-only: delete is refused",
      );
    });

    it.each([
      [
        "[ID-3] a live name twice in a scope",
        { display_name: "fs:read" },
        "23505 capability_records_live_name",
      ],
      [
        "[ID-3] a name that folds to a live one",
        { display_name: "FS:Read" },
        "23505 capability_records_live_name",
      ],
      ["[ID-8] one code twice in a scope", { code_hash: HASH }, "23505 capability_records_live_code"],
      ["[ID-1] an FQDN twice", { id: "local.default.fs.read.aaaa" }, "23505 capability_records_pkey"],
      [
        "[ID-1] a short hash as the identity",
        { code_hash: "abcd" },
        "23514 capability_records_code_hash_check",
      ],
      [
        "[ID-9] a capability without a pattern",
        { workflow_pattern_id: null },
        "23514 capability_records_code",
      ],
      [
        "[ID-9] an unknown pattern",
        { workflow_pattern_id: "22222222-2222-4222-8222-222222222222" },
        "23503 capability_records_workflow_pattern_id_fkey",
      ],
      [
        "[ID-9] an unknown kind of record",
        { record_type: "thing" },
        "23514 capability_records_record_type_check",
      ],
      ["[ID-9] an unknown parent", { parent_id: "nobody" }, "23503 capability_records_parent_id_fkey"],
      ["[ID-9] more successes than uses", { success_count: "1" }, "23514 capability_records_counts"],
      ["[ID-7] an unknown visibility", { visibility: "secret" }, "23514 capability_records_visibility_check"],
      [
        "[ID-12] a reservation of a live name",
        { reserved_until: "2027-01-01" },
        "23514 capability_records_reservation",
      ],
    ])("refuses %s", async (_, changes, expected) => {
      expect(await refusal(() => record(changes))).toBe(expected);
    });

    it("[ID-3] the same name and code may live in another project", async () => {
      const changes = {
        id: "local.other.fs.read.aaaa",
        project: "other",
        display_name: "fs:read",
        code_hash: HASH,
      };
      expect(await refusal(() => record(changes))).toBe("accepted");
    });

    it("[ID-12] a deleted capability gives its name free for the database", async () => {
      const deleted = { id: "local.default.fs.gone.cccc", display_name: "fs:read", deleted_at: "2026-01-01" };
      expect(await refusal(() => record({ ...deleted, reserved_until: "2026-02-01" }))).toBe("accepted");
    });

    it("[ID-14] a server is a record without code", async () => {
      const server = {
        id: "local.default.mcp.shell.0000",
        display_name: "mcp:shell",
        record_type: "mcp-server",
      };
      expect(await refusal(() => record({ ...server, code_hash: null, workflow_pattern_id: null }))).toBe(
        "accepted",
      );
    });

    it("[ID-5] an alias is unique in its scope by its fold, and points at a capability", async () => {
      const alias = (text: string, fold: string, target: string) =>
        refusal(() =>
          database.query(
            `insert into capability_aliases (alias, alias_fold, org, project, target_fqdn)
             values ($1, $2, 'local', 'default', $3)`,
            [text, fold, target],
          ),
        );
      expect([
        await alias("old", "old", "local.default.fs.read.aaaa"),
        await alias("OLD", "old", "local.default.fs.read.aaaa"),
        await alias("older", "older", "local.default.nobody.x.0000"),
      ]).toEqual([
        "accepted",
        "23505 capability_aliases_org_project_alias_fold_key",
        "23503 capability_aliases_target_fqdn_fkey",
      ]);
    });

    it("[ID-11] a version number is given once", async () => {
      const again = `insert into capability_versions
          (capability_fqdn, version, code_snippet, canonical_code, code_hash, updated_by)
        select capability_fqdn, version, 'y', 'y', code_hash, 'me' from capability_versions`;
      expect(await refusal(() => database.query(again))).toBe(
        "23505 capability_versions_capability_fqdn_version_key",
      );
    });

    it.each([
      ["of code that never became one", "null, null, false, 'TOOL_FAILED'", "accepted"],
      ["of a version", "'local.default.fs.read.aaaa', 1, true, null", "accepted"],
      [
        "of a version that does not exist",
        "'local.default.fs.read.aaaa', 9, true, null",
        "23503 execution_trace_version",
      ],
      ["of no version", "'local.default.fs.read.aaaa', null, true, null", "23514 execution_trace_capability"],
      ["that succeeded with an error", "null, null, true, 'TOOL_FAILED'", "23514 execution_trace_error"],
    ])("[EX-11] a trace %s", async (_, values, expected) => {
      const sql = `insert into execution_trace
          (capability_id, capability_version, success, error_code, duration_ms, org, project, user_name,
           executed_path, decisions, parent_trace_id)
        values (${values}, 1.5, 'local', 'default', 'me', array['n1', 'd1'], '[{"nodeId": "d1", "outcome": "true"}]',
                gen_random_uuid())`;
      expect(await refusal(() => database.query(sql))).toBe(expected);
    });

    it("[EX-10] one result per task of a run", async () => {
      const sql = `insert into task_results (workflow_id, task_id, org, project, user_name, result, expires_at)
        values ('w', 't', 'local', 'default', 'me', '"x"', now())`;
      expect([await refusal(() => database.query(sql)), await refusal(() => database.query(sql))]).toEqual([
        "accepted",
        "23505 task_results_pkey",
      ]);
    });

    it("[ID-9] has the indexes of story 13.1", async () => {
      const { rows } = await database.query<{ definition: string }>(
        `select regexp_replace(indexdef, '^.* USING ', '') as definition from pg_indexes
          where tablename = 'capability_records' and schemaname = current_schema()`,
      );
      expect(rows.map(({ definition }) => definition)).toEqual(
        expect.arrayContaining([
          "btree (org, project)",
          "btree (org, project, display_name)",
          "btree (namespace)",
          "btree (created_by)",
          "gin (tags) WITH (fastupdate=off)",
          "btree (visibility)",
        ]),
      );
    });

    it("has no deferrable constraint: those deadlock under concurrent renames", async () => {
      const { rows } = await database.query(
        "select conname from pg_constraint where condeferrable and connamespace = current_schema()::regnamespace",
      );
      expect(rows).toEqual([]);
    });
  });
}
