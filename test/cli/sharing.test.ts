/** Capabilities that go from one installation to another, as the people at both ends meet it. */
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  dataDirOf,
  fixture,
  newPlace,
  type Outcome,
  ownerPid,
  pml,
  serve,
  until,
} from "../faults/support/pml.js";
import { sized } from "../support/sizes.js";

/** For gateways that are killed, and others that start. */
const LONG_MS = 120_000;

interface Report {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly conflicts: readonly {
    line: number;
    name?: string;
    code: string;
    message: string;
    hint?: string;
  }[];
  readonly refused: readonly { line: number; name?: string; code: string; message: string }[];
  readonly warnings: readonly string[];
  readonly keys: readonly { fingerprint: string; trusted: boolean; records: number }[];
}

interface Line {
  [field: string]: unknown;
  fqdn: string;
  display_name: string;
  versions: { [field: string]: unknown; code: string; signature: string }[];
}

/** An installation with a key, a store and a person of its own. */
function installation(surroundings: Parameters<typeof newPlace>[0] = {}) {
  const place = newPlace(surroundings);
  const config = place.config({
    mcpServers: { healthy: fixture("healthy") },
    approvals: { unannotated: "auto", scripted: true },
  });
  const run = (...args: string[]): Promise<Outcome> => pml(place, [...args, "--config", config]);
  return {
    place,
    config,
    run,
    dataDir: dataDirOf(place, config),
    file: (name: string) => join(place.directory, name),
    async json<T>(...args: string[]): Promise<T> {
      return JSON.parse((await run(...args, "--json")).stdout) as T;
    },
    async exec(code: string, ...args: string[]): Promise<void> {
      const { code: exit, stderr } = await pml(place, ["exec", ...args, "--json", "--config", config], {
        input: code,
      });
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
    },
    async names(): Promise<readonly string[]> {
      const { stdout } = await run("cap", "list", "--sort", "name", "--json");
      return (JSON.parse(stdout) as { capabilities: { name: string }[] }).capabilities.map(
        ({ name }) => name,
      );
    },
    stop: () => run("stop"),
  };
}

type Installation = ReturnType<typeof installation>;

