/** Configuration, trust and scope through the real command. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { dataDirOf, fixture, newPlace, pml, serve } from "../faults/support/pml.js";
import { atTerminal } from "../faults/support/terminal.js";

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
    ["servers that are no object", '{"mcpServers": 5}', "expected object, found a number at mcpServers"],
    [
      "a variable that is not set",
      `{"scope": {"org": "$${"{NOPE}"}"}}`,
      "the variable NOPE is not set at scope.org",
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
    expect(existsSync(join(dataDirOf(place, file), "owner.json"))).toBe(false);
  });

  it("[FH-4] is a problem of that server alone, where only its entry is wrong", async () => {
    const file = place.config(
      `{"mcpServers": {"a": {}, "b": {"command": "$${"{NOPE}"}"}, "good": ${JSON.stringify(fixture("healthy"))}}}`,
      "one-wrong.json",
    );
    const { stdout } = await pml(place, ["doctor", "--json", "--config", file]);
    const { findings } = JSON.parse(stdout) as {
      findings: { part: string; state: string; detail: string }[];
    };
    const start = "not started: ";
    expect(
      findings
        .filter(({ part }) => part.startsWith("server "))
        .map(({ part, state, detail }) => [part, state, detail.replace(start, "")]),
    ).toEqual([
      [
        "server a",
        "problem",
        'expected "command" (a program) or "url" (an HTTP server) at mcpServers.a [CONFIG_INVALID]',
      ],
      ["server b", "problem", "the variable NOPE is not set at mcpServers.b.command [VARIABLE_UNSET]"],
      ["server good", "ok", expect.any(String)],
    ]);
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

describe("pml trust [GW-3, TB-5]", () => {
  const work = join(place.directory, "work");
  const file = join(work, "pml.json");
  const rules = join(work, "mcp-permissions.yaml");
  const kept = join(place.env.XDG_DATA_HOME ?? "", "pml/keys/accepted.json");
  const run = (...args: string[]) => pml(place, args, { cwd: work });
  const list = () => run("tools", "list", "--json", "--data-dir", join(work, "data"));
  const stop = () => run("stop", "--data-dir", join(work, "data"));
  const trust = (answer: string, ...args: string[]) =>
    atTerminal(place, ["trust", ...args], [["[y/N] ", answer]], work);
  afterAll(stop);

  it("refuses a pml.json in the current directory until a person accepts it", async () => {
    mkdirSync(work);
    writeFileSync(file, JSON.stringify(GOOD));
    const before = await list();
    expect(before.code).toBe(1);
    expect(before.stderr).toContain(
      `Cannot use "${file}": it starts programs and is not trusted yet [CONFIG_UNTRUSTED]`,
    );
    expect(before.stderr).toContain(`pml trust ${file}`);
    expect(JSON.parse(before.stdout)).toMatchObject({ error: { code: "CONFIG_UNTRUSTED", file } });
    expect(existsSync(join(work, "data"))).toBe(false);

    const refused = await trust("no\n");
    expect(refused.code).toBe(1);
    expect(refused.shown).toContain("Nothing was accepted.");
    expect((await list()).code).toBe(1);

    const { code, shown } = await trust("y\n");
    expect(code).toBe(0);
    expect(shown).toMatch(/^\S+pml.json\n {2}healthy: runs .*\nAccept it\? \[y\/N\] /);
    expect(shown).toContain(`Accepted, as it is now: ${file}`);
    const listed = JSON.parse((await list()).stdout) as { name: string }[];
    expect(listed.filter(({ name }) => name.startsWith("mcp__healthy__"))).toHaveLength(6);
  });

  it("uses a change that makes nothing weaker, and lists what became weaker", async () => {
    writeFileSync(file, JSON.stringify({ ...GOOD, log: {} }));
    expect((await list()).code).toBe(0);
    const healthy = { ...fixture("healthy"), env: { TOKEN: "s3cret" } };
    writeFileSync(file, JSON.stringify({ mcpServers: { healthy, web: { url: "https://x" } } }));
    for (const command of [["tools", "list"], ["serve"]]) {
      const { code, stderr } = await run(...command);
      expect(code).toBe(1);
      expect(stderr).toContain(
        'since it was accepted: the server "healthy" has changed: environment; the server "web" is new [CONFIG_UNTRUSTED]',
      );
      expect(stderr).not.toContain("s3cret");
    }
    const { shown } = await trust("n\n");
    expect(shown.replaceAll("\r", "")).toContain(
      'Weaker than the accepted state:\n  the server "healthy" has changed: environment\n  the server "web" is new\nAccept it? [y/N] ',
    );
    writeFileSync(file, JSON.stringify(GOOD));
    expect((await list()).code).toBe(0);
  });

  it("decides nothing without a terminal, unless what was accepted before says that scripts may", async () => {
    const scripted = { ...GOOD, approvals: { scripted: true } };
    writeFileSync(file, JSON.stringify(scripted));
    const { code, stdout, stderr } = await run("trust");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("approvals.scripted is true now");
    expect(stderr).toContain(
      "pml: Only a person at a terminal can decide this, and there is no terminal [NOT_ALLOWED]",
    );
    expect((await trust("y\n")).code).toBe(0);
    writeFileSync(file, JSON.stringify({ ...scripted, scope: { project: "p" } }));
    expect(JSON.parse((await run("trust", "--json")).stdout)).toEqual({
      file,
      trusted: true,
      starts: [expect.stringMatching(/^healthy: runs /)],
      exposed: [],
      weaker: ["scope.project is new"],
      rules: [],
    });
    // What makes nothing weaker is no decision.
    writeFileSync(file, JSON.stringify({ ...GOOD, scope: { project: "p" } }));
    expect((await run("trust")).code).toBe(0);
  });

  it("asks no question about a file that was named, and accepts it when a gateway starts with it", async () => {
    await stop();
    expect(await run("trust", "--remove")).toMatchObject({ code: 0 });
    writeFileSync(file, JSON.stringify(GOOD));
    expect((await list()).code).toBe(1);
    const named = () => run("tools", "list", "--config", "pml.json", "--data-dir", join(work, "data"));
    expect(await named()).toMatchObject({ code: 0, stderr: "" });
    expect((await list()).code).toBe(0);
    // A client that joins with a changed file changes nothing of the gateway, and accepts nothing.
    writeFileSync(file, JSON.stringify({ mcpServers: { ...GOOD.mcpServers, more: fixture("healthy") } }));
    expect((await named()).stderr).toContain(
      "it runs with different settings: mcpServers.more [CONFIG_MISMATCH]",
    );
    expect((await list()).stderr).toContain('the server "more" is new [CONFIG_UNTRUSTED]');
    writeFileSync(file, JSON.stringify(GOOD));
  });

  it("takes acceptance back, and speaks JSON", async () => {
    expect((await list()).code).toBe(0);
    for (const removed of [true, false])
      expect(JSON.parse((await run("trust", "--remove", "--json")).stdout)).toEqual({
        file,
        trusted: false,
        removed,
      });
    expect((await list()).code).toBe(1);
  });

  it("[FP-12] accepts mcp-permissions.yaml with it, and shows how its rules changed", async () => {
    await stop();
    writeFileSync(rules, "defaults: { approvalMode: hil }");
    const first = (await trust("y\n")).shown.replaceAll("\r", "");
    expect(first).toContain(`${rules}\nRules:\n  + defaults: hil\nAccept it?`);
    expect(first).toContain(`Accepted, as it is now: ${rules}\n`);
    expect((await list()).code).toBe(0);
    writeFileSync(rules, "# the same\ndefaults: { approvalMode: deny }");
    // Stricter rules are taken over by the gateway in the background.
    expect(await list()).toMatchObject({ code: 0, stderr: "" });
    writeFileSync(rules, "defaults: { approvalMode: auto }");
    expect((await list()).stderr).toContain("the rule for defaults is auto now, and was deny");
    expect((await trust("n\n")).shown.replaceAll("\r", "")).toContain(
      "Rules that changed:\n  - defaults: deny\n  + defaults: auto\nWeaker than the accepted state:\n  the rule for defaults is auto now, and was deny\n",
    );
    rmSync(rules);
    expect((await list()).stderr).toContain("the rule deny for defaults was removed");
    await stop();
  });

  it("keeps what was accepted for the user alone, and refuses what others can write", async () => {
    expect(statSync(kept).mode & 0o077).toBe(0);
    expect(statSync(dirname(kept)).mode & 0o077).toBe(0);
    const text = readFileSync(kept, "utf8");
    chmodSync(kept, 0o666);
    expect((await list()).stderr).toContain(
      `Cannot use the accepted configurations in "${kept}": other users may read or write it (mode 0666, expected 0600) [CONFIG_INVALID]`,
    );
    chmodSync(kept, 0o600);
    expect(readFileSync(kept, "utf8")).toBe(text);
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
    const { stderr } = await pml(place, ["trust", secret], { env: { TOKEN: "s3cret" } });
    expect(stderr).toContain("web: connects to https://x/$" + "{TOKEN}\n  run: runs x $" + "{TOKEN}\n");
    expect(stderr).not.toContain("s3cret");
  });

  it("shows what else a file brings that was never accepted", async () => {
    const files = {
      command: "npx",
      args: ["files"],
      cwd: "evil",
      env: { NODE_OPTIONS: "--import=./evil.mjs" },
    };
    const web = { url: "https://x", headers: { A: `Bearer $${"{AWS_SECRET}"}` } };
    const sly = place.config(
      {
        mcpServers: { files, web },
        approvals: { scripted: true, unannotated: "auto" },
        store: { url: "postgres://x" },
        curation: { model: { type: "openai", model: "m", baseUrl: "https://x", apiKeyEnv: "AWS_SECRET" } },
      },
      "brings.json",
    );
    const { stderr } = await pml(place, ["trust", sly], { env: { AWS_SECRET: "s3cret" } });
    expect(stderr).toContain(`  files: runs npx files; in evil; sets NODE_OPTIONS
  web: connects to https://x; sends A from AWS_SECRET
Settings that differ from the defaults:
  approvals.scripted is true now
  approvals.unannotated is auto now
  store is new
  curation.model is new
`);
    expect(stderr).not.toContain("s3cret");
  });

  it("spells out what would hide part of a command", async () => {
    const sly = place.config(
      { mcpServers: { run: { command: "rm", args: ["-rf", "/\r\u001b[2Kls\u202e"] } } },
      "sly.json",
    );
    const { stderr } = await pml(place, ["trust", sly]);
    expect(stderr).toContain("  run: runs rm -rf /\\u{d}\\u{1b}[2Kls\\u{202e}\n");
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
    [{ exposure: "Lean" }, 'Invalid option: expected one of "auto"|"all"|"lean", found a string at exposure'],
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
    const file = join(cwd, "pml.json");
    const stop = async (spoil: () => unknown, ...args: string[]) => {
      await (await serve(place, ["--config", place.config(GOOD, "stops/pml.json")])).close();
      spoil();
      return pml(place, ["stop", ...args], { cwd });
    };
    const spoil = () => place.config('{"mcpServers": ', "stops/pml.json");
    const stopped = { code: 0, stderr: "", stdout: expect.stringMatching(/^Stopped the gateway of process/) };
    expect(await stop(spoil)).toEqual(stopped);
    expect(await stop(spoil, "--config", file)).toEqual(stopped);
    expect(await stop(() => rmSync(file), "--config", file)).toEqual(stopped);
    // Three gateways start and end.
  }, 120_000);
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
