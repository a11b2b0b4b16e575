import { describe, expect, it } from "vitest";
import type { ConfigFormat } from "./client-table.js";
import { editedText } from "./config-text.js";

const ENTRY = { command: "npx", args: ["serve"] };
const PATHS = { jsonc: ["mcpServers"], toml: ["mcp_servers"], yaml: ["extensions"] } as const;

/** The text with PML in it, and `gone` out of it. */
function edited(format: ConfigFormat, text: string, gone: readonly string[] = ["gone", "away"]): string {
  return editedText(format, text, { path: PATHS[format], remove: gone, put: { name: "pml", entry: ENTRY } });
}

/** Shows the ends of Windows lines and the mark at the start of a file. */
const shown = (text: string) => text.replaceAll("\r", "␍").replace("\uFEFF", "␂");

describe("[FH-3] JSON with comments is edited in place", () => {
  const check = (text: string, expected: string) => expect(shown(edited("jsonc", text))).toBe(expected);
  const PML = '"pml": {\n      "command": "npx",\n      "args": [\n        "serve"\n      ]\n    }';

  it("a server gives way, and its neighbours stay as they are", () =>
    check(
      `{
  // mine
  "mcpServers": {
    "a":   {"command":"a"}, // first
    /* before */
    "gone": { "command": "g" }, // after
    "b": {"command":"b"}
  },
  "other": [1,2,   3]
}
`,
      `{
  // mine
  "mcpServers": {
    "a":   {"command":"a"}, // first
    /* before */
    ${PML}, // after
    "b": {"command":"b"}
  },
  "other": [1,2,   3]
}
`,
    ));

  it.each([
    ["the last of two that go", '"gone": 1,\n    "b": 2,\n    "away": 3', `${PML},\n    "b": 2`],
    ["both go", '"gone": 1,\n    "away": 3', PML],
    ["both go, and a comma is behind them", '"gone": 1,\n    "away": 3,', `${PML},`],
    [
      "the last goes, and a comment is behind it",
      '"gone": 1,\n    "b": 2, // two\n    "away": 3 // three',
      `${PML},\n    "b": 2 // two\n     // three`,
    ],
    ["none goes", '"b": 2', `"b": 2,\n    ${PML}`],
    ["none goes, and a comma is behind the last", '"b": 2, // two', `"b": 2, // two\n    ${PML},`],
    ["none goes, and a comment is behind the last", '"b": 2 // two', `"b": 2, // two\n    ${PML}`],
    ["an entry of PML is there", '"pml": {"command": "old"},\n    "b": 2', `${PML},\n    "b": 2`],
  ])("where %s", (_, servers, expected) =>
    check(`{\n  "mcpServers": {\n    ${servers}\n  }\n}`, `{\n  "mcpServers": {\n    ${expected}\n  }\n}`),
  );

  it.each([
    ["an empty file", "", `{\n  "mcpServers": {\n    ${PML}\n  }\n}\n`],
    ["only a comment", "// mine\n", `// mine\n{\n  "mcpServers": {\n    ${PML}\n  }\n}\n`],
    ["an empty object", "{}", `{\n  "mcpServers": {\n    ${PML}\n  }\n}`],
    ["no servers", '{\n  "a": 1\n}\n', `{\n  "a": 1,\n  "mcpServers": {\n    ${PML}\n  }\n}\n`],
    ["empty servers", '{\n  "mcpServers": {}\n}\n', `{\n  "mcpServers": {\n    ${PML}\n  }\n}\n`],
    [
      "servers with a comment",
      '{\n  "mcpServers": {\n    // none\n  }\n}\n',
      `{\n  "mcpServers": {\n    // none\n    ${PML}\n  }\n}\n`,
    ],
    ["null for the servers", '{\n  "mcpServers": null\n}\n', `{\n  "mcpServers": {\n    ${PML}\n  }\n}\n`],
  ])("%s gets the servers", (_, text, expected) => check(text, expected));

  it("on one line stays on one line", () =>
    check(
      '{"mcpServers":{"gone":{"command":"g"},"b":{}},"x":1}',
      '{"mcpServers":{"pml": {"command":"npx","args":["serve"]},"b":{}},"x":1}',
    ));

  it("keeps tabs, Windows lines, a mark at the start and no line at the end", () =>
    check(
      '\uFEFF{\r\n\t"mcpServers": {\r\n\t\t"gone": {}\r\n\t}\r\n}',
      '␂{␍\n\t"mcpServers": {␍\n\t\t"pml": {␍\n\t\t\t"command": "npx",␍\n\t\t\t"args": [␍\n\t\t\t\t"serve"␍\n\t\t\t]␍\n\t\t}␍\n\t}␍\n}',
    ));

  it("takes the last of two keys of one name, as clients do", () =>
    expect(edited("jsonc", '{"mcpServers":{"gone":1},"mcpServers":{"away":1}}')).toBe(
      '{"mcpServers":{"gone":1},"mcpServers":{"pml": {"command":"npx","args":["serve"]}}}',
    ));

  it("goes as deep as the client has its servers", () => {
    const deep = { path: ["mcp", "servers"], remove: [], put: { name: "pml", entry: 1 } };
    expect(editedText("jsonc", '{"mcp": {"timeout": 1}}', deep)).toBe(
      '{"mcp": {"timeout": 1, "servers": {"pml":1}}}',
    );
    expect(editedText("jsonc", '{"a": 1}', deep)).toBe('{"a": 1, "mcp": {"servers":{"pml":1}}}');
  });

  it("refuses what is no object", () =>
    expect(() => edited("jsonc", "[1]")).toThrow("expected keys and values"));
});

