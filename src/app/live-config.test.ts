/** Which state of the files a running gateway uses. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { capturedLog } from "../../test/support/captured-log.js";
import { silentLog } from "../base/log.js";
import { removeAccepted } from "./accepted-configs.js";
import { LiveConfig, loadState } from "./live-config.js";
import { realPath } from "./places.js";
import { SecretStore } from "./secret-store.js";
import { readSettings, settingsFingerprint } from "./settings.js";
import { acceptNamed } from "./trust.js";

const home = mkdtempSync(join(tmpdir(), "pml-live-"));
afterAll(() => rmSync(home, { recursive: true }));
let count = 0;

const A = { command: "a" };
const B = { command: "b" };

/** A gateway that was started with this configuration and these variables. */
async function started(config: object, env: Readonly<Record<string, string>> = {}) {
  count += 1;
  const directory = join(home, String(count));
  mkdirSync(directory, { mode: 0o700 });
  const file = join(directory, "pml.json");
  const rules = join(directory, "mcp-permissions.yaml");
  const write = (value: unknown) =>
    writeFileSync(file, typeof value === "string" ? value : JSON.stringify(value));
  write(config);
  const machine = { HOME: directory, PML_KEY_DIR: join(directory, "keys"), ...env };
  const read = () => readSettings({ config: file, dataDir: join(directory, "data") }, machine);
  const settings = read();
  const accept = () => acceptNamed(read(), silentLog);
  accept();
  const changes: string[] = [];
  const live = new LiveConfig(await loadState(settings, silentLog), silentLog, async ({ now, changed }) => {
    changes.push(`${now.entries.map(({ name }) => name).join(" ")} | ${[...changed].join(" ")}`);
  });
  const secrets = { store: new SecretStore(machine), env: machine };
  return { live, write, rules, file, accept, changes, settings, read, secrets, keyDir: machine.PML_KEY_DIR };
}

