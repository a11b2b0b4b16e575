/** A configuration with each kind of mistake: text in, text out. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { PmlError } from "../base/pml-error.js";
import { type ConfigFile, configOf, readConfigBytes } from "./config-file.js";
import { checkConfig, configJsonSchema, loadConfig } from "./config-schema.js";
import { CONFIG_KEYS, checkOwnKeys } from "./own-keys.js";

const directory = mkdtempSync(join(tmpdir(), "pml-config-"));
afterAll(() => rmSync(directory, { recursive: true }));
const FILE = join(directory, "pml.json");
const HOME = "/home/ada";

const SECRETS: Readonly<Record<string, string>> = { KEY: "k3y", "api-key": "typed" };

function load(text: string, env: Readonly<Record<string, string>>): ConfigFile {
  writeFileSync(FILE, text);
  return configOf(FILE, readConfigBytes(FILE), {
    variable: (name) => env[name],
    secret(name) {
      const value = SECRETS[name];
      if (value !== undefined) return value;
      throw new PmlError("SECRET_UNKNOWN", `the secret ${name} is not set`);
    },
    home: HOME,
    ownDirectory: join(directory, "own"),
  });
}

function read(text: string, env: Readonly<Record<string, string>>): unknown {
  return checkConfig(FILE, load(text, env).value);
}

/** What is said of `text`, without the words that every message begins with. */
function problem(text: string, env: Readonly<Record<string, string>> = {}): string {
  try {
    const config = load(text, env);
    return loadConfig(config).problems[0]?.message ?? "fine";
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    expect(error.code).toBe("CONFIG_INVALID");
    expect(error.data.file).toBe(FILE);
    const start = `Cannot use the configuration "${FILE}": `;
    expect(error.message.slice(0, start.length)).toBe(start);
    return error.message.slice(start.length);
  }
}

const check = (text: string, expected: string) => expect(problem(text)).toBe(expected);
const server = (entry: unknown, name = "files") => JSON.stringify({ mcpServers: { [name]: entry } });

describe("a file that is not JSON [GW-3]", () => {
  it.each([
    ["", "it is not JSON: unexpected end (line 1, column 1)"],
    ["{", "it is not JSON: unexpected end (line 1, column 2)"],
    ["nonsense", 'it is not JSON: unexpected "o" (line 1, column 2)'],
    ['{\n  "mcpServers": {\n    "a": {,}\n  }\n}', 'it is not JSON: unexpected "," (line 3, column 11)'],
    ['{\n  "log": {},,\n}', 'it is not JSON: unexpected "," (line 2, column 13)'],
    ['{\n  // a "comment"\n  /* and */ oops }', 'it is not JSON: unexpected "o" (line 3, column 13)'],
    ['{ "a": "x // y" / }', 'it is not JSON: unexpected "/" (line 1, column 17)'],
    ['{ "exposure": all }', 'it is not JSON: unexpected "a" (line 1, column 15)'],
    ['{ "a": "x\ny" }', 'it is not JSON: unexpected "\\n" (line 1, column 10)'],
    ["{} {}", 'it is not JSON: unexpected "{" (line 1, column 4)'],
    ["\uFEFF{\n  oops }", 'it is not JSON: unexpected "o" (line 2, column 3)'],
  ])("%j", check);

  it("finds the fault wherever it is put", () => {
    const text = JSON.stringify(
      { mcpServers: { a: { command: "x", args: ["1", "2"] } }, log: { level: "info" } },
      undefined,
      1,
    );
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), (at) => {
        // Outside of a text, this sign can stand nowhere.
        const broken = `${text.slice(0, at)}\u0001${text.slice(at)}`;
        const before = text.slice(0, at);
        const [line, column] = [before.split("\n").length, at - before.lastIndexOf("\n")];
        expect(problem(broken)).toBe(`it is not JSON: unexpected "\\u0001" (line ${line}, column ${column})`);
      }),
    );
  });

  it.each([
    '{\n  "log": {},\n}',
    "{\n  // a comment\n}",
    '{ "log": { /* "level": 5, */ }, // the end\n /* of it */ }',
    '{ "mcpServers": { "a": { "command": "x", "args": ["// no comment", ",]", "\\\\",], }, }, }',
  ])("may have comments and trailing commas [FH-2]: %s", (text) => check(text, "fine"));

  it("takes a byte order mark for nothing", () => check('\uFEFF{"log":{}}', "fine"));
});