describe("[FH-3] TOML is edited in place", () => {
  const check = (text: string, expected: string) => expect(shown(edited("toml", text))).toBe(expected);
  const PML = '[mcp_servers.pml]\ncommand = "npx"\nargs = ["serve"]\n';

  it("the tables of a server give way, and all else stays", () =>
    check(
      `# mine
model = "x"   # usual

# the server
[mcp_servers.gone]
command = "g" # g
args = [
  "[not.a.table]", # ]
]

[mcp_servers.gone.env]
A = """
[mcp_servers.b]
"""

[mcp_servers.b]
command = "b"

[mcp_servers."away"]
command = 'a'

[profiles.fast]
model = "y"`,
      `# mine
model = "x"   # usual

# the server
${PML}
[mcp_servers.b]
command = "b"

[profiles.fast]
model = "y"`,
    ));

  it.each([
    ["nothing", "", PML],
    ["no servers", "a = 1", `a = 1\n\n${PML}`],
    ["another server", '[mcp_servers.b]\ncommand = "b"\n', `[mcp_servers.b]\ncommand = "b"\n\n${PML}`],
    ["an entry of PML", '[mcp_servers.pml]\ncommand = "old"\n\n[b]\n', `${PML}\n[b]\n`],
    [
      "keys in place of tables",
      '[mcp_servers]\ngone = { command = "g" }\nb.command = "b"\n',
      `[mcp_servers]\nb.command = "b"\n\n${PML}`,
    ],
    ["dotted keys", 'mcp_servers.gone.command = "g"\na = 1\n', `a = 1\n\n${PML}`],
    ["indented tables", '  [mcp_servers.gone]\n    command = "g"\n  [b]\n', `${PML}  [b]\n`],
    [
      "Windows lines",
      'a = 1\r\n[mcp_servers.gone]\r\ncommand = "g"\r\n',
      'a = 1␍\n[mcp_servers.pml]␍\ncommand = "npx"␍\nargs = ["serve"]␍\n',
    ],
    ["a mark at the start", '\uFEFF[mcp_servers.gone]\ncommand = "g"\n', `␂${PML}`],
    [
      "dates and large numbers",
      "d = 1979-05-27T07:32:00Z\nn = 9223372036854775807\n",
      `d = 1979-05-27T07:32:00Z\nn = 9223372036854775807\n\n${PML}`,
    ],
  ])("a file with %s", (_, text, expected) => check(text, expected));

  it("refuses servers in one line, which it cannot edit", () =>
    expect(() => edited("toml", 'mcp_servers = { gone = { command = "g" } }\n')).toThrow(
      /PML cannot edit|redefine|already/,
    ));
});