/** Writes the lines of `file`, changed, into another one. */
function changed(at: Installation, file: string, change: (lines: Line[]) => unknown[]): string {
  const [header = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
  const target = at.file(`changed-${Math.random()}.jsonl`);
  const after = change(lines.map((line) => JSON.parse(line) as Line));
  const texts = after.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(target, `${[header, ...texts].join("\n")}\n`);
  return target;
}

describe("[ID-15, ID-10, UX-1] capabilities between two installations", () => {
  const ada = installation();
  const bob = installation();
  let file: string;
  const importJson = (path: string, ...args: string[]) => bob.json<Report>("import", path, "--yes", ...args);

  beforeAll(async () => {
    file = ada.file("shared.jsonl");
    await ada.exec(
      '// Greet\nreturn (await mcp.healthy.echo({ text: "hello " + args.who }));',
      "--name",
      "say:hello",
      "--arg",
      "who=a",
    );
    await ada.exec(
      "// Greet two\nreturn [await mcp.say.hello({ who: args.a }), await mcp.say.hello({ who: args.b })];",
      "--name",
      "say:both",
      "--arg",
      "a=1",
      "--arg",
      "b=2",
    );
    await ada.exec("return 1;", "--name", "num:one");
    await ada.exec("return 1 + 0;", "--name", "num:one", "--update", "--version-tag", "v1.1.0");
    await ada.exec("return 'nameless';");
    expect((await ada.run("cap", "rename", "num:one", "num:uno")).code).toBe(0);
  });
  afterAll(async () => {
    await ada.stop();
    await bob.stop();
  });

  it("[ID-15] exports what has a name, callees first, and twice the same but for the header", async () => {
    expect(await ada.run("export", "--output", file)).toEqual({
      code: 0,
      stdout: "",
      stderr: `3 capabilities written to ${file}\n`,
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [header = "", ...lines] = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(JSON.parse(header)).toEqual({
      pml: "export",
      format: 2,
      exported_at: expect.any(String),
      exported_by: expect.stringMatching(/^[^@]+@local$/),
      public_key: expect.any(String),
    });
    const records = lines.map((line) => JSON.parse(line) as Line);
    expect(records.map(({ display_name }) => display_name)).toEqual(["num:uno", "say:hello", "say:both"]);
    expect(records[0]).toMatchObject({
      aliases: ["num:one"],
      versions: [{ version: 1 }, { version: 2, version_tag: "v1.1.0" }],
    });
    const again = await ada.run("export");
    expect(again.stdout.split("\n").slice(1)).toEqual([...lines, ""]);
  });

  it("[ID-15] exports what is asked for, with or without what it calls", async () => {
    const namesOf = async (...args: string[]) =>
      (await ada.run("export", ...args)).stdout
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => (JSON.parse(line) as Line).display_name.replace(/_[0-9a-f]{8}$/, "_<hash>"));
    expect(await namesOf("say:both")).toEqual(["say:hello", "say:both"]);
    expect(await namesOf("say:b*", "--no-dependencies")).toEqual(["say:both"]);
    expect((await namesOf("--unnamed")).sort()).toEqual([
      "num:uno",
      "say:both",
      "say:hello",
      "unnamed_<hash>",
    ]);
    const nothing = await ada.run("export", "no:*");
    expect(nothing).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("No capability name matches no:* [CAPABILITY_NOT_FOUND]"),
    });
  });

  it("[UX-1] writes what a link leads to, no device, and reads no directory", async () => {
    const link = ada.file("link.jsonl");
    writeFileSync(ada.file("target.jsonl"), "before");
    symlinkSync(ada.file("target.jsonl"), link);
    expect((await ada.run("export", "--output", link)).code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(ada.file("target.jsonl"), "utf8")).toContain('"pml":"export"');
    const device = await ada.run("export", "--output", "/dev/stdout");
    expect([device.code, device.stderr]).toEqual([2, expect.stringContaining("is not a file")]);
    const directory = await ada.run("import", ada.place.directory, "--yes");
    expect([directory.code, directory.stderr]).toEqual([2, expect.stringContaining("it is a directory")]);
  });

  it("[ID-15, TB-4] says what would happen and shows what is not signed, and changes nothing", async () => {
    const { stdout } = await bob.run("import", file, "--dry-run");
    expect(stdout).toMatch(/ {2}num:uno {2}local\.default\.num\.one\.[0-9a-f]{4} {2}project\n {4}intent: /);
    expect(stdout).toMatch(/ {4}former names: num:one\n/);
    expect(stdout).toMatch(/ {4}version 2 \(v1\.1\.0\): /);
    expect(await importJson(file, "--dry-run")).toMatchObject({
      created: 3,
      updated: 0,
      unchanged: 0,
      dry_run: true,
    });
    expect(await bob.names()).toEqual([]);
  });

  it("[TB-4] uses no name and no description that was not confirmed", async () => {
    expect(await bob.run("import", file)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Cannot import without a confirmation"),
    });
    expect(await bob.names()).toEqual([]);
  });

  it("[ID-10] keeps what a stranger signed, and neither runs nor lists it", async () => {
    const { code, stdout } = await bob.run("import", file, "--yes");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^3 created, 0 updated, 0 unchanged\n/);
    expect(stdout).toMatch(/untrusted keys[^\n]*\n {2}SHA256:[\w-]{43} {2}3\n {2}pml key trust SHA256:/);
    expect(await bob.names()).toEqual(["num:uno", "say:both", "say:hello"]);
    const run = await bob.run("exec", "--capability", "num:uno");
    expect(run.code).toBe(1);
    expect(run.stderr).toContain(
      "num:uno: it was signed with a key that this installation does not trust for the org local [SIGNATURE_INVALID]",
    );
    expect(run.stderr).toMatch(/pml key trust SHA256:/);
    const agent = await serve(bob.place, ["--config", bob.config]);
    expect((await agent.tools()).map(({ name }) => name)).not.toContain("mcp__num__uno");
    // Nor are these tools an agent's.
    for (const tool of ["pml:import", "pml_import", "pml:keys", "pml_export"])
      expect(await agent.call(tool, {}), tool).toMatchObject({ isError: true, code: "TOOL_NOT_FOUND" });
    await agent.close();
  });

  it("[ID-15] imports the same again without a trace", async () => {
    const agent = await serve(bob.place, ["--config", bob.config]);
    await agent.tools();
    expect(await importJson(file)).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 3,
      conflicts: [],
      refused: [],
    });
    await agent.tools();
    expect(agent.others.filter(({ method }) => method === "notifications/tools/list_changed")).toEqual([]);
    await agent.close();
  });

  it("[ID-10, UX-1] trusts a key by a part of its fingerprint, at once, and no more at once", async () => {
    const { keys } = await bob.json<{ keys: { fingerprint: string; state: string; capabilities: number }[] }>(
      "key",
      "list",
    );
    expect(keys.map(({ state, capabilities }) => [state, capabilities])).toEqual([
      ["own", 0],
      ["unknown", 3],
    ]);
    const fingerprint = keys[1]?.fingerprint ?? "";
    const theirs = await ada.json<{ fingerprint: string; state: string }>("key", "show");
    expect(theirs).toMatchObject({ fingerprint, state: "own" });
    expect(await bob.run("key", "trust", fingerprint.slice(0, 15))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("[KEY_INVALID]"),
    });
    const agent = await serve(bob.place, ["--config", bob.config]);
    await agent.tools();
    const trusted = await bob.run("key", "trust", fingerprint.slice(0, 19), "--name", "ada");
    expect(trusted).toEqual({
      code: 0,
      stdout: `Trusted for every org: ${fingerprint}, called ada; 3 capabilities here are signed with it\n`,
      stderr: "",
    });
    await until("the list has changed", () =>
      agent.others.some(({ method }) => method === "notifications/tools/list_changed"),
    );
    expect((await agent.tools()).map(({ name }) => name)).toContain("mcp__num__uno");
    expect(await agent.call("mcp__say__both", { a: "x", b: "y" })).toMatchObject({
      isError: false,
      text: expect.stringContaining("hello y"),
    });
    expect((await bob.run("key", "list")).stdout).toMatch(
      /^FINGERPRINT +STATE +SIGNED +ORGS +NAME\nSHA256:\S+ +own +0\nSHA256:\S+ +trusted +3 +all +ada\n$/,
    );
    const keysFile = join(bob.place.keyDir, "trusted-keys.json");
    expect(statSync(keysFile).mode & 0o777).toBe(0o600);
    // For another org it runs nothing of this one, at once.
    expect((await bob.run("key", "trust", "ada", "--org", "acme")).stdout).toContain(
      "Trusted for the org acme: ",
    );
    expect(await agent.call("say:both", { a: "x", b: "y" })).toMatchObject({
      isError: true,
      code: "SIGNATURE_INVALID",
    });
    expect((await bob.run("key", "trust", "ada", "--org", "acme", "--org", "local")).code).toBe(0);
    expect(await agent.call("say:both", { a: "x", b: "y" })).toMatchObject({ isError: false });
    expect((await bob.run("key", "trust", "ada", "--org", "No Org")).code).toBe(1);
    expect((await bob.run("key", "untrust", "eve")).code).toBe(1);
    expect((await bob.run("key", "untrust", "ada")).code).toBe(0);
    expect(await agent.call("say:both", { a: "x", b: "y" })).toMatchObject({
      isError: true,
      code: "SIGNATURE_INVALID",
    });
    await agent.close();
  });

  it("[ID-10] trusts the keys of a file when the person says so", async () => {
    expect(await bob.run("import", file, "--trust")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("--yes"),
    });
    const { code, stdout, stderr } = await bob.run("import", file, "--trust", "--yes");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "0 created, 0 updated, 3 unchanged\n" });
    expect(stderr).toMatch(/The file is signed with:\n {2}SHA256:[\w-]{43} {2}3 capabilities of local\n/);
    expect((await bob.run("key", "list")).stdout).toMatch(/ trusted +3 +local +/);
    const { stdout: result } = await bob.run("exec", "--capability", "num:one@v1");
    expect(result).toBe("1\n");
    expect((await bob.run("cap", "lookup", "num:uno")).stdout).toMatch(/version +2/);
  });

  it("[ID-15] adds the versions that are missing, and tells where both have gone on", async () => {
    await ada.exec("return 1 + 0 + 0;", "--name", "num:uno", "--update");
    await ada.run("export", "--output", file);
    expect(await importJson(file)).toMatchObject({ created: 0, updated: 1, unchanged: 2 });
    await bob.exec("return 2 - 1;", "--name", "num:uno", "--update");
    await ada.exec("return 3 - 2;", "--name", "num:uno", "--update");
    await ada.run("export", "--output", file);
    const { conflicts, unchanged } = await importJson(file);
    expect(unchanged).toBe(2);
    expect(conflicts).toMatchObject([
      {
        line: 2,
        name: "num:uno",
        code: "CAPABILITY_EXISTS",
        message: expect.stringContaining("its version 4 is signed with a different key"),
      },
    ]);
    expect((await bob.run("import", file, "--yes")).code).toBe(1);
    // What has versions of two keys is nothing that others could import.
    const { code, stderr } = await bob.run("export", "num:uno", "--output", bob.file("mixed.jsonl"));
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("signed with different keys"),
    });
  });

  it("[TB-4, TB-5] refuses trusted keys that others could have written, and runs its own", async () => {
    await bob.stop();
    chmodSync(join(bob.place.keyDir, "trusted-keys.json"), 0o644);
    const refused = await bob.run("exec", "--capability", "say:hello", "--arg", "who=x");
    expect(refused.stderr).toMatch(
      /trusted-keys\.json": other users may read or write it \(mode 0644, expected 0600\)/,
    );
    expect(refused.stderr).toContain("chmod 600");
    expect((await bob.run("exec", "--capability", "num:uno")).stdout).toBe("1\n");
    expect((await bob.run("doctor")).stdout).toMatch(/trusted keys.*expected 0600/);
    chmodSync(join(bob.place.keyDir, "trusted-keys.json"), 0o600);
    expect((await bob.run("exec", "--capability", "say:hello", "--arg", "who=x")).stdout).toContain(
      "hello x",
    );
  });
});