describe("a value of the wrong kind [GW-3]", () => {
  it.each([
    ["[]", "expected a JSON object, found a list"],
    ['"s3cret"', "expected a JSON object, found a string"],
    ["null", "expected a JSON object, found null"],
    ["5", "expected a JSON object, found a number"],
    ['{"mcpServers":[]}', "expected object, found a list at mcpServers"],
    ['{"mcpServers":"x"}', "expected object, found a string at mcpServers"],
    ['{"store":5}', "expected object, found a number at store"],
    [
      '{"exposure":"some"}',
      'Invalid option: expected one of "auto"|"all"|"lean", found a string at exposure',
    ],
    [
      '{"log":{"level":5}}',
      'Invalid option: expected one of "debug"|"info"|"warn"|"error"|"silent", found a number at log.level',
    ],
    [
      '{"sandbox":{"timeoutMs":0}}',
      "Too small: expected number to be >=1, found a number at sandbox.timeoutMs",
    ],
    ['{"sandbox":{"memoryMb":1.5}}', "expected int, found a number at sandbox.memoryMb"],
    ['{"store":{"url":"mysql://x"}}', "Invalid URL, found a string at store.url"],
    ['{"scope":{"org":5}}', "expected string, found a number at scope.org"],
    [
      '{"registry":{"reserveDays":36501}}',
      "Too big: expected number to be <=36500, found a number at registry.reserveDays",
    ],
    [
      '{"daemon":{"idleSeconds":0}}',
      "Too small: expected number to be >=0.1, found a number at daemon.idleSeconds",
    ],
  ])("%s", check);
});

describe("an unknown key [GW-3]", () => {
  it.each([
    ['{"mcpServer":{}}', 'unknown key "mcpServer", did you mean "mcpServers"? at mcpServer'],
    ['{"servers":{}}', 'unknown key "servers", did you mean "mcpServers"? at servers'],
    ['{"zzz":1}', 'unknown key "zzz" at zzz'],
    ['{"sandbox":{"timeout":5}}', 'unknown key "timeout", did you mean "timeoutMs"? at sandbox.timeout'],
    ['{"scope":{"organisation":"x"}}', 'unknown key "organisation" at scope.organisation'],
    ['{"__proto__":{}}', 'unknown key "__proto__" at __proto__'],
  ])("%s", check);

  it("passes over keys of other clients in a server's entry", () =>
    check(server({ command: "x", alwaysAllow: [], icon: "y" }), "fine"));
});

describe("a server's entry [GW-3]", () => {
  it.each<[unknown, string]>([
    [{}, 'expected "command" (a program) or "url" (an HTTP server) at mcpServers.files'],
    ["npx", 'expected an object with "command" or "url", found a string at mcpServers.files'],
    [[], 'expected an object with "command" or "url", found a list at mcpServers.files'],
    [null, 'expected an object with "command" or "url", found null at mcpServers.files'],
    [
      { command: "" },
      "Too small: expected string to have >=1 characters, found a string at mcpServers.files.command",
    ],
    [{ command: 5 }, "expected string, found a number at mcpServers.files.command"],
    [{ command: "x", args: "y" }, "expected array, found a string at mcpServers.files.args"],
    [{ command: "x", args: ["y", 5] }, "expected string, found a number at mcpServers.files.args.1"],
    [{ command: "x", env: { A: 5 } }, "expected string, found a number at mcpServers.files.env.A"],
    [{ command: "x", timeoutMs: "5" }, "expected number, found a string at mcpServers.files.timeoutMs"],
    [{ command: "x", disabled: "yes" }, "expected boolean, found a string at mcpServers.files.disabled"],
    [
      { command: "x", protocol: "2024" },
      'Invalid option: expected one of "2025"|"2026"|"auto", found a string at mcpServers.files.protocol',
    ],
    [{ url: "not a url" }, "Invalid URL, found a string at mcpServers.files.url"],
    [{ url: "ftp://x/y" }, "Invalid URL, found a string at mcpServers.files.url"],
    [
      { url: "http://x", type: "tcp" },
      'Invalid option: expected one of "http"|"streamable-http"|"sse", found a string at mcpServers.files.type',
    ],
    [{ url: "http://x", headers: { a: 1 } }, "expected string, found a number at mcpServers.files.headers.a"],
  ])("%j", (entry, expected) => check(server(entry), expected));

  it.each(["a__b", "pml", "MCP", "cap", "_a", "a b", "a:b", "", "ä", "x".repeat(65)])(
    "has no name like %j",
    (name) => {
      const said = problem(server({ command: "x" }, name));
      expect(said).toContain("expected a server name of 1 to 64 letters, digits");
      expect(said).toContain(` at mcpServers.${name}`);
    },
  );

  it.each(["files", "a-b_c.d", "9", "x".repeat(64)])("may be called %j", (name) =>
    check(server({ command: "x" }, name), "fine"),
  );
});