describe("[FH-3] YAML is edited in place", () => {
  const check = (text: string, expected: string) => expect(shown(edited("yaml", text))).toBe(expected);
  const PML = "  pml:\n    command: npx\n    args:\n      - serve\n";

  it("the lines of a server give way, and all else stays", () =>
    check(
      `# mine
A:   1   # one
extensions:
  a: { cmd: "a" }   # a

  # before
  gone:
    cmd: g   # g
    args:
    - 'x'
    # in it
  # between
  b:
    cmd: |
      several
      lines

  away:
    cmd: w
Z: "end"
`,
      `# mine
A:   1   # one
extensions:
  a: { cmd: "a" }   # a

  # before
${PML}  # between
  b:
    cmd: |
      several
      lines

Z: "end"
`,
    ));

  it.each([
    ["nothing", "", `extensions:\n${PML}`],
    ["no servers", "a: 1", `a: 1\nextensions:\n${PML}`],
    ["empty servers", "extensions: {}\nz: 1\n", `extensions:\n${PML}z: 1\n`],
    ["null for the servers", "extensions:\nz: 1\n", `extensions:\n${PML}z: 1\n`],
    [
      "another server",
      "extensions:\n    b:\n        cmd: b\n",
      "extensions:\n    b:\n        cmd: b\n    pml:\n      command: npx\n      args:\n        - serve\n",
    ],
    ["no line at the end", "extensions:\n  b: {}", `extensions:\n  b: {}\n${PML}`],
    ["an entry of PML", "extensions:\n  pml:\n    cmd: old\nz: 1\n", `extensions:\n${PML}z: 1\n`],
    [
      "Windows lines",
      "extensions:\r\n  gone:\r\n    cmd: g\r\n",
      "extensions:␍\n  pml:␍\n    command: npx␍\n    args:␍\n      - serve␍\n",
    ],
    ["a mark at the start", "\uFEFFextensions: {}\n", `␂extensions:\n${PML}`],
    [
      "servers in one line",
      "# c\nextensions: { gone: {}, b: {} } # d\n",
      "# c\nextensions: { b: {}, pml: { command: npx, args: [ serve ] } } # d\n",
    ],
  ])("a file with %s", (_, text, expected) => check(text, expected));

  const list = {
    path: ["mcpServers"],
    isList: true,
    remove: ["gone"],
    put: { name: "pml", entry: ENTRY },
  } as const;

  it.each([
    [
      "of servers",
      "mcpServers:\n- name: gone\n  command: g\n- name: b\n",
      "mcpServers:\n- name: pml\n  command: npx\n  args:\n    - serve\n- name: b\n",
    ],
    [
      "of other servers",
      "mcpServers:\n  - name: b\nz: 1\n",
      "mcpServers:\n  - name: b\n  - name: pml\n    command: npx\n    args:\n      - serve\nz: 1\n",
    ],
    [
      "without servers",
      "mcpServers: []\n",
      "mcpServers:\n  - name: pml\n    command: npx\n    args:\n      - serve\n",
    ],
    [
      "on one line",
      "mcpServers: [{ name: gone }, { name: b }]\n",
      "mcpServers: [ { name: pml, command: npx, args: [ serve ] }, { name: b } ]\n",
    ],
  ])("a list %s", (_, text, expected) => expect(editedText("yaml", text, list)).toBe(expected));

  it("refuses several documents", () =>
    expect(() => edited("yaml", "a: 1\n---\nb: 2\n")).toThrow(/multiple documents/));
});

it.each<readonly [ConfigFormat, string, string]>([
  ["yaml", "a: *sk-1\n", "Unresolved alias (the anchor must be set before the alias)"],
  ["yaml", "a: !e!sk-1 b\n", "Could not resolve tag"],
  ["toml", "a = sk-1\n", "invalid value"],
  ["jsonc", '{"a": sk-1}', "expected a value"],
])("[FH-3] the error for broken %s has no text of the file: %s", (format, text, expected) => {
  let message = "";
  try {
    edited(format, text);
  } catch (error) {
    message = String(error);
  }
  expect(message).toBe(`BrokenText: ${expected}`);
});

it.each([
  ['{"mcpServers": {"a": 1, "gone": 2}}', '{"mcpServers": {"a": 1 }}'],
  ['{"mcpServers": {"gone": 2, "a": 1}}', '{"mcpServers": { "a": 1}}'],
  ['{"mcpServers": {"gone": 2}}', '{"mcpServers": {}}'],
  [
    '{\n  "mcpServers": {\n    "a": 1,\n    "gone": 2\n  }\n}\n',
    '{\n  "mcpServers": {\n    "a": 1\n  }\n}\n',
  ],
  ['{"a": 1}', '{"a": 1}'],
])("[FH-3] JSON without comments stays JSON where servers only go: %j", (text, expected) => {
  const after = editedText("jsonc", text, { path: ["mcpServers"], remove: ["gone"] });
  expect(after).toBe(expected);
  expect(() => JSON.parse(after)).not.toThrow();
});