describe("[ID-15, ID-10] a file that is not what pml export has written", () => {
  const ada = installation();
  const bob = installation();
  let file: string;
  const importChanged = (change: (lines: Line[]) => unknown[], ...args: string[]) =>
    bob.json<Report>("import", changed(bob, file, change), "--yes", ...args);

  beforeAll(async () => {
    file = ada.file("shared.jsonl");
    await ada.exec(
      "return await mcp.healthy.echo({ text: args.text });",
      "--name",
      "t:echo",
      "--arg",
      "text=a",
    );
    await ada.exec("return await mcp.t.echo({ text: args.text });", "--name", "t:calls", "--arg", "text=a");
    await ada.exec("return 2;", "--name", "t:two");
    await ada.run("export", "--output", file);
  });
  afterAll(async () => {
    await ada.stop();
    await bob.stop();
  });

  const flip = (hex: string) => (hex.startsWith("0") ? "1" : "0") + hex.slice(1);
  const TAMPERINGS: Readonly<Record<string, (line: Line) => void>> = {
    "code, and not what was signed": (line) => {
      for (const one of line.versions) Object.assign(one, { code: "return 'evil';", saved_code: undefined });
    },
    "source for people": (line) => {
      for (const one of line.versions)
        Object.assign(one, { saved_code: one.saved_code, code: `// harmless\n${one.code}` });
    },
    "a version once more": (line) => {
      line.versions.push({ ...(line.versions[0] as Line["versions"][0]), version: 2, version_tag: "v9.0.0" });
    },
    "canonical code": (line) => {
      for (const one of line.versions) one.canonical_code += " ";
    },
    parameters: (line) => {
      for (const one of line.versions)
        one.parameters = {
          type: "object",
          properties: { evil: {} },
          required: [],
          additionalProperties: false,
        };
    },
    signature: (line) => {
      for (const one of line.versions) one.signature = `${"A".repeat(86)}==`;
    },
    "public key": (line) => {
      for (const one of line.versions) one.public_key = Buffer.alloc(32, 7).toString("base64");
    },
    "hash of the record": (line) => {
      line.code_hash = flip(String(line.code_hash));
    },
    "hash of a version": (line) => {
      for (const one of line.versions) one.code_hash = flip(String(one.code_hash));
    },
    "hash in the FQDN": (line) => {
      line.fqdn = line.fqdn.replace(/[^.]+$/, flip);
    },
    "FQDN and all its parts": (line) => {
      line.fqdn = line.fqdn.replace(/^local/, "acme");
      line.org = "acme";
    },
    "part of the FQDN": (line) => {
      line.namespace = "other";
    },
    "number of a version": (line) => {
      for (const one of line.versions) one.version = 2;
    },
    "tools, kept quiet": (line) => {
      for (const one of line.versions) one.tools_used = [];
    },
    "dependencies, kept quiet": (line) => {
      for (const one of line.versions) one.dependencies = [];
    },
    "field that nobody knows": (line) => {
      line.usage_count = 7;
    },
    "name that is PML's own": (line) => {
      line.display_name = "pml:execute";
    },
    "name that is none": (line) => {
      line.display_name = "no name";
    },
  };

  it("[ID-15] is refused line by line, with the others as good as ever", async () => {
    const kinds = Object.entries(TAMPERINGS);
    const { created, refused, conflicts, keys } = await importChanged(
      ([echo, calls, two]) => [
        ...kinds.map(([kind, tamper]) => {
          const line = structuredClone(kind.startsWith("tools") ? echo : calls) as Line;
          tamper(line);
          return line;
        }),
        "{ garbage",
        "[]",
        `{"fqdn":"${"x".repeat(4 * 1024 * 1024)}"}`,
        "[".repeat(100_000) + "]".repeat(100_000),
        two,
        two,
      ],
      "--dry-run",
    );
    expect(created).toBe(1);
    const told = Object.fromEntries(
      [...refused, ...conflicts].map(({ line, code, message }) => [
        kinds[line - 2]?.[0] ?? `line ${line}`,
        `${code}: ${message}`,
      ]),
    );
    expect(told).toMatchInlineSnapshot(`
      {
        "FQDN and all its parts": "IMPORT_INVALID: version 1 does not match its signature",
        "a version once more": "IMPORT_INVALID: version 2 does not match its signature",
        "canonical code": "IMPORT_INVALID: the code_hash of version 1 does not match its canonical code",
        "code, and not what was signed": "IMPORT_INVALID: version 1 does not match its signature",
        "dependencies, kept quiet": "IMPORT_INVALID: the code of version 1 does not match its signature",
        "field that nobody knows": "IMPORT_INVALID: Unrecognized key: "usage_count"",
        "hash in the FQDN": "IMPORT_INVALID: the hash in its FQDN does not match its code",
        "hash of a version": "IMPORT_INVALID: its code_hash does not match version 1",
        "hash of the record": "IMPORT_INVALID: the hash in its FQDN does not match its code",
        "line 20": "IMPORT_INVALID: it is not JSON",
        "line 21": "IMPORT_INVALID: expected object, received array",
        "line 22": "IMPORT_INVALID: it is longer than 4194304 bytes",
        "line 23": "IMPORT_INVALID: it is nested too deep",
        "name that is PML's own": "NAME_TAKEN: Capability name 'pml:execute' is reserved: names that begin with cap:, pml: and mcp: belong to PML",
        "name that is none": "IMPORT_INVALID: display_name: expected a capability name",
        "number of a version": "IMPORT_INVALID: version 2 found where version 1 was expected",
        "parameters": "IMPORT_INVALID: version 1 does not match its signature",
        "part of the FQDN": "IMPORT_INVALID: its namespace does not match its FQDN",
        "public key": "IMPORT_INVALID: version 1 does not match its signature",
        "signature": "IMPORT_INVALID: version 1 does not match its signature",
        "source for people": "IMPORT_INVALID: version 1 does not match its signature",
        "tools, kept quiet": "IMPORT_INVALID: the code of version 1 does not match its signature",
      }
    `);
    // Of lines that hold, the one that is PML's own by name too.
    expect(keys).toMatchObject([{ trusted: false, records: 3 }]);
  });

  it("[ID-15] is refused as a whole without its header, or with one of another format", async () => {
    for (const text of ["", "garbage\n", '{"a":1}\n', "[]\n"]) {
      const odd = bob.file("odd.jsonl");
      writeFileSync(odd, text);
      const { code, stderr } = await bob.run("import", odd, "--yes");
      expect({ code, stderr }, text).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("[IMPORT_INVALID]"),
      });
    }
    const [header = "", ...lines] = readFileSync(file, "utf8").split("\n");
    const newer = bob.file("newer.jsonl");
    writeFileSync(newer, [header.replace('"format":2', '"format":3'), ...lines].join("\n"));
    expect((await bob.run("import", newer, "--yes")).stderr).toContain("The file has format 3");
    expect(await bob.run("import", bob.file("none.jsonl"), "--yes")).toMatchObject({ code: 2 });
    expect(await bob.names()).toEqual([]);
  });

  it("[ID-15] warns of what is called and is neither here nor in the file", async () => {
    const only = (lines: Line[]) => lines.filter(({ display_name }) => display_name === "t:calls");
    const { created, warnings } = await importChanged(only);
    expect({ created, warnings }).toEqual({
      created: 1,
      warnings: [
        expect.stringMatching(
          /^t:calls calls local\.default\.t\.echo\.[0-9a-f]{4}, which is neither in this store nor in the file$/,
        ),
      ],
    });
    expect(await importChanged((lines) => [...lines].reverse())).toMatchObject({
      created: 2,
      unchanged: 1,
      warnings: [],
    });
  });

  it("[ID-15, ID-3] leaves names to who has them, or takes others", async () => {
    const carl = installation();
    await carl.exec("return 'mine';", "--name", "t:two");
    const { created, conflicts } = await carl.json<Report>("import", file, "--yes");
    expect(created).toBe(2);
    expect(conflicts).toMatchObject([
      { name: "t:two", code: "NAME_TAKEN", hint: expect.stringContaining("--on-conflict rename") },
    ]);
    const { warnings, ...renamed } = await carl.json<Report>(
      "import",
      file,
      "--yes",
      "--on-conflict",
      "rename",
    );
    expect(renamed).toMatchObject({ created: 1, unchanged: 2, conflicts: [] });
    expect(warnings).toEqual(["t:two is called t:two_2 here: another capability has its name"]);
    expect((await carl.run("exec", "--capability", "t:two")).stdout).toBe('"mine"\n');
    await carl.stop();
  });

  it("[ID-15] says what is seen from another project only in part", async () => {
    const { warnings } = await bob.json<Report>("import", file, "--scope", "acme/shared", "--dry-run");
    expect(warnings).toEqual([]);
    const dora = installation();
    const report = await dora.json<Report>("import", file, "--yes", "--scope", "acme/shared");
    expect(report).toMatchObject({
      created: 3,
      warnings: [expect.stringContaining("3 of local.default, another project")],
    });
    await dora.stop();
  });
});

