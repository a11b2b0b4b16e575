/** Exactly the accepted files are used, even if the files change between two reads. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Log, silentLog } from "../base/log.js";
import { acceptedConfig, removeAccepted } from "./accepted-configs.js";
import { readSettings } from "./settings.js";
import { acceptNamed } from "./trust.js";

const fs = vi.hoisted(() => ({ afterRead: (_file: unknown): void => {} }));
vi.mock("node:fs", async (original) => {
  const real = await original<typeof import("node:fs")>();
  const readFileSync = (...args: Parameters<typeof real.readFileSync>) => {
    const content = real.readFileSync(...args);
    fs.afterRead(args[0]);
    return content;
  };
  return { ...real, readFileSync };
});

const directory = realpathSync(mkdtempSync(join(tmpdir(), "pml-trust-")));
const work = join(directory, "work");
const keyDir = join(directory, "keys");
const env = { XDG_CONFIG_HOME: join(directory, "xdg"), PML_KEY_DIR: keyDir };
const file = join(work, "pml.json");
const rulesFile = join(work, "mcp-permissions.yaml");
const before = process.cwd();
mkdirSync(work);
process.chdir(work);
afterAll(() => {
  process.chdir(before);
  rmSync(directory, { recursive: true, force: true });
});

const GOOD = { mcpServers: { good: { command: "good", env: { KEY: "s3cret" } } } };
const EVIL = { mcpServers: { evil: { command: "evil" } } };
const write = (config: object) => writeFileSync(file, JSON.stringify(config));
const read = () => readSettings({}, env);
const acceptNow = (log: Log = silentLog) => acceptNamed(readSettings({ config: file }, env), log);

beforeEach(() => {
  process.chdir(work);
  fs.afterRead = () => {};
  removeAccepted(keyDir, file);
  rmSync(rulesFile, { force: true });
  write(GOOD);
});

describe("[TB-5, GW-3] a pml.json in the current directory", () => {
  it("is used as the very bytes that were judged, and so are its rules", () => {
    writeFileSync(rulesFile, "defaults: { approvalMode: deny }");
    acceptNow();
    const swapped: unknown[] = [];
    fs.afterRead = (one) => {
      if (one !== file && one !== rulesFile) return;
      swapped.push(one);
      writeFileSync(file, JSON.stringify(EVIL));
      writeFileSync(rulesFile, "defaults: { approvalMode: auto }");
      fs.afterRead = (other) => void (other === file || other === rulesFile ? swapped.push(other) : 0);
    };
    // The rules were swapped before they were read, so it is these that are judged.
    expect(() => read()).toThrow("the rule for defaults is auto now, and was deny");
    expect(swapped).toEqual([file, rulesFile]);
    writeFileSync(rulesFile, "defaults: { approvalMode: deny }");
    write(GOOD);
    fs.afterRead = (one) => {
      if (one === file) write(EVIL);
      if (one === rulesFile) writeFileSync(rulesFile, "defaults: { approvalMode: auto }");
    };
    const { config, permissions } = read();
    expect({ config: config.value, rules: permissions?.text }).toEqual({
      config: GOOD,
      rules: "defaults: { approvalMode: deny }",
    });
    fs.afterRead = () => {};
    expect(read).toThrow('the server "evil" is new');
  });

  it("is refused until it was accepted, with what to do", () => {
    expect(read).toThrow(
      expect.objectContaining({
        code: "CONFIG_UNTRUSTED",
        message: `Cannot use "${file}": it starts programs and is not trusted yet`,
        hint: `Review it, then run \`pml trust ${file}\`, or name it with --config.`,
      }),
    );
  });

  it("tells what became weaker, and no secret", () => {
    acceptNow();
    write({
      mcpServers: { good: { command: "good", env: { KEY: "0ther" } } },
      approvals: { scripted: true },
    });
    expect(read).toThrow(
      expect.objectContaining({
        code: "CONFIG_UNTRUSTED",
        message: `Cannot use "${file}": it is no longer trusted, because it or its rules became weaker since it was accepted: the server "good" has changed: environment; approvals.scripted is true now`,
        data: {
          file,
          weaker: ['the server "good" has changed: environment', "approvals.scripted is true now"],
        },
      }),
    );
    expect(JSON.stringify(acceptedConfig(keyDir, file))).not.toMatch(/s3cret|0ther/);
  });

  it("may become stricter, and cannot go back from there unasked", () => {
    write({ ...GOOD, approvals: { unannotated: "hil" } });
    acceptNow();
    write({ ...GOOD, approvals: { unannotated: "deny" } });
    expect(read().config.value.approvals).toEqual({ unannotated: "deny" });
    write({ ...GOOD, approvals: { unannotated: "hil" } });
    expect(read).toThrow("approvals.unannotated is hil now, and was deny");
  });

  it("is judged as it is written: variables may have other values", () => {
    write({ mcpServers: { good: { command: "good", args: [`$${"{TOKEN}"}`] } } });
    acceptNamed(readSettings({ config: file }, { ...env, TOKEN: "one" }), silentLog);
    const { config } = readSettings({}, { ...env, TOKEN: "two" });
    expect(config.value.mcpServers).toMatchObject({ good: { args: ["two"] } });
  });

  it("is known by its real path", () => {
    acceptNow();
    symlinkSync(work, join(directory, "link"));
    process.chdir(join(directory, "link"));
    expect(read().config.value).toEqual(GOOD);
    process.chdir(work);
  });

  it.runIf(process.platform !== "win32")(
    "does not wait for a pipe or a device in its place, or that of its rules",
    () => {
      for (const name of ["pml.json", "mcp-permissions.yaml"])
        for (const endless of ["pipe", "/dev/zero"]) {
          const place = mkdtempSync(join(directory, "endless-"));
          writeFileSync(join(place, "pml.json"), "{}");
          rmSync(join(place, name), { force: true });
          if (endless === "pipe") execFileSync("mkfifo", [join(place, name)]);
          else symlinkSync(endless, join(place, name));
          expect(() => readSettings({ config: join(place, "pml.json") }, env)).toThrow("not a regular file");
        }
    },
  );

  it("starts nothing from the directory of a link to it", () => {
    acceptNow();
    const repository = join(directory, "repository");
    mkdirSync(repository);
    symlinkSync(file, join(repository, "pml.json"));
    process.chdir(repository);
    expect(read().config.directory).toBe(work);
    writeFileSync(join(repository, "mcp-permissions.yaml"), "defaults: { approvalMode: auto }");
    expect(read().permissions).toBeUndefined();
  });
});

describe("[TB-5] a configuration that was named with --config", () => {
  it("is accepted by the gateway that starts with it, and by reading it alone it is not", () => {
    const settings = readSettings({ config: file }, env);
    expect(acceptedConfig(keyDir, file)).toBeUndefined();
    // To the background gateway, settings go as JSON.
    acceptNamed(JSON.parse(JSON.stringify(settings)) as typeof settings, silentLog);
    expect(read().config.value).toEqual(GOOD);
    write(EVIL);
    expect(readSettings({ config: file }, env).config.value).toEqual(EVIL);
    expect(read).toThrow('the server "evil" is new');
  });

  it("starts a gateway also where nothing can be recorded, which is told in the log", () => {
    writeFileSync(join(directory, "a-file"), "");
    const warnings: unknown[] = [];
    const settings = readSettings(
      { config: file },
      { ...env, PML_KEY_DIR: join(directory, "a-file", "keys") },
    );
    expect(() =>
      acceptNamed(settings, { ...silentLog, warn: (event) => void warnings.push(event) }),
    ).not.toThrow();
    expect(warnings).toEqual(["config.not_recorded"]);
  });
});

describe("[TB-5] the user's own configuration", () => {
  const own = join(directory, "xdg", "pml", "pml.json");

  it("is accepted when it is first used; a weaker one is not used", () => {
    const empty = join(directory, "empty");
    mkdirSync(join(directory, "xdg", "pml"), { recursive: true });
    mkdirSync(empty);
    process.chdir(empty);
    writeFileSync(own, JSON.stringify(GOOD));
    expect(read().config.value).toEqual(GOOD);
    writeFileSync(own, JSON.stringify({ ...GOOD, approvals: { scripted: true } }));
    expect(read).toThrow("approvals.scripted is true now");
    process.chdir(work);
  });
});
