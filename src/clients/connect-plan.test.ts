import { describe, expect, it } from "vitest";
import type { ClientId } from "./client-table.js";
import { type ConfiguredServer, connectPlan, isPml } from "./connect-plan.js";

const WORDS = ["npx", "-y", "casys-pml", "serve"];
const server = (name: string, more: Partial<ConfiguredServer> = {}): ConfiguredServer => ({
  name,
  args: [],
  env: {},
  headers: {},
  disabled: false,
  ...(more.url === undefined ? { command: name } : {}),
  ...more,
});

type Entries = Readonly<Record<string, unknown>>;
type Variables = Readonly<Record<string, string>>;

/** What comes of a file's servers: `- name` gives way to PML, `= name` stays, with why. */
function plan(servers: Entries, configured: readonly ConfiguredServer[], env: Variables = {}): string {
  const { replaced, stays } = connectPlan({
    source: { client: "cursor", scope: "user", file: "FILE", text: JSON.stringify({ mcpServers: servers }) },
    words: WORDS,
    configured,
    places: { home: "/home/me" },
    env,
  });
  return [...replaced.map((name) => `- ${name}`), ...stays.map(({ name, why }) => `= ${name}: ${why}`)].join(
    "\n",
  );
}

describe("[FH-3] PML comes in place of servers that it has", () => {
  it.each<readonly [string, string, Entries, readonly ConfiguredServer[]]>([
    ["the same program", "- a", { a: { command: "a" } }, [server("a")]],
    ["under another name", "- b", { b: { command: "a" } }, [server("a")]],
    ["the same address", "- a", { a: { url: "https://x.test" } }, [server("y", { url: "https://x.test" })]],
    ["another program", "= a: it is not in PML's configuration", { a: { command: "z" } }, [server("a")]],
    [
      "other arguments",
      "= a: it is not in PML's configuration",
      { a: { command: "a", args: ["1"] } },
      [server("a")],
    ],
    [
      "another account of the same service",
      "- work\n= home: PML's configuration has it with other variables or headers",
      { work: { command: "gh", env: { T: "1" } }, home: { command: "gh", env: { T: "2" } } },
      [server("work", { command: "gh", env: { T: "1" } })],
    ],
    [
      "the same name with a newer secret",
      "- my gh",
      { "my gh": { command: "gh", env: { T: "1" } } },
      [server("my-gh", { command: "gh", env: { T: "2" } })],
    ],
    [
      "a secret that PML keeps",
      "- a",
      { a: { command: "a", args: ["--key=sk-1"], env: { T: "sk-2" } } },
      [server("x", { command: "a", args: [`--key=\${secret:k}`], env: { T: `\${secret:t}` } })],
    ],
    [
      "disabled in PML",
      "= a: it is disabled in PML's configuration",
      { a: { command: "a" } },
      [server("a", { disabled: true })],
    ],
    ["disabled in both", "- a", { a: { command: "a", disabled: true } }, [server("a", { disabled: true })]],
    [
      "another directory",
      "= a: it is not in PML's configuration",
      { a: { command: "a", cwd: "/x" } },
      [server("a", { cwd: "/y" })],
    ],
    [
      "one of the two has a directory",
      "= a: it is not in PML's configuration\n= b: it is not in PML's configuration",
      { a: { command: "a", cwd: "/x" }, b: { command: "b" } },
      [server("a"), server("b", { cwd: "/x" })],
    ],
    ["the same directory", "- a", { a: { command: "a", cwd: "/x" } }, [server("a", { cwd: "/x" })]],
    [
      "variables in a file",
      "= a: it is not in PML's configuration",
      { a: { command: "a", envFile: ".env" } },
      [server("a")],
    ],
    [
      "an entry of PML, which is not told",
      "",
      { pml: { command: "npx", args: ["-y", "casys-pml", "serve"] } },
      [],
    ],
    [
      "an older entry of PML",
      "- pml",
      { pml: { command: "npx", args: ["-y", "casys-pml@0.1.0", "serve"] } },
      [],
    ],
    [
      "PML with another configuration or scope, or another program",
      "= a: it starts PML with other options\n= b: it starts PML with other options\n= c: it starts PML with other options",
      {
        a: { command: "npx", args: ["casys-pml", "serve", "--config", "/other.json"] },
        b: { command: "npx", args: ["casys-pml", "serve", "--scope=a/b"] },
        c: { command: "node", args: ["/other/dist/cli/main.js", "serve"] },
      },
      [],
    ],
  ])("%s", (_, expected, servers, configured) => expect(plan(servers, configured)).toBe(expected));

  it("a variable", () => {
    const servers = { a: { command: "a", args: [`\${env:DIR}/x`, `\${NO:-n}`] } };
    const configured = [server("x", { command: "a", args: ["/d/x", "n"] })];
    expect(plan(servers, configured, { DIR: "/d" })).toBe("- a");
    expect(plan(servers, configured)).toBe("= a: it is not in PML's configuration");
  });
});

