/** `mcp-permissions.yaml` with each kind of mistake: text in, text out. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { silentLog } from "../base/log.js";
import { PmlError } from "../base/pml-error.js";
import { approvalRules } from "./approval-rules.js";
import { checkConfig } from "./config-schema.js";
import { parsePermissions } from "./permissions-yaml.js";
import { fingerprintDifference, readSettings, settingsFingerprint } from "./settings.js";
import { acceptNamed } from "./trust.js";

const directory = mkdtempSync(join(tmpdir(), "pml-permissions-"));
const before = process.cwd();
afterEach(() => process.chdir(before));
afterAll(() => rmSync(directory, { recursive: true }));

/** Maps as objects, for reading. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(([key, item]) => [key, plain(item)]);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

const said = (text: string): unknown => plain(parsePermissions({ file: "p.yaml", text }));

/** What is said of `text`, without the words that every message begins with. */
function problem(text: string): string {
  try {
    parsePermissions({ file: "p.yaml", text });
    return "fine";
  } catch (error) {
    if (!(error instanceof PmlError)) throw error;
    expect(error).toMatchObject({ code: "CONFIG_INVALID", data: { file: "p.yaml" } });
    const start = 'Cannot use the permissions "p.yaml": ';
    expect(error.message.slice(0, start.length)).toBe(start);
    return error.message.slice(start.length);
  }
}

const check = (text: string, expected: string) => expect(problem(text)).toBe(expected);

describe("[FP-12] mcp-permissions.yaml", () => {
  it("says what it says", () =>
    expect(
      said(`
# Ask before anything that nobody has judged.
defaults: { approvalMode: hil, routing: cloud }
servers:
  filesystem:
    approvalMode: auto
    routing: local
    trusted: false
    tools:
      write_file: { approvalMode: hil }
      "move file": { approvalMode: "deny" }
  9: {}
  web:
`),
    ).toEqual({
      defaults: { approvalMode: "hil", routing: "cloud" },
      servers: [
        [
          "filesystem",
          {
            approvalMode: "auto",
            routing: "local",
            trusted: false,
            tools: [
              ["write_file", { approvalMode: "hil" }],
              ["move file", { approvalMode: "deny" }],
            ],
          },
        ],
        ["9", { tools: [] }],
        ["web", { tools: [] }],
      ],
    }));

  it.each(["", "# nothing yet\n", "{}", "defaults:\nservers:\n", "---\n", "~"])(
    "may say nothing: %j",
    (text) => expect(said(text)).toEqual({ defaults: {}, servers: [] }),
  );

  it("is JSON too", () =>
    expect(said('{"servers":{"fs":{"tools":{"x":{"approvalMode":"deny"}}}}}')).toEqual({
      defaults: {},
      servers: [["fs", { tools: [["x", { approvalMode: "deny" }]] }]],
    }));

  it("takes every name for a name", () => {
    const name = fc.constantFrom(
      "__proto__",
      "constructor",
      "toString",
      "true",
      "null",
      "~",
      "1e3",
      "a b",
      "ä",
      "x:y",
    );
    fc.assert(
      fc.property(fc.uniqueArray(name), (names) => {
        const text = JSON.stringify({ servers: Object.fromEntries([["s", { tools: {} }]]) }).replace(
          '"tools":{}',
          `"tools":{${names.map((key) => `${JSON.stringify(key)}:{"approvalMode":"deny"}`).join(",")}}`,
        );
        const tools = parsePermissions({ file: "p.yaml", text }).servers.get("s")?.tools;
        expect([...(tools ?? [])]).toEqual(names.map((key) => [key, { approvalMode: "deny" }]));
      }),
    );
  });
});