describe("the embedder [GW-3] [DI-2]", () => {
  const OPENAI = { type: "openai", url: "https://api.example/v1", model: "m" };
  const FORMS =
    'expected "bundled", "none", or an object whose "type" is "openai" or "directory" at discovery.embedder';
  const at = (key: string) => `at discovery.embedder.${key}`;
  it.each<[unknown, string]>([
    ["bundled", "fine"],
    ["none", "fine"],
    [OPENAI, "fine"],
    [
      { ...OPENAI, apiKey: "k", dimensions: 256, queryPrefix: "q: ", documentPrefix: "", weight: 0.5 },
      "fine",
    ],
    [{ type: "directory", path: "./model" }, "fine"],
    ["minilm", FORMS],
    [5, FORMS],
    [null, FORMS],
    [{}, FORMS],
    [{ type: "ollama" }, FORMS],
    [{ type: "openai", model: "m" }, `expected string, found nothing ${at("url")}`],
    [{ ...OPENAI, url: "file:///x" }, `Invalid URL, found a string ${at("url")}`],
    [{ ...OPENAI, model: 5 }, `expected string, found a number ${at("model")}`],
    [{ ...OPENAI, apikey: "k" }, `unknown key "apikey", did you mean "apiKey"? ${at("apikey")}`],
    [{ ...OPENAI, weight: 2 }, `Too big: expected number to be <=1, found a number ${at("weight")}`],
    [{ ...OPENAI, dimensions: 1.5 }, `expected int, found a number ${at("dimensions")}`],
    [{ type: "directory" }, `expected string, found nothing ${at("path")}`],
    [{ type: "directory", path: "x", url: "y" }, `unknown key "url" ${at("url")}`],
  ])("%j", (embedder, expected) => check(JSON.stringify({ discovery: { embedder } }), expected));

  it("is the only key of its section so far", () =>
    check(
      '{"discovery":{"embeder":"none"}}',
      'unknown key "embeder", did you mean "embedder"? at discovery.embeder',
    ));
});