function connected(
  client: ClientId,
  text: string,
  words: readonly string[] = WORDS,
  written?: string,
): string {
  return connectPlan({
    source: { client, scope: "user", file: "FILE", text },
    words,
    configured: [server("gone")],
    places: { home: "/home/me" },
    env: {},
    written,
  }).after;
}

describe("[FH-3] the entry of PML", () => {
  it.each<readonly [ClientId, string]>([
    [
      "claude-code",
      '{"mcpServers":{"pml":{"type":"stdio","command":"npx","args":["-y","casys-pml","serve"]}}}',
    ],
    ["claude-desktop", '{"mcpServers":{"pml":{"command":"npx","args":["-y","casys-pml","serve"]}}}'],
    ["cursor", '{"mcpServers":{"pml":{"command":"npx","args":["-y","casys-pml","serve"]}}}'],
    ["vscode", '{"servers":{"pml":{"type":"stdio","command":"npx","args":["-y","casys-pml","serve"]}}}'],
    ["windsurf", '{"mcpServers":{"pml":{"command":"npx","args":["-y","casys-pml","serve"]}}}'],
    ["gemini", '{"mcpServers":{"pml":{"command":"npx","args":["-y","casys-pml","serve"]}}}'],
    ["opencode", '{"mcp":{"pml":{"type":"local","command":["npx","-y","casys-pml","serve"]}}}'],
    [
      "zed",
      '{"context_servers":{"pml":{"source":"custom","command":"npx","args":["-y","casys-pml","serve"]}}}',
    ],
    ["cline", '{"mcpServers":{"pml":{"command":"npx","args":["-y","casys-pml","serve"]}}}'],
    ["lm-studio", '{"mcpServers":{"pml":{"command":"npx","args":["-y","casys-pml","serve"]}}}'],
  ])("of %s in a new file", (client, expected) =>
    expect(JSON.stringify(JSON.parse(connected(client, "")))).toBe(expected),
  );

  it("of clients without JSON, in a new file", () => {
    expect(connected("codex", "")).toBe(
      '[mcp_servers.pml]\ncommand = "npx"\nargs = ["-y", "casys-pml", "serve"]\n',
    );
    const args = "args:\n      - -y\n      - casys-pml\n      - serve\n";
    expect(connected("continue", "")).toBe(
      `name: Local Config\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: pml\n    command: npx\n    ${args}`,
    );
    expect(connected("goose", "")).toBe(
      `extensions:\n  pml:\n    type: stdio\n    name: pml\n    cmd: npx\n    ${args}    enabled: true\n    timeout: 300\n`,
    );
  });

  it.each([
    ["{}", '{"mcp":{"pml":PML}}'],
    ['{"mcp":{}}', '{"mcp":{"pml":PML}}'],
    [
      '{"mcp":{"servers":{"type":"local","command":["x"]}}}',
      '{"mcp":{"servers":{"type":"local","command":["x"]},"pml":PML}}',
    ],
    ['{"mcp":{"servers":{}}}', '{"mcp":{"servers":{"pml":PML}}}'],
    [
      '{"mcp":{"servers":{"type":{"type":"local","command":["x"]}}}}',
      '{"mcp":{"servers":{"type":{"type":"local","command":["x"]},"pml":PML}}}',
    ],
  ])("stands where the version of an opencode file has its servers: %s", (text, expected) => {
    const pml = '{"type":"local","command":["npx","-y","casys-pml","serve"]}';
    expect(JSON.parse(connected("opencode", text))).toEqual(JSON.parse(expected.replace("PML", pml)));
  });

  it("stands where an opencode file of version 1 has its servers", () => {
    expect(connected("opencode", '{"mcp":{"gone":{"type":"local","command":["gone"]}}}')).toBe(
      '{"mcp":{"pml": {"type":"local","command":["npx","-y","casys-pml","serve"]}}}',
    );
  });

  it("is written once, whatever it was named, and keeps what a person has added", () => {
    const own = '{"mcpServers":{"mine":{"command":"npx","args":["-y","casys-pml","serve"],"env":{"A":"b"}}}}';
    expect(connected("cursor", own)).toBe(own);
    const both =
      '{"mcpServers":{"mine":{"command":"npx","args":["-y","casys-pml","serve"],"env":{"A":"b"}},"gone":{"command":"gone"}}}';
    expect(JSON.parse(connected("cursor", both))).toEqual(JSON.parse(own));
    expect(connected("cursor", own, [...WORDS, "--data-dir", "/d"])).toBe(
      '{"mcpServers":{"mine": {"command":"npx","args":["-y","casys-pml","serve","--data-dir","/d"],"env":{"A":"b"}}}}',
    );
  });

  it("keeps what a person has added, also in TOML", () =>
    expect(
      connected(
        "codex",
        '[mcp_servers.pml]\ncommand = "npx"\nargs = ["casys-pml", "serve"]\nenabled = false\n[mcp_servers.pml.env]\n"A b" = "c"\n',
      ),
    ).toBe(
      '[mcp_servers.pml]\ncommand = "npx"\nargs = ["-y", "casys-pml", "serve"]\nenabled = false\nenv = { "A b" = "c" }\n',
    ));

  it("stands beside one with another configuration, unless PML wrote that one", () => {
    const own = '{"mcpServers":{"mine":{"command":"npx","args":["-y","casys-pml","serve"]}}}';
    const words = [...WORDS, "--config", "/x.json"];
    expect(Object.keys(JSON.parse(connected("cursor", own, words)).mcpServers)).toEqual(["mine", "pml"]);
    const text = own.replace("mine", "pml");
    expect(() => connected("cursor", text, words)).toThrow('another server that is named "pml"');
    expect(connected("cursor", text, words, text)).toContain("/x.json");
    expect(() => connected("cursor", text, words, text.replace("-y", "-q"))).toThrow("another server");
  });

  it.each<readonly [ClientId, string, string]>([
    ["cursor", '{"mcpServers":[{"command":"x"}]}', "mcpServers: expected an object of servers"],
    ["cursor", '{"mcpServers":"x"}', "mcpServers: expected an object of servers"],
    ["cursor", "[]", "expected keys and values"],
    ["opencode", '{"mcp":"x"}', "mcp: expected an object of servers"],
    ["codex", "mcp_servers = 1\n", "mcp_servers: expected an object of servers"],
    ["continue", "mcpServers:\n  a:\n    command: x\n", "mcpServers: expected a list of servers"],
    ["goose", "extensions:\n  - x\n", "extensions: expected an object of servers"],
  ])("is not written where %s has something else in place of servers: %s", (client, text, expected) =>
    expect(() => connected(client, text)).toThrow(expected),
  );

  it("does not take the name of another server", () =>
    expect(() => connected("cursor", '{"mcpServers":{"pml":{"command":"other"}}}')).toThrow(
      'it has another server that is named "pml"',
    ));

  it.each([
    [true, "pml serve"],
    [true, "/usr/local/bin/pml serve --config x"],
    [true, "C:\\npm\\pml.cmd serve"],
    [true, "cmd /c npx -y casys-pml serve"],
    [true, "npx -y casys-pml@0.1.0 serve"],
    [true, "node /x/dist/cli/main.js serve"],
    [false, "pml tools"],
    [false, "npx -y other-pml serve"],
    [false, "pmlx serve"],
  ])("is recognised (%s): %s", (expected, line) => {
    const [command = "", ...args] = line.split(" ");
    expect(isPml({ command, args })).toBe(expected);
  });
});