describe("[GW-3] a mistake is told with its line and key", () => {
  it.each([
    ["default: {}", 'unknown key "default", did you mean "defaults"? at default (line 1)'],
    ["zzz: 1", 'unknown key "zzz": expected defaults, servers at zzz (line 1)'],
    [
      "defaults:\n  aprovalMode: hil",
      'unknown key "aprovalMode", did you mean "approvalMode"? at defaults.aprovalMode (line 2)',
    ],
    [
      "defaults:\n  trusted: true",
      'unknown key "trusted": expected approvalMode, routing at defaults.trusted (line 2)',
    ],
    [
      "servers:\n  fs:\n    tool: {}",
      'unknown key "tool", did you mean "tools"? at servers.fs.tool (line 3)',
    ],
    [
      "servers:\n  fs:\n    tools:\n      x:\n        routing: local",
      'unknown key "routing": expected approvalMode at servers.fs.tools.x.routing (line 5)',
    ],
    ["__proto__: {}", 'unknown key "__proto__": expected defaults, servers at __proto__ (line 1)'],
    [
      "defaults:\n  approvalMode: HIL",
      'expected auto, hil or deny, found "HIL" at defaults.approvalMode (line 2)',
    ],
    [
      "defaults:\n  approvalMode:",
      "expected auto, hil or deny, found nothing at defaults.approvalMode (line 2)",
    ],
    [
      "defaults:\n  approvalMode: [hil]",
      "expected auto, hil or deny, found a list at defaults.approvalMode (line 2)",
    ],
    ["defaults:\n  routing: 5", "expected local or cloud, found 5 at defaults.routing (line 2)"],
    [
      "servers:\n  fs:\n    trusted: yes",
      'expected true or false, found "yes" at servers.fs.trusted (line 3)',
    ],
    [
      'servers:\n  fs:\n    trusted: "true"',
      'expected true or false, found "true" at servers.fs.trusted (line 3)',
    ],
    ["servers:\n  fs: deny", 'expected a mapping, found "deny" at servers.fs (line 2)'],
    ["servers:\n  - fs", "expected a mapping, found a list at servers (line 1)"],
    ["- a", "expected a mapping, found a list (line 1)"],
    ["hil", 'expected a mapping, found "hil" (line 1)'],
    [
      "servers:\n  fs:\n    tools:\n      x: deny",
      'expected a mapping, found "deny" at servers.fs.tools.x (line 4)',
    ],
    ["? [a]\n: b", "expected a name as a key (line 1)"],
    ["servers:\n  fs: {}\n  web: {}\n  fs: {}", 'the key "fs" appears twice at servers.fs (line 4)'],
  ])("%j", check);
});

