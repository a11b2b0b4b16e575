/** `pml connect` on real files: the preview, what is written, what is refused, and how it is undone. */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/base/limits.js";
import { contentOf } from "../../src/clients/config-text.js";
import { newPlace, pml } from "../faults/support/pml.js";
import { atTerminal } from "../faults/support/terminal.js";

const place = newPlace();
const home = place.env.HOME ?? "";
const backups = join(place.env.XDG_DATA_HOME ?? "", "pml/backups/clients");
const config = place.config({
  mcpServers: {
    db: { command: "db-server", args: ["--fast"], env: { DB_KEY: "sk-live-canary" } },
    far: { url: "https://far.test/mcp" },
  },
});

const CURSOR = `{
  // mine
  "mcpServers": {
    "db": { "command": "db-server", "args": ["--fast"], "env": { "DB_KEY": "sk-live-canary" } },
    "other": { "command": "other-server" },
  },
  "kept": [1,2,   3]
}
`;

const fileOf = (path: string) => join(home, path);
const cursor = fileOf(".cursor/mcp.json");

function write(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
}

const connect = (...args: string[]) => pml(place, ["connect", ...args, "--config", config]);
const read = (path = cursor) => readFileSync(path, "utf8");
const copies = () =>
  existsSync(backups) ? readdirSync(backups).filter((name) => name !== "connections.json") : [];

beforeEach(() => {
  for (const path of [backups, fileOf(".cursor"), fileOf(".codex"), fileOf("xdg"), fileOf("real")])
    rmSync(path, { recursive: true, force: true });
  write(cursor, CURSOR);
});

