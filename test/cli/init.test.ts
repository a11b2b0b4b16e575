/** `pml init` and `pml secret` in a fresh home: what is imported, what is asked, and where no secret may be. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { SecretStore } from "../../src/app/secret-store.js";
import { fixture, newPlace, pml, until } from "../faults/support/pml.js";
import { atTerminal, type Turn } from "../faults/support/terminal.js";

const place = newPlace();
const home = place.env.HOME ?? "";
const project = join(place.directory, "project");
const own = join(place.env.XDG_CONFIG_HOME ?? "", "pml/pml.json");
const TOKEN = "ghp_0123456789abcdefCANARY";
const HEADER = "s3cr3t-of-the-header";

/** As their documentation shows them: see `src/clients/client-table.ts` for the pages. */
const FILES: Readonly<Record<string, string>> = {
  ".claude.json": JSON.stringify({
    theme: "dark",
    mcpServers: {
      github: { type: "stdio", ...fixture("healthy"), env: { GITHUB_TOKEN: TOKEN, LEVEL: "info" } },
    },
    projects: { [project]: { mcpServers: { notes: { command: "notes-server" } } } },
  }),
  ".cursor/mcp.json": JSON.stringify({
    mcpServers: {
      github: { ...fixture("healthy"), env: { GITHUB_TOKEN: TOKEN, LEVEL: "info" } },
      "far away": { url: "https://far.test/mcp", headers: { Authorization: `Bearer ${HEADER}` } },
      pml: { command: "npx", args: ["-y", "casys-pml", "serve"] },
    },
  }),
  "xdg/Code/User/mcp.json": `{
  // my servers
  "inputs": [{ "type": "promptString", "id": "api-key", "password": true, },],
  "servers": {
    "search": { "type": "stdio", "command": "search-server", "env": { "KEY": "\${input:api-key}", "R": "\${env:REGION}" }, "dev": {} },
  },
}`,
  ".gemini/settings.json": '{ "mcpServers": { "broken": ',
};

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
}

const init = (...args: readonly string[]) => pml(place, ["init", ...args], { cwd: project });
const at = (args: readonly string[], ...turns: readonly Turn[]) =>
  atTerminal(place, ["init", ...args], turns, project);
const config = (file = own) =>
  JSON.parse(readFileSync(file, "utf8")) as { mcpServers: Record<string, object> };

/** Files below the home with this text, without those of clients. */
function filesWith(text: string, directory = home): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !Object.keys(FILES).some((name) => file === join(home, name)))
    .filter((file) => readFileSync(file, "utf8").includes(text));
}

beforeEach(() => {
  for (const path of [own, join(home, "data"), project]) rmSync(path, { recursive: true, force: true });
  mkdirSync(project);
  for (const [name, text] of Object.entries(FILES)) write(join(home, name), text);
});

