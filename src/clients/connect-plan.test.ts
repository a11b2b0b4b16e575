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
    ["an entry of PML, which is not told", "", { pml: { command: "pml", args: ["serve"] } }, []],
  ])("%s", (_, expected, servers, configured) => expect(plan(servers, configured)).toBe(expected));

  it("a variable", () => {
    const servers = { a: { command: "a", args: [`\${env:DIR}/x`, `\${NO:-n}`] } };
    const configured = [server("x", { command: "a", args: ["/d/x", "n"] })];
    expect(plan(servers, configured, { DIR: "/d" })).toBe("- a");
    expect(plan(servers, configured)).toBe("= a: it is not in PML's configuration");
  });
});

function connected(client: ClientId, text: string, words: readonly string[] = WORDS): string {
  return connectPlan({
    source: { client, scope: "user", file: "FILE", text },
    words,
    configured: [server("gone")],
    places: { home: "/home/me" },
    env: {},
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
    ["opencode", '{"mcp":{"servers":{"pml":{"type":"local","command":["npx","-y","casys-pml","serve"]}}}}'],
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
    expect(connected("continue", "")).toBe(`mcpServers:\n  - name: pml\n    command: npx\n    ${args}`);
    expect(connected("goose", "")).toBe(
      `extensions:\n  pml:\n    type: stdio\n    name: pml\n    cmd: npx\n    ${args}    enabled: true\n    timeout: 300\n`,
    );
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
    expect(connected("cursor", own, [...WORDS, "--config", "/x.json"])).toBe(
      '{"mcpServers":{"mine": {"command":"npx","args":["-y","casys-pml","serve","--config","/x.json"]}}}',
    );
  });

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

it("hides what the file has in variables and headers from previews", () => {
  const text =
    '{"mcpServers":{"a":{"command":"a","env":{"K":"sk-1"}},"b":{"url":"https://x.test","headers":{"H":"sk-2"}}}}';
  const { secrets } = connectPlan({
    source: { client: "cursor", scope: "user", file: "FILE", text },
    words: WORDS,
    configured: [],
    places: { home: "/home/me" },
    env: {},
  });
  expect(secrets).toEqual(["sk-1", "sk-2"]);
});
