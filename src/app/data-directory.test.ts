import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { claimDataDirectory, installationKeyOf, prepareDataDirectory } from "./data-directory.js";
import type { InstallationId } from "./installation-id.js";
import { draftFor } from "./replace-directory.js";
import { readSettings } from "./settings.js";

const root = mkdtempSync(join(tmpdir(), "pml-data-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const env = { XDG_DATA_HOME: join(root, "user"), HOME: root };
/** Settings of a configuration of that name, whose data lies in `name-data`. */
function settingsOf(name: string, more: object = {}, dataDir = join(root, `${name}-data`)) {
  const config = join(root, `${name}.json`);
  writeFileSync(config, JSON.stringify({ mcpServers: {}, ...more }));
  return readSettings({ config, dataDir }, env);
}

async function start(settings: ReturnType<typeof settingsOf>) {
  await prepareDataDirectory(settings);
  return await claimDataDirectory(settings, installationKeyOf(settings));
}

const idIn = (directory: string) =>
  JSON.parse(readFileSync(join(directory, "installation.json"), "utf8")) as InstallationId;
const refusal = (settings: ReturnType<typeof settingsOf>) =>
  start(settings).then(
    () => "started",
    ({ code }: { code: string }) => code,
  );

describe("[TB-5] a data directory", () => {
  it("gets an id when it is new, and keeps it", async () => {
    const settings = settingsOf("new");
    const { id } = await start(settings);
    expect(await start(settings)).toMatchObject({ id });
    expect(idIn(settings.dataDir)).toMatchObject({
      id,
      config: settings.config.file,
      configHash: settings.config.hash,
    });
    expect(statSync(join(settings.dataDir, "installation.json")).mode & 0o777).toBe(0o600);
    expect(readdirSync(settings.dataDir).sort()).toEqual([".gitignore", "installation.json"]);
    expect(readFileSync(join(settings.dataDir, ".gitignore"), "utf8")).toBe("*\n");
  });

  it("[ST-2, SC-4] is back where a restore was killed just after it had renamed it, and not where a person removed it", async () => {
    const settings = settingsOf("killed");
    const { id } = await start(settings);
    const [old, draft] = [`${settings.dataDir}.replaced-0a1b2c3d`, draftFor(settings.dataDir)];
    mkdirSync(draft);
    renameSync(settings.dataDir, old);
    expect(await start(settings)).toMatchObject({ id });
    expect(existsSync(old)).toBe(false);
    rmSync(draft, { recursive: true });
    renameSync(settings.dataDir, old);
    expect((await start(settings)).id).not.toBe(id);
    expect(existsSync(old)).toBe(true);
  });

  it("[FH-6] is kept out of git, also where an earlier version made it, but for directories with other files", async () => {
    const settings = settingsOf("earlier");
    await start(settings);
    const file = join(settings.dataDir, ".gitignore");
    rmSync(file);
    await start(settings);
    expect(readFileSync(file, "utf8")).toBe("*\n");
    rmSync(file);
    writeFileSync(join(settings.dataDir, "notes.txt"), "mine");
    await start(settings);
    expect(existsSync(file)).toBe(false);
  });

  it("has one id when several processes make it at the same time", async () => {
    const settings = settingsOf("many");
    const ids = await Promise.all(Array.from({ length: 8 }, async () => (await start(settings)).id));
    expect(new Set(ids).size).toBe(1);
  });

  it("notes the configuration that it was last used with", async () => {
    const before = settingsOf("first", {}, join(root, "shared"));
    const { id } = await start(before);
    const after = settingsOf("second", { exposure: "lean" }, join(root, "shared"));
    expect(await start(after)).toMatchObject({ id });
    expect(idIn(after.dataDir)).toMatchObject({
      id,
      config: after.config.file,
      configHash: after.config.hash,
    });
    expect(await start(before)).toMatchObject({ id });
  });

  it("may have files in it that PML does not read, which git goes on to see", async () => {
    const settings = settingsOf("theirs");
    mkdirSync(settings.dataDir);
    writeFileSync(join(settings.dataDir, "notes.txt"), "mine");
    await start(settings);
    expect(readdirSync(settings.dataDir).sort()).toEqual(["installation.json", "notes.txt"]);
  });

  it.each([
    "pgdata",
    "catalogue.json",
    "capabilities.json",
    "installation-key.pem",
    "trusted-keys.json",
    "signed-again",
  ])("is refused with %s and without an id", async (name) => {
    const settings = settingsOf(`has-${name}`);
    mkdirSync(settings.dataDir);
    writeFileSync(join(settings.dataDir, name), "");
    expect(await refusal(settings)).toBe("DATA_FOREIGN");
  });

  it("is signed by store.signingKey where there is one, and refused with another key", async () => {
    const key = (name: string) => installationKeyOf({ ...settingsOf("x"), keyDir: join(root, name) });
    const own = settingsOf("signed", { store: { signingKey: join(root, "k1", "installation-key.pem") } });
    const { publicKey } = key("k1");
    await start(own);
    expect(idIn(own.dataDir).publicKey).toBe(publicKey);
    key("k2");
    const other = settingsOf("signed", { store: { signingKey: join(root, "k2", "installation-key.pem") } });
    expect(await refusal(other)).toBe("DATA_FOREIGN");
    expect(await refusal(settingsOf("signed"))).toBe("DATA_FOREIGN");
  });

  it("is refused where the keys lie in it", async () => {
    const settings = settingsOf("inside");
    for (const keyDir of [settings.dataDir, join(settings.dataDir, "keys")])
      expect(await refusal({ ...settings, keyDir })).toBe("CONFIG_INVALID");
    expect(await refusal({ ...settings, keyDir: `${settings.dataDir}-keys` })).toBe("started");
  });
});