describe("pml init [FH-2, FP-24]", () => {
  it("imports each server once, keeps secrets out of every file and output, and is trusted", async () => {
    const { code, stdout, stderr } = await init("--yes");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(config().mcpServers).toEqual({
      github: {
        ...fixture("healthy"),
        env: { GITHUB_TOKEN: `\${secret:GITHUB_TOKEN}`, LEVEL: "info" },
      },
      "far-away": {
        url: "https://far.test/mcp",
        headers: { Authorization: `Bearer \${secret:FAR_AWAY_AUTHORIZATION}` },
      },
      search: { command: "search-server", env: { KEY: `\${secret:api-key}`, R: `\${REGION}` } },
    });
    expect(stderr).toContain('far away: PML calls it "far-away"');
    expect(stderr).toContain("search: ignored keys: dev");
    expect(stderr).toMatch(/Gemini CLI: .*settings\.json \(line 1\): /);
    expect(stdout).toContain(`Written and trusted: ${own}`);
    expect(stdout).toContain("pml secret set api-key");
    expect(stdout).toMatch(/connect cursor$/m);
    for (const secret of [TOKEN, HEADER]) {
      expect(stdout + stderr).not.toContain(secret);
      expect(filesWith(secret)).toEqual([]);
    }
    expect(statSync(own).mode & 0o777).toBe(0o600);
    for (const [name, text] of Object.entries(FILES))
      expect(readFileSync(join(home, name), "utf8")).toBe(text);
    const before = readFileSync(own, "utf8");
    const again = await init("--yes", "--json");
    expect(JSON.parse(again.stdout)).toMatchObject({
      added: [],
      known: ["github", "far-away", "search"],
      written: false,
      trusted: true,
    });
    expect(readFileSync(own, "utf8")).toBe(before);
  });

  it("starts what it imported, and says which servers need a value", async () => {
    await init("--yes", "--client", "claude-code", "vscode");
    const { stdout } = await pml(place, ["doctor", "--json"], { cwd: project });
    const { findings } = JSON.parse(stdout) as {
      findings: { part: string; state: string; detail: string }[];
    };
    const of = (part: string) => findings.filter((one) => one.part === part).map(({ detail }) => detail);
    expect(of("server github")[0]).toContain("tools, stdio");
    expect(of("server search")).toEqual([
      "not started: the secret api-key is not set at mcpServers.search.env.KEY [SECRET_UNKNOWN]",
    ]);
    const file = join(place.keyDir, "secret-key");
    expect(of("secrets")[0]).toMatch(`1 kept; master key from the file ${file}. It lies beside the secrets`);
  });

  it("[DO-5] gives servers their secrets, in the home directory, and keeps none that they return", async () => {
    write(own, '{ "approvals": { "unannotated": "auto" }, "discovery": { "embedder": "none" } }');
    await init("--yes", "--client", "claude-code");
    write(join(project, "look.ts"), "return await mcp.github.surroundings({});");
    const run = await pml(place, ["exec", "look.ts", "--intent", "look", "--json"], { cwd: project });
    expect(run.stdout).toContain(TOKEN);
    expect((JSON.parse(run.stdout) as { result: object }).result).toMatchObject({ cwd: home });
    // The gateway takes over another value while it runs, and keeps that one as little.
    const next = "ghp_next0123456789abcdef0123";
    const input = `${next}\n`;
    await pml(place, ["secret", "set", "GITHUB_TOKEN"], { cwd: project, isProcess: true, input });
    await until("the server has the other value", async () => {
      const again = await pml(place, ["exec", "look.ts", "--intent", "look", "--json"], { cwd: project });
      return again.stdout.includes(next);
    });
    await pml(place, ["stop"], { cwd: project });
    expect([...filesWith(TOKEN), ...filesWith(next)]).toEqual([]);
  });

  it("changes nothing without a terminal, with --dry-run, and where the person says no", async () => {
    const none = await init();
    expect(none.code).toBe(1);
    expect(none.stderr).toContain("Run it with --yes");
    const dry = await init("--dry-run");
    expect(dry.code).toBe(0);
    expect(dry.stdout).toContain("far-away");
    expect((await at([], ["Write 3 servers", "n\n"])).code).toBe(1);
    expect([existsSync(own), filesWith("GITHUB_TOKEN")]).toEqual([false, []]);
  });

  it("asks for what a client asks for, and offers to connect the clients", async () => {
    const { code, shown } = await at(
      ["--client", "vscode"],
      ["Write 1 server", "y\n"],
      ["Value of api-key", "typed-once\r"],
      ["Write it?", "n\n"],
    );
    expect({ code, shown }).toMatchObject({ code: 0 });
    expect(shown).not.toContain("typed-once");
    const list = await pml(place, ["secret", "list", "--json"], { cwd: project });
    expect(JSON.parse(list.stdout)).toMatchObject({
      secrets: [{ name: "api-key", usedBy: [{ file: own, server: "search" }] }],
    });
    expect(readFileSync(join(home, "xdg/Code/User/mcp.json"), "utf8")).toBe(FILES["xdg/Code/User/mcp.json"]);
  });

  it("adds to a file that is there, and keeps what is in it", async () => {
    const text = '{\n  // mine\n  "mcpServers": { "github": { "command": "mine" }, },\n}\n';
    write(own, text);
    const { code, stderr } = await init("--yes", "--client", "claude-code", "--client", "cursor");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stderr).toContain('pml.json has another server that is named "github", and stays as it is');
    const now = readFileSync(own, "utf8");
    expect(now).toContain('// mine\n  "mcpServers": { "github": { "command": "mine" }, "far-away": {');
  });

  it("[TB-7] adds nothing to an accepted file that wants a PIN while none is set", async () => {
    write(own, '{ "mcpServers": {}, "approvals": { "pin": true } }');
    await pml(place, ["servers"]);
    const { code, stderr } = await init("--yes", "--client", "claude-code");
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("no PIN is set") });
    expect(config().mcpServers).toEqual({});
    await pml(place, ["stop"]);
  });

  it("imports files of the directory only with --project and a yes in a terminal", async () => {
    const tickets = { mcpServers: { tickets: { command: "tickets-server", args: ["--all"] } } };
    write(join(project, ".mcp.json"), JSON.stringify(tickets));
    const target = join(project, "pml.json");
    const own_ = await init("--yes", "--json");
    expect(JSON.parse(own_.stdout)).toMatchObject({ notImported: [{ name: "tickets" }] });
    const unasked = await init("--project", "--yes");
    expect(unasked.stderr).toContain("tickets: tickets-server --all");
    expect(Object.keys(config(target).mcpServers)).toEqual(["github", "notes", "far-away", "search"]);
    const { code, shown } = await at(
      ["--project", "--client", "claude-code"],
      ["Import these, too?", "y\n"],
      ["Write 1 server", "y\n"],
      ["Write it?", "n\n"],
    );
    expect({ code, shown }).toMatchObject({ code: 0 });
    expect(config(target).mcpServers.tickets).toEqual(tickets.mcpServers.tickets);
  });

  it("does not trust a project's file that no person has accepted", async () => {
    write(join(project, "pml.json"), '{ "mcpServers": { "evil": { "command": "evil" } } }');
    const { code, stdout } = await init("--project", "--yes", "--client", "cursor");
    expect(code).toBe(0);
    expect(stdout).toContain("It is not trusted yet.");
    const list = await pml(place, ["tools", "list"], { cwd: project });
    expect(list.stderr).toContain("[CONFIG_UNTRUSTED]");
  });

  it("connects the clients that are named", async () => {
    const cursor = join(home, ".cursor/mcp.json");
    const { pml: _, ...servers } = config(cursor).mcpServers;
    const claude = join(home, "xdg/Claude/claude_desktop_config.json");
    write(claude, "{ broken");
    write(cursor, JSON.stringify({ mcpServers: servers }));
    const { code, stdout } = await init("--yes", "--connect", "claude-desktop", "cursor", "--json");
    rmSync(claude);
    expect(JSON.parse(stdout)).toMatchObject({
      written: true,
      connected: ["cursor"],
      failed: [{ client: "claude-desktop", error: { code: "CLIENT_FILE_INVALID" } }],
      next: [],
    });
    expect(code).toBe(1);
    expect(Object.keys(config(cursor).mcpServers)).toEqual(["pml"]);
  });

  it("connects a client on a machine that has no servers yet, and names the command that adds one", async () => {
    for (const name of Object.keys(FILES)) rmSync(join(home, name));
    const refused = await init("--connect", "cursor");
    expect({ ...refused, isThere: existsSync(own) }).toMatchObject({ code: 1, isThere: false });
    const { code, stderr } = await init("--yes", "--connect", "cursor");
    expect(code).toBe(0);
    expect(stderr).toContain(" add files -- npx");
    expect(config()).toEqual({ mcpServers: {} });
    expect(Object.keys(config(join(home, ".cursor/mcp.json")).mcpServers)).toEqual(["pml"]);
    const state = await pml(place, ["--json"], { cwd: project });
    expect(JSON.parse(state.stdout)).toMatchObject({ config: own, connected: ["cursor"], servers: [] });
  });

  it.each([
    [["--client", "emacs"], "Expected claude-code, claude-desktop,"],
    [["cursor"], 'Unexpected argument "cursor"'],
  ])("refuses %j", async (args, expected) => {
    const { code, stderr } = await init(...args);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(expected) });
  });
});

