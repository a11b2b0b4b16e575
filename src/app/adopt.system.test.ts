import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { silentLog } from "../base/log.js";
import { ownDirectory } from "../daemon/own-directory.js";
import { openStore } from "../postgres/open-store.js";
import { openAdoption } from "./adopt.js";
import { writeBackup } from "./backup-file.js";
import { installationKeyOf } from "./data-directory.js";
import { openRestore } from "./restore.js";
import { readSettings } from "./settings.js";

const seen = vi.hoisted(() => ({ look: () => {} }));
/** Looks at what is there when a directory is about to be renamed, or moved to the backups. */
vi.mock("./replace-directory.js", async (load) => {
  const own = await load<typeof import("./replace-directory.js")>();
  const takePlace: typeof own.takePlace = (...given) => {
    seen.look();
    return own.takePlace(...given);
  };
  return { ...own, takePlace };
});
vi.mock("./backups.js", async (load) => {
  const own = await load<typeof import("./backups.js")>();
  const moveToBackups: typeof own.moveToBackups = (...given) => {
    seen.look();
    return own.moveToBackups(...given);
  };
  return { ...own, moveToBackups };
});

/** Several stores are made. */
const LONG_MS = 60_000;
const root = mkdtempSync(join(tmpdir(), "pml-adopt-"));
const backups = join(root, "backups");
const config = join(root, "pml.json");
writeFileSync(config, JSON.stringify({ mcpServers: {} }));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const settingsOf = (dataDir: string) =>
  readSettings({ config, dataDir }, { XDG_DATA_HOME: join(root, "user"), HOME: root });

async function makeStore(directory: string): Promise<string> {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  await (await openStore({ dataDir: directory, log: silentLog })).close();
  writeFileSync(join(directory, "mark"), "as it was");
  return directory;
}

const RUNTIME = /^owner\.json$|\.lock$/;

it(
  "[TB-5] a new directory has an owner while a person decides, and is gone after their no",
  async () => {
    const from = await makeStore(join(root, "theirs"));
    const to = join(root, "data", "new");
    const open = () => openAdoption(settingsOf(to), { from, to }, { backups, replace: false });
    const adoption = await open();
    await expect(ownDirectory(to, "background")).rejects.toMatchObject({ code: "STORE_LOCKED" });
    await adoption.close();
    expect([readdirSync(join(root, "data")), existsSync(join(from, "mark"))]).toEqual([[], true]);
    const again = await open();
    const [moved = ""] = (await again.take()).backups;
    await again.close();
    expect([existsSync(join(to, "pgdata")), existsSync(from)]).toEqual([true, false]);
    expect([to, moved].flatMap((one) => readdirSync(one)).filter((name) => RUNTIME.test(name))).toEqual([]);
  },
  LONG_MS,
);

it.each(["adopt", "restore"] as const)(
  "[ST-2, TB-5] %s keeps a directory that is replaced from gateways until it is no more in its place",
  async (what) => {
    const to = await makeStore(join(root, what));
    const settings = settingsOf(to);
    const file = join(root, `${what}.backup`);
    const store = await openStore({ dataDir: to, log: silentLog });
    await writeBackup(store.database, file, installationKeyOf(settings).publicKey);
    await store.close();
    // A restore takes no directory of another installation.
    if (what === "restore")
      await (await openAdoption(settings, { from: to, to }, { backups, replace: true })).take();
    writeFileSync(join(to, "mark"), "as it was");
    const owned: boolean[] = [];
    seen.look = () => {
      if (existsSync(join(to, "mark"))) owned.push(existsSync(join(to, "owner.json")));
    };
    const opened =
      what === "adopt"
        ? await openAdoption(settings, { from: to, to }, { backups, replace: true })
        : await openRestore(settings, file, { backups, replace: true });
    const [moved = ""] = (await opened.take()).backups;
    await opened.close();
    seen.look = () => {};
    expect(owned).toEqual([true]);
    expect([existsSync(join(moved, "mark")), existsSync(join(to, "mark"))]).toEqual([true, false]);
    expect([to, moved].flatMap((one) => readdirSync(one)).filter((name) => RUNTIME.test(name))).toEqual([]);
    const next = await ownDirectory(to, "background");
    next.release();
  },
  LONG_MS,
);