describe("[FH-3] pml connect", () => {
  it("shows the change as a diff, without secrets, and says what stays", async () => {
    const { code, stdout } = await connect("cursor", "--dry-run");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^-.*"db"/m);
    expect(stdout).toMatch(/^\+ {4}"pml": \{$/m);
    expect(stdout).toContain("PML replaces: db\n");
    expect(stdout).toContain("Stays beside PML: other (it is not in PML's configuration)\n");
    expect(stdout).not.toContain("sk-live-canary");
    expect(read()).toBe(CURSOR);
    expect(copies()).toEqual([]);
  });

  it("shows no text of the file but keys and programs, in no output", async () => {
    const canary = "canary-value";
    const db = { command: "db-server", args: ["--fast"], env: { DB_KEY: `sk "${canary}"` }, note: canary };
    const other = { url: `https://x.test/?k=${canary}`, args: ["--api-key", canary] };
    const text = { primaryApiKey: canary, mcpServers: { db, other }, last: [canary] };
    const outputs = [];
    for (const indent of [0, 2]) {
      write(cursor, JSON.stringify(text, undefined, indent));
      outputs.push(await connect("cursor", "--dry-run"), await connect("cursor", "--dry-run", "--json"));
      outputs.push(await connect("cursor"), await connect("cursor", "--yes"));
      outputs.push(await connect("cursor", "--undo", "--dry-run"), await connect("cursor", "--undo"));
      writeFileSync(cursor, read().replace('"last"', `"${"later"}"`));
      outputs.push(await connect("cursor", "--undo", "--json"));
      writeFileSync(cursor, `${read()} ${canary}`);
      outputs.push(await connect("cursor", "--undo", "--yes"), await connect("cursor", "--yes"));
      rmSync(backups, { recursive: true });
    }
    for (const { stdout, stderr } of outputs) expect(stdout + stderr).not.toContain(canary);
    expect(outputs[0]?.stdout).toContain('"command":"db-server"');
  });

  it("writes PML, keeps all else, and keeps the file as it was for its owner alone", async () => {
    const { code, stdout } = await connect("cursor", "--yes");
    expect(stdout).toMatch(/\nRestart Cursor\. `pml connect cursor --undo` removes PML again\.\n$/);
    expect(code).toBe(0);
    const now = read();
    expect(now).toContain('"pml": {');
    expect(now).toContain(JSON.stringify(config));
    expect(now).not.toContain("db-server");
    for (const kept of ["// mine", '"other": { "command": "other-server" },', '"kept": [1,2,   3]'])
      expect(now).toContain(kept);
    const backup = /^Backup of the old file: (.*)$/m.exec(stdout)?.[1] ?? "";
    expect(read(backup)).toBe(CURSOR);
    for (const name of readdirSync(backups)) expect(statSync(join(backups, name)).mode & 0o777).toBe(0o600);
    expect(statSync(backups).mode & 0o777).toBe(0o700);
  });

  it("does nothing the second time, and --undo restores every byte", async () => {
    const original = Buffer.from(`\uFEFF${CURSOR.replaceAll("\n", "\r\n").trimEnd()}`);
    write(cursor, original);
    await connect("cursor", "--yes");
    const again = await connect("cursor", "--yes");
    expect(again).toMatchObject({ code: 0, stdout: "" });
    expect(again.stderr).toContain("Cursor is already connected");
    expect((await connect("cursor", "--undo", "--yes")).code).toBe(0);
    expect(readFileSync(cursor).equals(original)).toBe(true);
    // The copies had secrets in them, and the file is as it was.
    expect(copies()).toEqual([]);
    const third = await connect("cursor", "--undo", "--yes");
    expect(third.code).toBe(0);
    expect(third.stderr).toContain("Nothing to undo");
  });

  it("takes a server as the same only in the directory in which PML starts it", async () => {
    const db = { command: "db-server", args: ["--fast"], env: { DB_KEY: "sk-live-canary" } };
    const replaced = async (cwd: string) => {
      write(cursor, JSON.stringify({ mcpServers: { db: { ...db, cwd } } }));
      return JSON.parse((await connect("cursor", "--dry-run", "--json")).stdout).replaced;
    };
    expect(await replaced(dirname(config))).toEqual(["db"]);
    expect(await replaced("/elsewhere")).toEqual([]);
  });

  it("takes two changes in a row back as one", async () => {
    await connect("cursor", "--yes");
    const other = place.config({ mcpServers: { other: { command: "other-server" } } }, "other/pml.json");
    await pml(place, ["connect", "cursor", "--yes", "--config", other]);
    expect(read()).not.toContain("other-server");
    // Those of the first change are no longer needed.
    expect(copies()).toHaveLength(2);
    await connect("cursor", "--undo", "--yes");
    expect(read()).toBe(CURSOR);
  });

  it("makes a file where there is none, and --undo removes it with its directories", async () => {
    const file = fileOf(".codex/config.toml");
    expect((await connect("codex", "--yes")).code).toBe(0);
    expect(read(file)).toMatch(/^\[mcp_servers\.pml\]\ncommand = /);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await connect("codex", "--undo", "--yes")).code).toBe(0);
    expect(existsSync(fileOf(".codex"))).toBe(false);
  });

  it("answers JSON", async () => {
    const { stdout } = await connect("cursor", "--yes", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      client: "cursor",
      file: cursor,
      changed: true,
      replaced: ["db"],
      stays: [{ name: "other", why: "it is not in PML's configuration" }],
      problems: [],
      others: [],
      isNew: false,
      diff: expect.stringContaining('+    "pml": {'),
      backup: expect.stringContaining(backups),
    });
    const undo = await connect("cursor", "--undo", "--yes", "--json");
    expect(JSON.parse(undo.stdout)).toMatchObject({ client: "cursor", kind: "exact", changed: true });
  });

  it("names the configuration unless it is the user's own", async () => {
    write(fileOf(".config/pml/pml.json"), '{"mcpServers":{}}');
    await pml(place, ["connect", "codex", "--yes"], { cwd: home, env: { XDG_CONFIG_HOME: "" } });
    expect(read(fileOf(".codex/config.toml"))).not.toContain("--config");
    const data = join(home, "elsewhere");
    await connect("codex", "--yes", "--data-dir", data, "--scope", "acme/web");
    const [, words = ""] = /^args = (.*)$/m.exec(read(fileOf(".codex/config.toml"))) ?? [];
    expect((JSON.parse(words) as string[]).slice(-7)).toEqual([
      "serve",
      ...["--config", config, "--data-dir", data, "--scope", "acme/web"],
    ]);
  });

  it("does not name a configuration that was not accepted", async () => {
    const directory = dirname(place.config({ mcpServers: {} }, "cloned/pml.json"));
    const { code, stderr } = await pml(place, ["connect", "cursor", "--yes"], { cwd: directory });
    expect(code).toBe(1);
    expect(stderr).toContain("[CONFIG_UNTRUSTED]");
    expect(read()).toBe(CURSOR);
  });
});

describe("[FH-3] a person is asked", () => {
  it("in a terminal, and only yes changes the file", async () => {
    const at = (answer: string) =>
      atTerminal(place, ["connect", "cursor", "--config", config], [["Write it?", `${answer}\n`]]);
    expect((await at("n")).code).toBe(1);
    expect(read()).toBe(CURSOR);
    expect((await at("y")).code).toBe(0);
    expect(read()).toContain('"pml"');
  });

  it("nowhere else, and nothing is changed without --yes", async () => {
    const { code, stderr } = await connect("cursor");
    expect(code).toBe(1);
    expect(stderr).toContain("Run it with --yes");
    expect(read()).toBe(CURSOR);
    await connect("cursor", "--yes");
    const connected = read();
    expect((await connect("cursor", "--undo")).code).toBe(1);
    expect(read()).toBe(connected);
  });
});