describe("pml secret [DO-5]", () => {
  const secret = (args: readonly string[]) => pml(place, ["secret", ...args], { cwd: project });

  it("takes the value from a terminal without showing it, and never from the command line", async () => {
    const { code, shown } = await atTerminal(
      place,
      ["secret", "set", "A"],
      [["Value of A", "hidden\r"]],
      project,
    );
    expect({ code, shown }).toMatchObject({ code: 0 });
    expect(shown).not.toContain("hidden");
    const wrong = await secret(["set", "A", "s3cret"]);
    expect(wrong.code).toBe(2);
    expect(wrong.stdout + wrong.stderr).not.toContain("s3cret");
  });

  it("loses none where several processes set some at once", async () => {
    const names = ["K1", "K2", "K3", "K4", "K5"];
    const set = (name: string) =>
      pml(place, ["secret", "set", name], { cwd: project, isProcess: true, input: `value of ${name}\n` });
    const ended = await Promise.all(names.map(set));
    expect(ended.map(({ code }) => code)).toEqual(names.map(() => 0));
    const store = new SecretStore(place.env);
    expect(names.map((name) => store.value(name))).toEqual(names.map((name) => `value of ${name}`));
  });

  it("lists names, removes, and knows what it has not", async () => {
    await atTerminal(place, ["secret", "set", "B"], [["Value of B", "two\r"]], project);
    expect((await secret(["list"])).stdout).toMatch(
      /^NAME +SET +USED BY\nB +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +-\n$/,
    );
    expect(await secret(["remove", "B"])).toMatchObject({ code: 0, stdout: "Removed: B\n" });
    const again = await secret(["remove", "B"]);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("[SECRET_UNKNOWN]") });
    expect((await secret(["list"])).stdout).toContain("No secrets are kept.");
  });
});
