import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { silentLog } from "../base/log.js";
import { ownDirectory } from "../daemon/own-directory.js";
import { openStore } from "../postgres/open-store.js";
import { writeBackup } from "./backup-file.js";
import { installationKeyOf } from "./data-directory.js";
import { openRestore } from "./restore.js";
import { readSettings } from "./settings.js";

/** Four stores are made. */
const LONG_MS = 60_000;
const root = mkdtempSync(join(tmpdir(), "pml-restore-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

it(
  "[TB-5, SC-4] a new directory has an owner while a person decides, and is gone after their no",
  async () => {
    const config = join(root, "pml.json");
    const dataDir = join(root, "data", "new");
    const [file, backups] = [join(root, "pml.backup"), join(root, "backups")];
    writeFileSync(config, JSON.stringify({ mcpServers: {} }));
    const settings = readSettings({ config, dataDir }, { XDG_DATA_HOME: join(root, "user"), HOME: root });
    mkdirSync(join(root, "other"));
    const store = await openStore({ dataDir: join(root, "other"), log: silentLog });
    await writeBackup(store.database, file, installationKeyOf(settings).publicKey);
    await store.close();
    const restore = await openRestore(settings, file, { backups, replace: false });
    await expect(ownDirectory(dataDir, "background")).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await expect(openRestore(settings, file, { backups, replace: false })).rejects.toMatchObject({
      hint: expect.stringMatching(/^Stop it with `pml stop`/),
    });
    const dry = await openRestore(settings, file, { backups, replace: false, isDryRun: true });
    expect(dry.found).toMatchObject({ to: dataDir, capabilities: 0 });
    await expect(dry.take()).rejects.toThrow("a dry run");
    await dry.close();
    await restore.close();
    expect(readdirSync(join(root, "data"))).toEqual([]);
    const again = await openRestore(settings, file, { backups, replace: false });
    expect((await again.take()).backups).toEqual([]);
    await again.close();
    expect([existsSync(join(dataDir, "pgdata")), existsSync(backups)]).toEqual([true, false]);
  },
  LONG_MS,
);