describe("[FH-3] a file that was changed since", () => {
  it("keeps the later changes when PML is taken out", async () => {
    await connect("cursor", "--yes");
    writeFileSync(
      cursor,
      read().replace('"kept": [1,2,   3]', '"kept": []').replace("{\n", "{\n  // later\n"),
    );
    const { code, stderr } = await connect("cursor", "--undo", "--yes");
    expect(code).toBe(0);
    expect(stderr).toContain("the later changes stay");
    expect(read()).toContain("{\n  // later\n  // mine\n");
    expect(read()).toContain('"kept": []');
    const db = { command: "db-server", args: ["--fast"], env: { DB_KEY: "sk-live-canary" } };
    expect(contentOf("jsonc", read())).toEqual({
      mcpServers: { db, other: { command: "other-server" } },
      kept: [],
    });
  });

  it("keeps a server that has the name of a replaced one by now, and says so", async () => {
    await connect("cursor", "--yes");
    writeFileSync(cursor, read().replace('"other":', '"db":'));
    const edited = read();
    const { code, stderr, stdout } = await connect("cursor", "--undo", "--yes");
    expect(code).toBe(0);
    expect(stderr).toContain("Not restored: db (the file has another server of this name)");
    expect(contentOf("jsonc", read())).toEqual({
      mcpServers: { db: { command: "other-server" } },
      kept: [1, 2, 3],
    });
    expect(read(/^Copy of the file before this undo: (.*)$/m.exec(stdout)?.[1])).toBe(edited);
  });

  it("loses PML's entry alone where PML made it, also with --yes", async () => {
    rmSync(cursor);
    await connect("cursor", "--yes");
    writeFileSync(cursor, read().replace("{\n", '{\n  "mine": 1,\n'));
    expect((await connect("cursor", "--undo", "--yes")).code).toBe(0);
    expect(contentOf("jsonc", read())).toEqual({ mine: 1, mcpServers: {} });
  });

  it("is left alone where it cannot be edited, also with --yes", async () => {
    await connect("cursor", "--yes");
    const edited = `${read()} oops`;
    writeFileSync(cursor, edited);
    const { code, stderr } = await connect("cursor", "--undo", "--yes");
    expect(code).toBe(1);
    expect(stderr).toContain("[CLIENT_FILE_CHANGED]");
    expect(stderr).toContain(backups);
    expect(read()).toBe(edited);
  });

  it("is restored where it was removed", async () => {
    await connect("cursor", "--yes");
    rmSync(cursor);
    expect((await connect("cursor", "--undo")).code).toBe(1);
    expect(existsSync(cursor)).toBe(false);
    expect((await connect("cursor", "--undo", "--yes")).code).toBe(0);
    expect(read()).toBe(CURSOR);
  });
});

describe("[FH-3] copies that are gone", () => {
  it("do not stop connect and --undo, which say so", async () => {
    await connect("cursor", "--yes");
    await connect("codex", "--yes");
    for (const name of copies()) if (name.startsWith("cursor")) rmSync(join(backups, name));
    const undo = await connect("cursor", "--undo", "--yes");
    expect(undo.code).toBe(0);
    expect(undo.stderr).toMatch(/Nothing to undo.*cannot be undone: the copy ".*" is missing/s);
    write(cursor, CURSOR);
    const again = await connect("cursor", "--yes");
    expect(again.code).toBe(0);
    expect(again.stderr).toContain("an earlier change of the file cannot be undone");
    expect((await connect("cursor", "--undo", "--yes")).code).toBe(0);
    expect(read()).toBe(CURSOR);
    expect((await connect("codex", "--undo", "--yes")).code).toBe(0);
    expect(existsSync(fileOf(".codex"))).toBe(false);
  });
});