describe("the model that refines names [GW-3] [CU-3]", () => {
  const LOCAL = { type: "openai", model: "llama3.2", baseUrl: "http://127.0.0.1:11434/v1" };
  const FORMS =
    'expected "none", "haiku", "sonnet", "sampling", or an object whose "type" is "anthropic" or "openai" at curation.model';
  const at = (key: string) => `at curation.model.${key}`;
  it.each<[unknown, string]>([
    ["none", "fine"],
    ["haiku", "fine"],
    ["sonnet", "fine"],
    ["sampling", "fine"],
    [LOCAL, "fine"],
    [{ type: "openai", model: "gpt", apiKeyEnv: "OPENAI_API_KEY" }, "fine"],
    [{ type: "anthropic", model: "claude-opus-5-5" }, "fine"],
    ["opus", FORMS],
    [5, FORMS],
    [null, FORMS],
    [{}, FORMS],
    [{ type: "ollama", model: "m" }, FORMS],
    [{ type: "openai" }, `expected string, found nothing ${at("model")}`],
    [{ ...LOCAL, baseUrl: "file:///x" }, `Invalid URL, found a string ${at("baseUrl")}`],
    [
      { ...LOCAL, baseUrl: "http://ada:pass@127.0.0.1/v1" },
      `expected an address without a user or password, found a string ${at("baseUrl")}`,
    ],
    [
      { ...LOCAL, apiKeyEnv: "sk-0123456789" },
      `expected the name of an environment variable, found a string ${at("apiKeyEnv")}`,
    ],
    [{ ...LOCAL, apiKey: "k" }, `unknown key "apiKey", did you mean "apiKeyEnv"? ${at("apiKey")}`],
  ])("%j", (model, expected) => check(JSON.stringify({ curation: { model } }), expected));

  it.each<[unknown, string]>([
    [{ after: 10, mode: "suggest" }, "fine"],
    [{ mode: "auto" }, "fine"],
    [{ mode: "off" }, "fine"],
    [{ after: 0 }, "Too small: expected number to be >=1, found a number at curation.after"],
    [
      { mode: "apply" },
      'Invalid option: expected one of "suggest"|"auto"|"off", found a string at curation.mode',
    ],
    [{ modle: "none" }, 'unknown key "modle", did you mean "mode"? at curation.modle'],
  ])("%j", (curation, expected) => check(JSON.stringify({ curation }), expected));
});

describe("[DO-3] the http section", () => {
  const issuers = (issuer: string) => JSON.stringify({ http: { oauth: { issuers: [{ issuer }] } } });

  it.each<[string, string]>([
    ["https://id.example.com/realm", "fine"],
    ["http://127.0.0.1:8080", "fine"],
    ["http://localhost:8080/realm", "fine"],
    ["http://[::1]:8080", "fine"],
    [
      "http://id.example.com",
      "expected an address with https:, or with http: on this machine, found a string at http.oauth.issuers.0.issuer",
    ],
    [
      "http://127.0.0.1.example.com",
      "expected an address with https:, or with http: on this machine, found a string at http.oauth.issuers.0.issuer",
    ],
  ])("%s", (issuer, expected) => check(issuers(issuer), expected));
});

/** `$` apart from its brace, so that it is seen that these are texts of a configuration. */
const V = (inner: string) => `$${`{${inner}}`}`;

describe("variables [GW-3]", () => {
  const expand = (text: string, env: Readonly<Record<string, string>> = {}) => {
    const config = read(JSON.stringify({ mcpServers: { s: { command: "x", args: [text] } } }), env) as {
      mcpServers: { s: { args: readonly string[] } };
    };
    return config.mcpServers.s.args[0];
  };

  it.each([
    [V("A"), "1"],
    [`-${V("A")}-${V("B")}-`, "-1-two-"],
    [V("A:-other"), "1"],
    [V("NONE:-other"), "other"],
    [V("NONE:-"), ""],
    [V("NONE:-a:-b"), "a:-b"],
    [`$${V("A")}`, V("A")],
    [`$${V("not a name")}`, V("not a name")],
    ["$A", "$A"],
    ["$$", "$$"],
    [V("EMPTY"), ""],
    [V("NESTED"), V("A")],
    [V("PML_CONFIG_DIR"), directory],
    [V("env:A"), "1"],
    [V("env:NONE:-other"), "other"],
    [`$${V("secret:KEY")}`, V("secret:KEY")],
    [V("workspaceFolder"), directory],
    [V("workspaceFolderBasename"), basename(directory)],
    [`${V("userHome")}/x`, "/home/ada/x"],
  ])("%s", (text, expected) =>
    expect(expand(text, { A: "1", B: "two", EMPTY: "", NESTED: V("A") })).toBe(expected),
  );

  it("names the variable that is not set, and the key", () =>
    check(
      server({ command: "x", env: { TOKEN: V("NO_SUCH") } }),
      "the variable NO_SUCH is not set at mcpServers.files.env.TOKEN",
    ));

  it("names the key of what is no variable", () =>
    check(
      server({ command: "x", args: ["a", V("not a name")] }),
      `a variable has no proper name: expected ${V("NAME")} or ${V("NAME:-default")} at mcpServers.files.args.1`,
    ));
});

