/** Configuration, trust and scope through the real command. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fixture, newPlace, pml, serve } from "../faults/support/pml.js";

const place = newPlace();
const GOOD = { mcpServers: { healthy: fixture("healthy") }, daemon: { idleSeconds: 60 } };

describe("a wrong configuration on the command line [GW-3]", () => {
  it.each([
    ["no JSON", '{\n "a": ,\n}', 'it is not JSON: unexpected "," (line 2, column 7)'],
    [
      "an unknown key",
      '{"mcpServer": {}}',
      'unknown key "mcpServer", did you mean "mcpServers"? at mcpServer',
    ],
    [
      "a server without command",
      '{"mcpServers": {"a": {}}}',
      'expected "command" (a program) or "url" (an HTTP server) at mcpServers.a',
    ],
    [
      "a variable that is not set",
      `{"mcpServers": {"a": {"command": "$${"{NOPE}"}"}}}`,
      "the variable NOPE is not set at mcpServers.a.command",
    ],
  ])("is told with file and key: %s", async (_what, text, expected) => {
    const file = place.config(text, "wrong.json");
    for (const command of [["serve"], ["serve", "--no-daemon"], ["tools", "list"]]) {
      const { code, stdout, stderr } = await pml(place, [...command, "--config", file]);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr.split("\n")[0]).toBe(
        `pml: Cannot use the configuration "${file}": ${expected} [CONFIG_INVALID]`,
      );
      expect(stderr).not.toMatch(/\n\s+at |node:internal/);
    }
    expect(existsSync(join(place.directory, ".pml", "owner.json"))).toBe(false);
  });

  it("is told by doctor as a problem of the configuration", async () => {
    const { code, stdout } = await pml(place, [
      "doctor",
      "--json",
      "--config",
      place.config("[]", "wrong.json"),
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      findings: [
        { part: "node", state: "ok" },
        { part: "configuration", state: "problem", detail: expect.stringContaining("[CONFIG_INVALID]") },
      ],
    });
  });

  it("says which file is missing, and where it has looked when none was named", async () => {
    const named = await pml(place, ["serve", "--config", "nowhere.json"]);
    expect(named.code).toBe(1);
    expect(named.stderr).toContain(
      `Cannot use the configuration "${join(place.directory, "nowhere.json")}": there is no such file [CONFIG_INVALID]`,
    );
    const empty = join(place.directory, "empty");
    mkdirSync(empty);
    const unnamed = await pml(place, ["serve"], { cwd: empty });
    expect(unnamed.code).toBe(1);
    expect(unnamed.stderr).toContain(
      `neither "${empty}/pml.json" nor "${place.env.XDG_CONFIG_HOME}/pml/pml.json" exists [CONFIG_INVALID]`,
    );
  });

  it("takes the user's own configuration where there is no other", async () => {
    const own = join(place.env.XDG_CONFIG_HOME ?? "", "pml");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "pml.json"), "[]");
    const { stderr } = await pml(place, ["serve"], { cwd: join(place.directory, "empty") });
    expect(stderr).toContain(`Cannot use the configuration "${own}/pml.json": expected a JSON object`);
  });
});

describe("pml trust [GW-3]", () => {
  const work = join(place.directory, "work");
  const file = join(work, "pml.json");
  const run = (...args: string[]) => pml(place, args, { cwd: work });
  const list = () => run("tools", "list", "--json", "--data-dir", join(work, "data"));
  afterAll(() => pml(place, ["stop", "--data-dir", join(work, "data")]));

  it("refuses a pml.json that merely lies there, until it is accepted, and again when it has changed", async () => {
    mkdirSync(work);
    writeFileSync(file, JSON.stringify(GOOD));
    const before = await list();
    expect(before.code).toBe(1);
    expect(before.stderr).toContain(
      `Cannot use "${file}" unasked, since it starts programs: nobody has accepted it yet [CONFIG_UNTRUSTED]`,
    );
    expect(before.stderr).toContain("pml trust");
    expect(JSON.parse(before.stdout)).toMatchObject({ error: { code: "CONFIG_UNTRUSTED", data: { file } } });
    expect(existsSync(join(work, "data"))).toBe(false);

    const trusted = await run("trust");
    expect(trusted).toMatchObject({ code: 0, stderr: "" });
    expect(trusted.stdout).toContain(`Trusted, as it is now: ${file}\n  healthy: runs ${process.execPath}`);
    const listed = JSON.parse((await list()).stdout) as { name: string }[];
    expect(listed.filter(({ name }) => name.startsWith("mcp__healthy__"))).toHaveLength(6);

    writeFileSync(file, JSON.stringify({ ...GOOD, log: {} }));
    expect(await list()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("it has changed since it was accepted [CONFIG_UNTRUSTED]"),
    });
    expect(await run("serve")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("[CONFIG_UNTRUSTED]"),
    });
  });

  it("asks nobody for a file that was named", async () => {
    expect(
      await run("tools", "list", "--config", "pml.json", "--data-dir", join(work, "data")),
    ).toMatchObject({ code: 0, stderr: "" });
  });

  it("takes acceptance back, and speaks JSON", async () => {
    const said = JSON.parse((await run("trust", "--json")).stdout) as unknown;
    expect(said).toEqual({ file, trusted: true, starts: [expect.stringMatching(/^healthy: runs /)] });
    expect((await list()).code).toBe(0);
    expect(JSON.parse((await run("trust", "--remove", "--json")).stdout)).toEqual({
      file,
      trusted: false,
      removed: true,
    });
    expect((await list()).code).toBe(1);
    expect(JSON.parse((await run("trust", "--remove", "--json")).stdout)).toEqual({
      file,
      trusted: false,
      removed: false,
    });
  });

  it("[FP-12] accepts mcp-permissions.yaml with it, and asks again when that has changed", async () => {
    const rules = join(work, "mcp-permissions.yaml");
    const data = join(work, "rules-data");
    const listed = () => run("tools", "list", "--data-dir", data);
    writeFileSync(rules, "defaults: { approvalMode: hil }");
    expect((await run("trust")).stdout).toMatch(new RegExp(`\nTrusted, as it is now: ${rules}\n$`));
    expect((await listed()).code).toBe(0);
    writeFileSync(rules, "defaults: { approvalMode: auto }");
    expect(await listed()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`Cannot use "${rules}" unasked`),
    });
    expect(JSON.parse((await run("trust", "--json")).stdout)).toMatchObject({ permissions: rules });
    // The gateway in the background goes by what the file said when it started.
    expect((await listed()).stderr).toContain("its settings differ in permissions [CONFIG_MISMATCH]");
    await run("stop", "--data-dir", data);
    rmSync(rules);
    await run("trust");
    expect((await listed()).code).toBe(0);
    await run("stop", "--data-dir", data);
    await run("trust", "--remove");
  });

  it("keeps what was accepted for the user alone", () => {
    const kept = join(place.env.XDG_CONFIG_HOME ?? "", "pml", "trusted.json");
    expect(statSync(kept).mode & 0o077).toBe(0);
    expect(JSON.parse(readFileSync(kept, "utf8"))).toEqual({});
  });

  it("shows variables as they are written, and not their values", async () => {
    const secret = place.config(
      {
        mcpServers: {
          web: { url: `https://x/$${"{TOKEN}"}` },
          run: { command: "x", args: [`$${"{TOKEN}"}`] },
        },
      },
      "secret.json",
    );
    const { stdout } = await pml(place, ["trust", secret], { env: { TOKEN: "s3cret" } });
    expect(stdout).toContain("web: connects to https://x/$" + "{TOKEN}\n  run: runs x $" + "{TOKEN}\n");
    expect(stdout).not.toContain("s3cret");
  });

  it("spells out what would hide part of a command", async () => {
    const sly = place.config(
      { mcpServers: { run: { command: "rm", args: ["-rf", "/\r\u001b[2Kls\u202e"] } } },
      "sly.json",
    );
    const { stdout } = await pml(place, ["trust", sly]);
    expect(stdout).toContain("  run: runs rm -rf /\\u{d}\\u{1b}[2Kls\\u{202e}\n");
  });

  it.each([
    [["trust", "a", "b"], "Unexpected argument"],
    [["trust", "none.json"], "There is no"],
  ])("takes %j for wrong usage", async (args, text) => {
    const { code, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });
});

describe("what a client that joins reads itself [GW-3]", () => {
  const config = place.config(GOOD, "joins/pml.json");
  afterAll(() => pml(place, ["stop", "--config", config]));

  it.each([
    [{ exposure: "Lean" }, 'Invalid option: expected one of "all"|"lean", found a string at exposure'],
    [{ Exposure: "lean" }, 'unknown key "Exposure", did you mean "exposure"? at Exposure'],
    [{ scope: { user: 5 } }, "expected string, found a number at scope.user"],
    [{ daemon: { idleSeconds: "5" } }, "expected number, found a string at daemon.idleSeconds"],
  ])("is refused like by the gateway itself: %j", async (more, expected) => {
    const client = await serve(place, ["--config", config]);
    const file = place.config({ ...GOOD, ...more }, "joins/wrong.json");
    for (const command of [["serve"], ["tools", "list"]])
      expect(await pml(place, [...command, "--config", file])).toEqual({
        code: 1,
        stdout: "",
        stderr: `pml: Cannot use the configuration "${file}": ${expected} [CONFIG_INVALID]\n`,
      });
    await client.close();
  });
});

describe("pml stop [GW-3]", () => {
  it("needs to know where the configuration is, and nothing of what is in it", async () => {
    const cwd = join(place.directory, "stops");
    const file = place.config(GOOD, "stops/pml.json");
    const stop = async (...args: string[]) => {
      await (await serve(place, ["--config", place.config(GOOD, "stops/good.json")])).close();
      place.config('{"mcpServers": ', "stops/pml.json");
      return pml(place, ["stop", ...args], { cwd });
    };
    const stopped = { code: 0, stderr: "", stdout: expect.stringMatching(/^Stopped the gateway of process/) };
    expect(await stop()).toEqual(stopped);
    expect(await stop("--config", file)).toEqual(stopped);
    expect(await stop("--config", join(cwd, "gone.json"))).toEqual(stopped);
  });
});

describe("--scope [GW-3]", () => {
  const config = place.config(GOOD, "scope/pml.json");
  afterAll(() => pml(place, ["stop", "--config", config]));

  it.each(["acme/shop", "acme/shop/ann", "a/b/Ann.Smith@example.org"])("takes %s", async (scope) => {
    const client = await serve(place, ["--config", config, "--scope", scope]);
    expect(await client.call("healthy:echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
    await client.close();
  });

  it.each([
    ["acme", 2, "expected ORG/PROJECT or ORG/PROJECT/USER [USAGE]"],
    ["a/b/c/d", 2, "expected ORG/PROJECT or ORG/PROJECT/USER [USAGE]"],
    ["Acme/shop", 1, 'Cannot use "Acme" as org'],
    ["acme/", 1, 'Cannot use "" as project'],
    ["acme/shop/", 1, 'Cannot use "" as user'],
    ["acme/shop/a b", 1, 'Cannot use "a b" as user'],
  ])("refuses %s", async (scope, code, text) => {
    const refused = await pml(place, ["serve", "--config", config, "--scope", scope]);
    expect(refused.code).toBe(code);
    expect(refused.stderr).toContain(text);
  });
});