describe("[FH-3] the file itself", () => {
  it("keeps its permissions, also after --undo", async () => {
    chmodSync(cursor, 0o640);
    await connect("cursor", "--yes");
    expect(statSync(cursor).mode & 0o7777).toBe(0o640);
    await connect("cursor", "--undo", "--yes");
    expect(statSync(cursor).mode & 0o7777).toBe(0o640);
    expect(readdirSync(dirname(cursor))).toEqual(["mcp.json"]);
  });

  it("may be a link, which stays one", async () => {
    const real = fileOf("real/cursor.json");
    write(real, CURSOR);
    rmSync(cursor);
    symlinkSync(real, cursor);
    await connect("cursor", "--yes");
    expect(lstatSync(cursor).isSymbolicLink()).toBe(true);
    expect(readlinkSync(cursor)).toBe(real);
    expect(read(real)).toContain('"pml"');
    await connect("cursor", "--undo", "--yes");
    expect(read(real)).toBe(CURSOR);
  });

  it.each<readonly [string, () => void, RegExp]>([
    [
      "others may write to",
      () => chmodSync(cursor, 0o666),
      /other users may write to it \(mode 0666\).*chmod go-w/s,
    ],
    [
      "lies where others may write",
      () => chmodSync(dirname(cursor), 0o777),
      /other users may write to its directory/,
    ],
    [
      "is missing where others may write",
      () => {
        rmSync(cursor);
        chmodSync(dirname(cursor), 0o777);
      },
      /other users may write to its directory/,
    ],
    [
      "has a list of servers",
      () => writeFileSync(cursor, '{"mcpServers":[]}'),
      /mcpServers: expected an object of servers/,
    ],
    [
      "is broken",
      () => writeFileSync(cursor, '{\n  "mcpServers": {\n    oops\n'),
      /expected a key in double quotes \(line 3\)/,
    ],
    [
      "is not UTF-8",
      () => writeFileSync(cursor, Buffer.from("{}", "utf16le").fill(0xff, 0, 1)),
      /it is not UTF-8/,
    ],
    [
      "is a directory",
      () => {
        rmSync(cursor);
        mkdirSync(cursor);
      },
      /not a regular file|illegal operation on a directory/,
    ],
    [
      "has another pml",
      () => writeFileSync(cursor, '{"mcpServers":{"pml":{"command":"x"}}}'),
      /another server that is named "pml"/,
    ],
    [
      "is huge",
      () => writeFileSync(cursor, `{}${" ".repeat(LIMITS.clientFileBytes)}`),
      /more than 16777216 bytes/,
    ],
  ])("is refused where it %s", async (_, spoil, expected) => {
    spoil();
    const { code, stderr } = await connect("cursor", "--yes");
    chmodSync(dirname(cursor), 0o700);
    expect(code).toBe(1);
    expect(stderr).toMatch(expected);
    expect(stderr).toContain("[CLIENT_FILE_INVALID]");
    expect(copies()).toEqual([]);
  });

  it("is not made where it would hide an older one", async () => {
    const older = fileOf(".continue/config.json");
    write(older, "{}");
    const { code, stderr } = await connect("continue", "--yes");
    expect(code).toBe(1);
    expect(stderr).toContain(`if PML created it, the client would no longer read "${older}"`);
    expect(existsSync(fileOf(".continue/config.yaml"))).toBe(false);
    write(fileOf(".continue/config.yaml"), "name: mine\n");
    expect((await connect("continue", "--yes")).code).toBe(0);
    expect(read(fileOf(".continue/config.yaml"))).toMatch(/^name: mine\nmcpServers:\n/);
  });

  it("is the one that exists, where a client has several, and the others are told", async () => {
    const second = fileOf("xdg/opencode/opencode.jsonc");
    write(second, "{}\n");
    expect(JSON.parse((await connect("opencode", "--dry-run", "--json")).stdout)).toMatchObject({
      file: second,
      others: [],
    });
    const first = fileOf("xdg/opencode/opencode.json");
    write(first, "{}\n");
    expect(JSON.parse((await connect("opencode", "--dry-run", "--json")).stdout)).toMatchObject({
      file: first,
      others: [second],
    });
  });

  it("is undone where PML changed it, also where the client has another file by now", async () => {
    const second = fileOf("xdg/opencode/opencode.jsonc");
    write(second, "{}\n");
    await connect("opencode", "--yes");
    write(fileOf("xdg/opencode/opencode.json"), "{}\n");
    expect(read(second)).toContain('"pml"');
    expect((await connect("opencode", "--undo", "--yes")).code).toBe(0);
    expect(read(second)).toBe("{}\n");
  });
});

describe("[FH-3] wrong usage of pml connect", () => {
  it.each([
    [["cursr"], 'did you mean "cursor"?'],
    [[], "Expected one of claude-code, claude-desktop, cursor"],
    [["cursor", "zed"], 'Unexpected argument "zed"'],
    [["cursor", "--force"], "Unknown option '--force'"],
  ])("%j", async (args, expected) => {
    const { code, stderr } = await pml(place, ["connect", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  });
});
