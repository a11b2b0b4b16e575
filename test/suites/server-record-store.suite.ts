import { beforeEach, describe, expect, it } from "vitest";
import type { SqlValue } from "../../src/postgres/database.js";
import type { ServerRecord, ServerRecordStore, ServerSighting } from "../../src/registry/server-record.js";
import { parseServerName } from "../../src/registry/tool-id.js";

export interface OpenedServerRecordStore {
  readonly store: ServerRecordStore;
  /** The store of a second gateway. */
  readonly other: ServerRecordStore;
  rows(sql: string, values?: readonly SqlValue[]): Promise<readonly object[]>;
}

let projects = 0;

export function describeServerRecordStore(name: string, open: () => Promise<OpenedServerRecordStore>): void {
  describe(`ServerRecordStore: ${name}`, () => {
    let store: ServerRecordStore;
    let other: ServerRecordStore;
    let rows: OpenedServerRecordStore["rows"];
    /** Each test has its own project, because versions cannot be deleted. */
    let project: string;
    beforeEach(async () => {
      ({ store, other, rows } = await open());
      projects += 1;
      project = `p${projects}`;
    });

    /** `files=1.2.0`, or only `files` while its version is unknown. */
    function seen(text: string, changes: Partial<ServerSighting> = {}): ServerSighting {
      const [server = "", versionTag] = text.split("=");
      return {
        server: parseServerName(server),
        org: "acme",
        project,
        createdBy: "ada@acme",
        routing: "local",
        visibility: "project",
        codeUrl: `npm:${server}`,
        versionTag,
        description: undefined,
        ...changes,
      };
    }

    const shown = ({ displayName, version, versionTag, codeUrl }: ServerRecord) =>
      `${displayName} ${version} ${versionTag} ${codeUrl}`;

    async function sight(...sightings: readonly ServerSighting[]): Promise<readonly string[]> {
      return (await store.sight(sightings)).map(shown);
    }

    async function versions({ fqdn }: Pick<ServerRecord, "fqdn">): Promise<readonly string[]> {
      return (await store.versions(fqdn)).map(
        ({ version, versionTag, codeUrl }) => `${version} ${versionTag} ${codeUrl}`,
      );
    }

    async function only(sighting: ServerSighting): Promise<ServerRecord> {
      const [record] = await store.sight([sighting]);
      if (record === undefined) throw new Error("There is no record");
      return record;
    }

    it("[ID-14] knows the servers that are seeded", async () => {
      const seeded = (await store.load()).filter(({ isSeeded }) => isSeeded);
      expect(
        seeded.map(({ fqdn, displayName, versionTag, codeUrl, visibility, routing, createdBy }) =>
          [fqdn, displayName, versionTag, codeUrl, visibility, routing, createdBy].join(" "),
        ),
      ).toEqual([
        "pml.std.mcp.filesystem.807a mcp:filesystem 2026.8.31 npm:@modelcontextprotocol/server-filesystem public local pml@pml",
        "pml.std.mcp.shell.2e6b mcp:shell 1.0.0 pypi:mcp-shell-server public local pml@pml",
        "pml.std.mcp.sqlite.5321 mcp:sqlite 0.6.2 pypi:mcp-server-sqlite public local pml@pml",
      ]);
      for (const record of seeded)
        expect(await versions(record)).toEqual([`1 ${record.versionTag} ${record.codeUrl}`]);
    });

    it("[ID-14] makes the record of a server that was configured", async () => {
      expect(await only(seen("Files.v2", { description: "Files", routing: "cloud" }))).toEqual({
        fqdn: expect.stringMatching(new RegExp(`^acme\\.${project}\\.mcp\\.files_v2\\.[0-9a-f]{4}$`)),
        server: "Files.v2",
        displayName: "mcp:Files.v2",
        org: "acme",
        project,
        description: "Files",
        routing: "cloud",
        visibility: "project",
        codeUrl: "npm:Files.v2",
        version: 1,
        versionTag: undefined,
        createdBy: "ada@acme",
        creators: ["ada@acme"],
        createdAt: expect.any(Date),
        updatedAt: undefined,
        isSeeded: false,
      });
    });

    it("[ID-14] version 1 is what the server says when it answers for the first time", async () => {
      const record = await only(seen("files"));
      expect(await versions(record)).toEqual(["1 undefined npm:files"]);
      expect(await sight(seen("files=1.2.0"))).toEqual(["mcp:files 1 1.2.0 npm:files"]);
      expect(await versions(record)).toEqual(["1 1.2.0 npm:files"]);
    });

    it("[ID-14] another version tag or code URL is a new version", async () => {
      const record = await only(seen("files=1.2.0"));
      expect(await sight(seen("files=1.3.0"))).toEqual(["mcp:files 2 1.3.0 npm:files"]);
      await sight(seen("files=1.3.0", { codeUrl: "npm:files2" }));
      await sight(seen("files=nightly", { codeUrl: undefined }));
      expect(await versions(record)).toEqual([
        "4 nightly undefined",
        "3 1.3.0 npm:files2",
        "2 1.3.0 npm:files",
        "1 1.2.0 npm:files",
      ]);
    });

    it("[ID-14] a server that has not answered yet keeps its version, and says where its code is now", async () => {
      const record = await only(seen("files=1.2.0"));
      expect(await sight(seen("files", { codeUrl: "npm:files2" }))).toEqual(["mcp:files 1 1.2.0 npm:files2"]);
      expect(await versions(record)).toEqual(["1 1.2.0 npm:files"]);
      expect(await sight(seen("files=1.2.0", { codeUrl: "npm:files2" }))).toEqual([
        "mcp:files 2 1.2.0 npm:files2",
      ]);
    });

    it("[ID-14] what says nothing new writes nothing", async () => {
      const state = () =>
        rows(
          "select id, xmin::text, xmax::text, ctid::text, revision from capability_records where project = $1",
          [project],
        );
      await sight(seen("files=1.2.0", { description: "Files" }), seen("mail"));
      const before = await state();
      expect(await sight(seen("files"), seen("files=1.2.0", { description: "Files" }), seen("mail"))).toEqual(
        ["mcp:files 1 1.2.0 npm:files", "mcp:files 1 1.2.0 npm:files", "mcp:mail 1 undefined npm:mail"],
      );
      expect(await state()).toEqual(before);
    });

    it("[ID-14] routing, visibility and description follow the configuration", async () => {
      const before = await only(seen("files=1.2.0", { description: "Old" }));
      const after = await only(seen("files", { routing: "cloud", visibility: "public", description: "New" }));
      expect(after).toEqual({
        ...before,
        routing: "cloud",
        visibility: "public",
        description: "New",
        updatedAt: expect.any(Date),
      });
      expect(await only(seen("files"))).toMatchObject({ visibility: "project", description: "New" });
    });

    it("[ID-7] everyone who has it configured counts as its creator", async () => {
      await only(seen("files", { visibility: "private" }));
      expect(await only(seen("files", { visibility: "private", createdBy: "bob@acme" }))).toMatchObject({
        createdBy: "ada@acme",
        creators: ["ada@acme", "bob@acme"],
      });
    });

    it("[ID-14] names that differ by case, hyphens or dots only are servers of their own", async () => {
      const names = ["files", "Files", "my-files", "my_files", "my.files"];
      const records = await store.sight(names.map((one) => seen(one)));
      expect(records.map(({ displayName }) => displayName)).toEqual(names.map((one) => `mcp:${one}`));
      expect(new Set(records.map(({ fqdn }) => fqdn)).size).toBe(names.length);
    });

    it("[ID-1] the hash grows where another record has the FQDN", async () => {
      const { fqdn } = await only(seen("files"));
      // Simulated, because it cannot be produced at will: a name whose hash starts with the same digits.
      await rows(
        "update capability_records set display_name = 'mcp:x', display_name_fold = 'mcp:x' where id = $1",
        [fqdn],
      );
      expect((await only(seen("files"))).fqdn).toMatch(new RegExp(`^${fqdn}[0-9a-f]{4}$`));
    });

    it("[ID-14] the same server in another project is another record", async () => {
      await sight(seen("files=1.0.0"));
      expect(await sight(seen("files=2.0.0", { project: `${project}b` }), seen("files"))).toEqual([
        "mcp:files 1 2.0.0 npm:files",
        "mcp:files 1 1.0.0 npm:files",
      ]);
    });

    it("[ST-3] two gateways that see the same at the same time make one record and one version", async () => {
      const both = (...texts: readonly string[]) =>
        Promise.all([
          store.sight(texts.map((text) => seen(text))),
          other.sight([...texts].reverse().map((text) => seen(text))),
        ]);
      for (const tag of ["1.0.0", "1.1.0", "1.2.0"]) await both(`a=${tag}`, `b=${tag}`, `c=${tag}`);
      const records = (await store.load()).filter((record) => record.project === project);
      expect(records.map(shown)).toEqual([
        "mcp:a 3 1.2.0 npm:a",
        "mcp:b 3 1.2.0 npm:b",
        "mcp:c 3 1.2.0 npm:c",
      ]);
      for (const record of records) expect(await versions(record)).toHaveLength(3);
    });

    it("keeps whatever a server says of itself", async () => {
      const versionTag = "1\u0000\\u0041\ud800";
      expect((await only(seen("files", { versionTag, description: "\u0000" }))).versionTag).toBe(versionTag);
      await store.sight([seen("files", { versionTag, description: "\u0000" })]);
      expect(await only(seen("files"))).toMatchObject({ version: 1, versionTag, description: "\u0000" });
    });

    it("of what does not exist there are no versions", async () => {
      const { fqdn } = await only(seen("files"));
      expect(await store.versions(`${fqdn}0000` as typeof fqdn)).toEqual([]);
    });

    it.each([
      "update server_versions set version_tag = 'x'",
      "delete from server_versions",
      "truncate server_versions",
    ])("[ID-14] history is append-only: %s", async (sql) => {
      await expect(rows(sql)).rejects.toMatchObject({ code: "23001" });
    });
  });
}