describe("[FP-24, DO-5] a value that cannot be resolved", () => {
  const servers = (entries: object) => load(JSON.stringify({ mcpServers: entries }), { A: "1" });
  const good = { command: "x", env: { KEY: V("A") } };

  it.each<[object, string]>([
    [{ env: { T: V("NONE") } }, "VARIABLE_UNSET: the variable NONE is not set at mcpServers.bad.env.T"],
    [{ env: { T: V("env:NONE") } }, "VARIABLE_UNSET: the variable NONE is not set at mcpServers.bad.env.T"],
    [{ env: { T: V("secret:NONE") } }, "SECRET_UNKNOWN: the secret NONE is not set at mcpServers.bad.env.T"],
    [{ env: { T: V("input:ask") } }, "SECRET_UNKNOWN: the secret ask is not set at mcpServers.bad.env.T"],
    [
      { args: ["--key", V("secret:KEY")] },
      "CONFIG_INVALID: a secret can only be used in env, headers, url and auth at mcpServers.bad.args",
    ],
    [
      { envFile: "nowhere.env" },
      `VARIABLE_UNSET: cannot read the variables in "${directory}/nowhere.env": there is no such file at mcpServers.bad.envFile`,
    ],
  ])("disables the one server: %j", (entry, expected) => {
    const { value, problems, broken } = servers({ bad: { command: "y", ...entry }, good });
    expect(problems.map(({ code, message }) => `${code}: ${message}`)).toEqual([expected]);
    expect(value.mcpServers).toEqual({ good: { command: "x", env: { KEY: "1" } } });
    expect(Object.keys(broken)).toEqual(["bad"]);
  });

  it("[FH-4] and a wrong entry disable their servers only", () => {
    const wrong = {
      unset: { command: "x", env: { T: V("NONE") } },
      wrong: { command: 5 },
      "a b": { command: "x" },
    };
    const { config, problems } = loadConfig(servers({ good, ...wrong }));
    expect(Object.keys(config.mcpServers ?? {})).toEqual(["good"]);
    expect(problems.map(({ server, code }) => [server, code])).toEqual([
      ["unset", "VARIABLE_UNSET"],
      ["wrong", "CONFIG_INVALID"],
      ["a b", "CONFIG_INVALID"],
    ]);
  });

  it("matters not where the server is disabled", () => {
    const off = { command: "y", env: { T: V("NONE") }, disabled: true };
    const read = servers({ off, "a b": { command: 5, disabled: true } });
    expect(read).toMatchObject({ value: { mcpServers: { off } }, problems: [] });
    expect(loadConfig(read).problems).toEqual([]);
  });

  it("refuses the file where no server has it", () => {
    check(`{"store":{"url":"${V("NONE")}"}}`, "the variable NONE is not set at store.url");
    check(`{"store":{"url":"${V("secret:NONE")}"}}`, "the secret NONE is not set at store.url");
  });

  it("is a secret where one is kept, in variables, headers and addresses", () => {
    const found = servers({
      a: { command: "x", env: { K: `-${V("secret:KEY")}-`, I: V("input:api-key") } },
      b: { url: `https://x.test/?k=${V("secret:KEY")}`, headers: { H: `Bearer ${V("secret:KEY")}` } },
    });
    expect(found.value.mcpServers).toEqual({
      a: { command: "x", env: { K: "-k3y-", I: "typed" } },
      b: { url: "https://x.test/?k=k3y", headers: { H: "Bearer k3y" } },
    });
    expect(found.secrets).toEqual(["k3y", "typed"]);
  });

  it("is in a file with variables, over which the entry's own count", () => {
    writeFileSync(join(directory, "some.env"), '# mine\nexport A="file a"\nB=file b\n');
    const entry = { command: "x", envFile: `${V("workspaceFolder")}/some.env`, env: { B: "own" } };
    const { value, envFiles } = servers({ a: entry });
    expect(value.mcpServers).toMatchObject({ a: { env: { A: "file a", B: "own" } } });
    expect(envFiles.a).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("where servers run that say nothing else [FH-2]", () => {
  const cwdOf = (file: string) => {
    const values = { variable: () => undefined, secret: () => "", home: HOME, ownDirectory: directory };
    return configOf(file, Buffer.from("{}"), values).cwd;
  };
  it("is the home directory for the user's own configuration", () => expect(cwdOf(FILE)).toBe(HOME));
  it("is the directory of any other", () => {
    expect(cwdOf(join(directory, "other.json"))).toBe(directory);
    expect(cwdOf(join(directory, "project", "pml.json"))).toBe(join(directory, "project"));
  });
});

describe("the file itself [GW-3]", () => {
  it("is named when it does not exist", () => {
    const missing = join(directory, "missing.json");
    expect(() => readConfigBytes(missing)).toThrow(
      `Cannot use the configuration "${missing}": there is no such file`,
    );
  });

  it("is named when it is a directory", () => {
    expect(() => readConfigBytes(directory)).toThrow(/Cannot use the configuration ".*": EISDIR/);
  });

  it("may have a megabyte", () => {
    check(`{}${" ".repeat(1_048_575)}`, "it has 1048577 bytes, the limit is 1048576");
    check(`{}${" ".repeat(1_048_574)}`, "fine");
  });
});

describe("secrets [GW-3]", () => {
  const SECRET = "s3cr3t-v4lue";
  it.each([
    `{"mcpServers":{"a":{"command":"x","env":{"T":${SECRET}}}}}`,
    `{"mcpServers":{"a":{"command":"x","env":{"T":"${SECRET}" oops}}}}`,
    `"${SECRET}"`,
    server({ command: "x", env: { T: [SECRET] } }),
    server({ command: "x", timeoutMs: SECRET }),
    server({ url: SECRET }),
    server({ url: V("S"), type: V("S") }),
    server({ command: "x", protocol: V("S") }),
    server({ url: "http://x", headers: V("S") }),
    server({ command: "x", args: [V(`${SECRET} `)] }),
    JSON.stringify({ store: { url: V("S") } }),
    JSON.stringify({ exposure: V("S") }),
  ])("are in no message: %s", (text) => {
    const said = problem(text, { S: SECRET });
    expect(said).not.toBe("fine");
    expect(said).not.toContain(SECRET);
  });
});

describe("what a client that only joins checks itself [GW-3]", () => {
  const said = (judge: (value: Readonly<Record<string, unknown>>) => void, text: string) => {
    try {
      judge(JSON.parse(text) as Record<string, unknown>);
      return "fine";
    } catch (error) {
      return error instanceof PmlError ? error.message : error;
    }
  };

  it.each([
    ...['"Lean"', "5", "null", '"lean"', '"all"', '"auto"'].map((value) => `{"exposure":${value}}`),
    ...["5", "null", "[]", "{}", '{"org":5}', '{"user":null}', '{"organ":"x"}', '{"org":"x"}'].map(
      (value) => `{"scope":${value}}`,
    ),
    ...["true", '{"level":"loud"}', '{"level":5}', '{"levle":"info"}', '{"level":"silent"}'].map(
      (value) => `{"log":${value}}`,
    ),
    ...["0", "0.1", '"5"', "604801", "604800", "null"].map((value) => `{"daemon":{"idleSeconds":${value}}}`),
    '{"Exposure":"lean"}',
    ...["5", "null", "[]", '"x.yaml"'].map((value) => `{"permissions":${value}}`),
    '{"daemons":{}}',
    '{"__proto__":{}}',
  ])("says of %s what the schema says", (text) =>
    expect(said((value) => checkOwnKeys({ file: FILE, value }), text)).toBe(
      said((value) => checkConfig(FILE, value), text),
    ),
  );

  it("knows every key of the schema", () =>
    expect(Object.keys(configJsonSchema().properties as object)).toEqual(CONFIG_KEYS));
});

it("[GW-3] publishes the schema that it checks with", () => {
  const published: unknown = JSON.parse(
    readFileSync(new URL("../../schema/pml.schema.json", import.meta.url), "utf8"),
  );
  expect(published).toEqual(JSON.parse(JSON.stringify(configJsonSchema())));
  expect(Object.keys((published as { properties: object }).properties)).toContain("mcpServers");
});