describe("[FH-4] a running gateway", () => {
  it("takes over servers that are gone, and those that a person has accepted", async () => {
    const { live, write, accept, changes } = await started({ mcpServers: { a: A, b: B } });
    write({ mcpServers: { a: A } });
    await live.reload();
    write({ mcpServers: { a: { ...A, args: ["x"] }, c: B } });
    await live.reload();
    expect(live.problem).toMatchObject({ code: "CONFIG_UNTRUSTED" });
    expect(live.status().problem?.message).toContain('the server "c" is new');
    accept();
    await live.reload();
    expect(live.problem).toBeUndefined();
    await live.reload();
    expect(changes).toEqual(["a | ", "a c | a c"]);
  });

  it("restarts only what has changed, also where that is how much a server is believed", async () => {
    const { live, write, accept, changes } = await started({ mcpServers: { a: A, b: B, c: B } });
    write({ mcpServers: { a: { ...A, trusted: false }, b: { ...B, note: "a foreign key" }, c: B } });
    accept();
    await live.reload();
    expect(changes).toEqual(["a b c | a b"]);
    expect(live.now.config.mcpServers?.a?.trusted).toBe(false);
  });

  it.each(["{", '{ "mcpServers": {', '{ "sandbox": { "engine": "x" } }', "[]"])(
    "goes on as before with a broken file: %s",
    async (text) => {
      const { live, write, changes } = await started({ mcpServers: { a: A } });
      write(text);
      await live.reload();
      expect(live.problem?.code).toBe("CONFIG_INVALID");
      expect(live.now.entries.map(({ name }) => name)).toEqual(["a"]);
      write({ mcpServers: {} });
      await live.reload();
      expect(live.problem).toBeUndefined();
      expect(changes).toEqual([" | "]);
    },
  );

  it("shows a broken server as one that is not started, and the others run on", async () => {
    const { live, write, accept, changes } = await started({ mcpServers: { a: A, b: B } });
    write({ mcpServers: { a: A, b: { command: 5 } } });
    accept();
    await live.reload();
    expect(changes).toEqual(["a b | b"]);
    expect(live.now.entries.find(({ name }) => name === "b")?.problem?.message).toContain(
      "expected string, found a number at mcpServers.b.command",
    );
  });

  it("[GW-3] says in its log which entry is wrong, in which file, and what was expected", async () => {
    const { settings } = await started({ mcpServers: { a: A, b: { command: 5 } } });
    const log = capturedLog();
    await loadState(settings, log);
    expect(log.lines.join("\n")).toMatch(
      /server\.disabled.*pml\.json.*expected string, found a number at mcpServers\.b\.command/,
    );
  });

  it("takes over stricter rules, and weaker ones after a person has accepted them", async () => {
    const { live, rules, accept } = await started({ mcpServers: { a: A } });
    const mode = () => live.now.rules.permissions.defaults.approvalMode;
    writeFileSync(rules, "defaults: { approvalMode: deny }");
    await live.reload();
    expect(mode()).toBe("deny");
    writeFileSync(rules, "defaults: { approvalMode: auto }");
    await live.reload();
    expect(mode()).toBe("deny");
    accept();
    await live.reload();
    expect(mode()).toBe("auto");
    writeFileSync(rules, "defaults: [");
    await live.reload();
    expect([mode(), live.problem?.code]).toEqual(["auto", "CONFIG_INVALID"]);
  });

  it("says which keys need a restart, uses the rest, and keeps the print of what runs", async () => {
    const { live, write, settings, read } = await started({ mcpServers: { a: A, b: B } });
    const before = settingsFingerprint(settings);
    write({ mcpServers: { a: A }, sandbox: { memoryMb: 64 }, exposure: "lean", log: { level: "warn" } });
    await live.reload();
    expect(live.status().needsRestart).toEqual(["log", "sandbox"]);
    const now = settingsFingerprint(live.now.settings);
    expect(now.sandbox).toBe(before.sandbox);
    expect(now.sandbox).not.toBe(settingsFingerprint(read()).sandbox);
    expect(now["mcpServers.b"]).toBeUndefined();
  });

  it("finds the variables of the client that started it, and of one that joins", async () => {
    const V = (name: string) => `$${`{${name}}`}`;
    const entry = (...names: readonly string[]) => ({ command: "x", args: names.map(V) });
    const { live, write, accept } = await started({ mcpServers: { a: entry("ONE") } }, { ONE: "1" });
    write({ mcpServers: { a: entry("ONE", "TWO") } });
    accept();
    await live.reload({ ONE: "another", TWO: 5 } as never);
    expect(live.now.entries[0]?.problem?.message).toContain("the variable TWO is not set");
    await live.reload({ ONE: "another", TWO: "2" });
    expect(live.now.entries).toMatchObject([{ args: ["1", "2"] }]);
    await live.reload();
    expect(live.now.entries).toMatchObject([{ args: ["1", "2"] }]);
  });

  it("keeps the default of a variable that the client that started it did not have", async () => {
    const a = { command: "x", args: [`$${"{MODE:-safe}"}`] };
    const { live, write } = await started({ mcpServers: { a, b: B } });
    await live.reload({ MODE: "other" });
    write({ mcpServers: { a } });
    await live.reload({ MODE: "other" });
    expect(live.now.entries).toMatchObject([{ args: ["safe"] }]);
  });

  it("finds the usual variables of its own process where no client has given them", async () => {
    const { live, write, accept } = await started({ mcpServers: {} });
    write({ mcpServers: { a: { command: "x", args: [`$${"{PATH}"}`] } } });
    accept();
    await live.reload();
    expect(live.now.entries).toMatchObject([{ args: [process.env.PATH] }]);
  });

  it("does not use a file that is no longer accepted", async () => {
    const { live, write, keyDir, changes } = await started({ mcpServers: { a: A, b: B } });
    removeAccepted(keyDir, realPath(live.status().file));
    write({ mcpServers: { a: A } });
    await live.reload();
    expect([live.problem?.code, changes]).toEqual(["CONFIG_UNTRUSTED", []]);
  });

  it("[FH-4] looks at its files by itself, and waits until they stand still", async () => {
    vi.useFakeTimers();
    try {
      const { live, write, changes } = await started({ mcpServers: { a: A, b: B } });
      live.watch();
      write({ mcpServers: { a: A } });
      await vi.advanceTimersByTimeAsync(1_000);
      expect(changes).toEqual([]);
      write('{ "mcpServers": { } }');
      await vi.advanceTimersByTimeAsync(1_000);
      expect(changes).toEqual([]);
      await vi.advanceTimersByTimeAsync(1_000);
      await live.stop();
      expect(changes).toEqual([" | "]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("takes over what was changed after it was read and before it was looked at", async () => {
    vi.useFakeTimers();
    try {
      const { live, write, changes } = await started({ mcpServers: { a: A, b: B } });
      write({ mcpServers: { a: A } });
      live.watch();
      await vi.advanceTimersByTimeAsync(1_000);
      await live.stop();
      expect(changes).toEqual(["a | "]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("[DO-5] takes over a secret that was set or replaced, and says that a file with variables changed", async () => {
    vi.useFakeTimers();
    try {
      const env = { T: `$${"{secret:T}"}` };
      const a = { command: "x", env, envFile: "a.env" };
      const { live, file, changes, secrets } = await started({ mcpServers: {} });
      const variables = join(dirname(file), "a.env");
      writeFileSync(variables, "ONE=1");
      writeFileSync(file, JSON.stringify({ mcpServers: { a, b: B } }));
      acceptNamed(readSettings({ config: file }, secrets.env), silentLog);
      await live.reload();
      expect(live.now.entries.find(({ name }) => name === "a")?.problem?.code).toBe("SECRET_UNKNOWN");
      live.watch();
      for (const value of ["first", "second"]) {
        secrets.store.set("T", value);
        await vi.advanceTimersByTimeAsync(2_000);
        expect(live.now.entries.find(({ name }) => name === "a")).toMatchObject({
          env: { ONE: "1", T: value },
        });
        expect(live.now.settings.config.secrets).toEqual([value]);
      }
      expect(changes).toEqual(["b a | b a", "a b | a", "a b | a"]);
      writeFileSync(variables, "ONE=other");
      await vi.advanceTimersByTimeAsync(2_000);
      await live.stop();
      expect(live.problem?.message).toContain("variables in envFile");
      expect(live.now.entries.find(({ name }) => name === "a")).toMatchObject({ env: { ONE: "1" } });
    } finally {
      vi.useRealTimers();
    }
  });
});
