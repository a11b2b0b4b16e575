/** A person backs up a store that is in use, and restores it: elsewhere, with another key, and to PostgreSQL and back. */
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptySchema } from "../support/databases.js";
import { type Installed, installed } from "../support/installed.js";

/** Several gateways one after the other. */
const LONG_MS = 120_000;
const ASKED = "Restore it? [y/N] ";

const ada = installed({ approvals: { unannotated: "auto" } });
const bob = installed({ approvals: { unannotated: "auto" } });
const file = join(ada.project, "pml.backup");

const names = async (who: Installed) =>
  (await who.json<{ capabilities: { name: string }[] }>("cap", "list")).capabilities.map(({ name }) => name);
const says = async (who: Installed, name: string) =>
  (await who.run("exec", "--capability", name, "--arg", "text=again")).stdout.trim();

beforeAll(async () => {
  const code = "return await mcp.healthy.echo({ text: args.text });";
  writeFileSync(join(ada.project, "say.ts"), code);
  writeFileSync(join(ada.project, "say2.ts"), `${code.slice(0, -1)} + "!";`);
  const say = (of: string, ...more: readonly string[]) =>
    ada.run(
      "exec",
      join(ada.project, of),
      "--intent",
      "say it",
      "--name",
      "say:it",
      "--arg",
      "text=hi",
      ...more,
    );
  expect(await say("say.ts")).toMatchObject({ code: 0 });
  expect(await say("say2.ts", "--update")).toMatchObject({ code: 0 });
  expect(await ada.run("cap", "rename", "say:it", "say:aloud")).toMatchObject({ code: 0 });
  expect(await ada.run("backup", file)).toMatchObject({ code: 0 });
}, LONG_MS);
afterAll(() => Promise.all([ada, bob].map((who) => who.run("stop"))));

describe("[SC-4] pml backup", () => {
  it("[TB-5] writes a file for its owner alone, without the signing key", () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = gunzipSync(readFileSync(file)).toString();
    const key = readFileSync(join(ada.place.keyDir, "installation-key.pem"), "utf8").split("\n")[1] ?? "";
    expect([key.length > 20, text.includes(key), text.includes("PRIVATE KEY")]).toEqual([true, false, false]);
  });

  it("says what is wrong with a place that cannot be written, and leaves nothing there", async () => {
    const { code, stderr } = await ada.run("backup", join(ada.project, "none", "x.backup"));
    expect([code, stderr]).toEqual([1, expect.stringContaining("Cannot write the backup")]);
    expect(readdirSync(ada.project).filter((name) => name.endsWith(".new"))).toEqual([]);
  });
});

describe("[ST-5, SC-4] pml restore", () => {
  it(
    "[TB-5] asks first, signs again what the other key had signed, and everything works",
    async () => {
      const before = await ada.run("restore", file, "--dry-run", "--data-dir", join(ada.project, "other"));
      expect(before.stdout).toMatch(/^Signed by: +SHA256:\S+, this installation$/m);
      expect(await bob.run("restore", file)).toMatchObject({ code: 1 });
      const no = await bob.atTerminal("n\n", ASKED, "restore", file);
      expect([no.code, existsSync(bob.dataDir)]).toEqual([1, false]);
      const { code, stdout, stderr } = await bob.run("restore", file, "--yes");
      expect([code, stdout]).toEqual([0, `Restored to ${bob.dataDir}; 2 versions were signed again\n`]);
      expect(stderr).toContain("This installation (SHA256:");
      expect(await names(bob)).toEqual(["say:aloud"]);
      expect([await says(bob, "say:aloud"), await says(bob, "say:it@v1")]).toEqual(['"again!"', '"again"']);
    },
    LONG_MS,
  );

  it(
    "replaces data only where --replace says so, and moves it to the backups",
    async () => {
      const refused = await bob.run("restore", file, "--yes");
      expect(refused.stderr).toMatch(/STORE_LOCKED/);
      await bob.run("stop");
      expect((await bob.run("restore", file, "--yes")).stderr).toContain(
        "it already has data (1 capabilities",
      );
      const { code, stdout } = await bob.run("restore", file, "--yes", "--replace");
      expect([code, stdout]).toEqual([0, expect.stringContaining("Moved to the backups: ")]);
      expect(await names(bob)).toEqual(["say:aloud"]);
    },
    LONG_MS,
  );

  it("refuses a file that is cut off, and touches nothing", async () => {
    const cut = join(ada.project, "cut.backup");
    writeFileSync(cut, readFileSync(file));
    truncateSync(cut, statSync(file).size >> 1);
    const carl = installed();
    const { code, stderr } = await carl.run("restore", cut, "--yes");
    expect([code, stderr]).toEqual([1, expect.stringContaining("[BACKUP_INVALID]")]);
    expect(existsSync(carl.dataDir)).toBe(false);
  });

  it(
    "[ST-1] restores into PostgreSQL, and from there into an embedded store",
    async () => {
      const url = await emptySchema();
      const dora = installed({ approvals: { unannotated: "auto" }, store: { url } });
      const [there, again] = [
        join(ada.project, "there.backup"),
        installed({ approvals: { unannotated: "auto" } }),
      ];
      expect(await dora.run("restore", file, "--yes")).toMatchObject({ code: 0 });
      expect([await names(dora), await says(dora, "say:it")]).toEqual([["say:aloud"], '"again!"']);
      expect((await dora.run("restore", file, "--yes")).stderr).toContain("it is not empty");
      expect(await dora.run("backup", there)).toMatchObject({ code: 0 });
      await dora.run("stop");
      expect(await again.run("restore", there, "--yes")).toMatchObject({ code: 0 });
      expect(await says(again, "say:it@v1")).toBe('"again"');
      await again.run("stop");
    },
    LONG_MS,
  );
});

describe("[SC-4] pml prune", () => {
  it("shows what would be deleted, deletes it, and keeps capabilities", async () => {
    const first = await ada.json<{ traces: { rows: number; bytes: number } }>(
      "prune",
      "--keep",
      "0",
      "--dry-run",
    );
    expect([first.traces.rows > 0, first.traces.bytes > 0]).toEqual([true, true]);
    const done = await ada.json<typeof first>("prune", "--keep", "0");
    expect(done.traces).toEqual(first.traces);
    expect((await ada.run("prune", "--keep", "0", "--dry-run")).stdout).toContain("Would free about 0 bytes");
    expect(await says(ada, "say:it")).toBe('"again!"');
  });
});