describe("[ID-15] an import that is killed", () => {
  const ada = installation();
  const bob = installation({ isProcess: true });
  afterAll(async () => {
    await ada.stop();
    await bob.stop();
  });

  /** Writes a file with `count` capabilities, which are in no other. */
  async function written(count: number): Promise<string> {
    const author = await serve(ada.place, ["--config", ada.config]);
    for (let index = 0; index < count; index += 1) {
      const args = { intent: "count", code: `return ${count} * ${index};`, name: `many${count}:c${index}` };
      expect(await author.call("cap_save", args)).toMatchObject({ isError: false });
    }
    await author.close();
    const file = ada.file(`many${count}.jsonl`);
    await ada.run("export", `many${count}:*`, "--output", file);
    return file;
  }

  /** Kills the gateway as soon as it has something of the file; answers the exit code of the command. */
  async function importAndKill(file: string): Promise<number | null> {
    const watcher = await serve(bob.place, ["--config", bob.config]);
    const total = async () =>
      (JSON.parse((await watcher.call("cap_list", { limit: 1 })).text) as { total: number }).total;
    const before = await total();
    const importing = bob.run("import", file, "--yes", "--json");
    // Without a pause, in which all of them could be imported.
    while ((await total()) === before);
    process.kill(ownerPid(bob.dataDir), "SIGKILL");
    const { code } = await importing;
    await watcher.close();
    return code;
  }

  it(
    "is finished by the next one",
    async () => {
      // On a busy machine all are imported before the first is seen: then a larger file is needed.
      for (const count of [sized(80, 40), 160, 640]) {
        const file = await written(count);
        const code = await importAndKill(file);
        const { created, unchanged, refused } = await bob.json<Report>("import", file, "--yes");
        // Everything that was reported as imported is there.
        expect({ all: created + unchanged, isSome: unchanged > 0, refused }).toEqual({
          all: count,
          isSome: true,
          refused: [],
        });
        expect(await bob.json<Report>("import", file, "--yes")).toMatchObject({
          created: 0,
          unchanged: count,
        });
        if (created > 0) {
          expect(code).toBe(1);
          return;
        }
      }
      throw new Error("Every import ended before its gateway was killed");
    },
    LONG_MS,
  );
});