describe("[GW-3] what the file has no need of is refused", () => {
  it.each([
    ["servers: &x {}", "anchors are not allowed at servers (line 1)"],
    ["servers:\n  a: {}\n  b: *a", "aliases are not allowed at servers.b (line 3)"],
    ["defaults: !!map {}", "tags are not allowed at defaults (line 1)"],
    ["defaults:\n  approvalMode: !!str hil", "tags are not allowed at defaults.approvalMode (line 2)"],
    ["servers:\n  &a fs: {}", "anchors are not allowed at servers (line 2)"],
    [
      "servers:\n  fs:\n    <<: {}",
      'unknown key "<<": expected approvalMode, routing, trusted, tools at servers.fs.<< (line 3)',
    ],
    ["servers:\n\tfs: {}", "it is not valid YAML: Tabs are not allowed as indentation (line 2)"],
    ["defaults: !x 1", "it is not valid YAML: Unresolved tag: !x (line 1)"],
    ["defaults: {}\n---\nservers: {}", "it is not valid YAML: expected one document (line 2)"],
    [
      "%YAML 1.1\n---\nservers: { fs: { trusted: yes } }",
      'expected true or false, found "yes" at servers.fs.trusted (line 3)',
    ],
    [
      "servers: {",
      "it is not valid YAML: Flow map in block collection must be sufficiently indented and end with a } (line 1)",
    ],
  ])("%j", check);

  it("also where it would take the gateway's time or memory", () => {
    const bomb = `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*a, *a]`).join("\n")}`;
    expect(problem(bomb)).toContain('unknown key "a"');
    for (const deep of ["[".repeat(60_000), "{a: ".repeat(60_000), `servers: ${"- ".repeat(60_000)}`])
      expect(problem(deep).length).toBeLessThan(300);
    expect(problem(`defaults: ${"!".repeat(200_000)}`).length).toBeLessThan(300);
  });

  it("and whatever else there is, it is told or read", () => {
    fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => void problem(text)));
  });
});

describe("[GW-3, FP-18] which file counts", () => {
  /** A configuration of its own, and what lies beside it. */
  function place(name: string, config: object, files: Readonly<Record<string, string>>): string {
    const at = join(directory, name);
    mkdirSync(join(at, "sub"), { recursive: true });
    writeFileSync(join(at, "pml.json"), JSON.stringify(config));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(at, file), text);
    return join(at, "pml.json");
  }
  const env = { XDG_CONFIG_HOME: join(directory, "xdg") };
  const settings = (config: string) => readSettings({ config }, env);
  const rules = (config: string, log = silentLog) => {
    const read = settings(config);
    return approvalRules(read, checkConfig(config, read.config.value), log);
  };
  const DENY = "defaults: { approvalMode: deny }";

  it("is the one beside the configuration", async () => {
    const { permissions } = await rules(place("beside", {}, { "mcp-permissions.yaml": `\uFEFF${DENY}` }));
    expect(permissions.defaults).toEqual({ approvalMode: "deny" });
  });

  it("is the one that is named, from the configuration's directory", async () => {
    const files = { "mcp-permissions.yaml": "defaults: { approvalMode: auto }", "sub/p.yaml": DENY };
    const { permissions } = await rules(place("named", { permissions: "sub/p.yaml" }, files));
    expect(permissions.defaults).toEqual({ approvalMode: "deny" });
  });

  it("may be none", async () => {
    const config = place("none", { approvals: { unannotated: "auto" } }, {});
    expect(settings(config)).not.toHaveProperty("permissions");
    expect(plain(await rules(config))).toEqual({
      permissions: { defaults: {}, servers: [] },
      unannotated: "auto",
    });
  });

  it("must be there when it is named", () => {
    const config = place("missing", { permissions: "p.yaml" }, {});
    expect(() => settings(config)).toThrow(
      `Cannot use the configuration "${config}": there is no "${join(directory, "missing", "p.yaml")}" at permissions`,
    );
  });

  it("is a file of a reasonable size", () => {
    const large = place("large", {}, { "mcp-permissions.yaml": "#".repeat(262_145) });
    expect(() => settings(large)).toThrow(/mcp-permissions.yaml": it has 262145 bytes, the limit is 262144/);
    const folder = place("folder", { permissions: "sub" }, {});
    expect(() => settings(folder)).toThrow(/Cannot use the permissions ".*sub": EISDIR/);
  });

  it("warns of a server that is not configured", async () => {
    const warnings: unknown[] = [];
    const config = place(
      "unknown",
      { mcpServers: { "my-files": { command: "x" }, off: { command: "x", disabled: true } } },
      { "mcp-permissions.yaml": "servers: { my_files: {}, off: {}, filse: {} }" },
    );
    await rules(config, { ...silentLog, warn: (event, fields) => void warnings.push([event, fields]) });
    expect(warnings).toEqual([
      [
        "permissions.unknown_server",
        { file: join(directory, "unknown", "mcp-permissions.yaml"), server: "filse" },
      ],
    ]);
  });

  it("[ST-2] is what all who share a gateway must agree on, with the rules of the configuration", () => {
    const config = place("print", {}, {});
    const print = () => settingsFingerprint(settings(config));
    const first = print();
    place("print", {}, { "mcp-permissions.yaml": DENY });
    const second = print();
    expect(fingerprintDifference(first, second)).toEqual(["permissions"]);
    place("print", { approvals: { unannotated: "auto" } }, { "mcp-permissions.yaml": DENY });
    expect(fingerprintDifference(second, print())).toEqual(["approvals"]);
  });

  it("[ST-2] reaches the gateway in the background as the text that was hashed", () => {
    const read = settings(place("pipe", {}, { "mcp-permissions.yaml": DENY }));
    expect(JSON.parse(JSON.stringify(read))).toMatchObject({ permissions: { text: DENY } });
  });

  it("[TB-5] is accepted with a pml.json of the current directory; a change is used unless it is weaker", () => {
    place("trust", {}, {});
    process.chdir(join(directory, "trust"));
    const config = join(process.cwd(), "pml.json");
    const found = join(process.cwd(), "mcp-permissions.yaml");
    const keys = { ...env, PML_KEY_DIR: join(directory, "keys") };
    const read = () => readSettings({}, keys).permissions?.text;
    const accept = () => acceptNamed(readSettings({ config }, keys), silentLog);
    expect(read).toThrow(`Cannot use "${config}": `);
    accept();
    expect(read()).toBeUndefined();
    writeFileSync(found, DENY);
    expect(read()).toBe(DENY);
    writeFileSync(found, "defaults: { approvalMode: auto }");
    expect(read).toThrow("the rule for defaults is auto now, and was deny");
    rmSync(found);
    expect(read).toThrow("the rule deny for defaults was removed");
    accept();
    expect(read()).toBeUndefined();
  });
});
