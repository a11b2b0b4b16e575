import { describe, expect, it } from "vitest";
import { LIMITS } from "../base/limits.js";
import type { ClientId } from "./client-table.js";
import type { FoundServer } from "./found-server.js";
import { readServers } from "./read-servers.js";

/** One line per server with what is known of it, then one per problem. */
function read(
  client: ClientId,
  text: string,
  scope: FoundServer["scope"] = "user",
  project?: string,
): string {
  const places = { home: "/home/me", ...(project === undefined ? {} : { project }) };
  const { servers, problems } = readServers({ client, scope, file: "FILE", text }, places);
  return [
    ...servers.map(lineOf),
    ...problems.map(
      ({ line, server, message }) => `! ${[line, server, message].filter((x) => x !== undefined).join(": ")}`,
    ),
  ].join("\n");
}

function lineOf({
  name,
  scope,
  command,
  args,
  url,
  type,
  env,
  headers,
  cwd,
  envFile,
  disabled,
  foreign,
}: FoundServer): string {
  const map = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([key, value]) => `${key}=${value}`);
  return [
    `${name}:`,
    ...(scope === "project" ? ["(project)"] : []),
    ...(disabled ? ["(disabled)"] : []),
    ...(command === undefined ? [] : [command]),
    ...args,
    ...(url === undefined ? [] : [`${type ?? "http"} ${url}`]),
    ...map(env),
    ...map(headers),
    ...(cwd === undefined ? [] : [`in ${cwd}`]),
    ...(envFile === undefined ? [] : [`from ${envFile}`]),
    ...foreign.map((key) => `?${key}`),
  ].join(" ");
}

const check = (client: ClientId, text: string, expected: string) => expect(read(client, text)).toBe(expected);

/** As the documentation of each client shows them: see the table for its address. */
describe("files as the clients' documentation shows them", () => {
  it("Claude Code", () =>
    check(
      "claude-code",
      `{ "numStartups": 3, "mcpServers": {
         "airtable": { "type": "stdio", "command": "npx", "args": ["-y", "airtable-mcp-server"], "env": { "KEY": "\${AIRTABLE_KEY:-none}" } },
         "notion": { "type": "http", "url": "https://mcp.notion.com/mcp", "headers": { "Authorization": "Bearer \${TOKEN}" } },
         "asana": { "type": "sse", "url": "https://mcp.asana.com/sse" } } }`,
      `airtable: npx -y airtable-mcp-server KEY=\${AIRTABLE_KEY:-none}
notion: http https://mcp.notion.com/mcp Authorization=Bearer \${TOKEN}
asana: sse https://mcp.asana.com/sse`,
    ));

  it("Claude Code, with servers of one project", () => {
    const text = `{ "mcpServers": { "a": { "command": "a" } }, "projects": {
      "/p": { "mcpServers": { "b": { "command": "b" } } }, "/q": { "mcpServers": { "c": { "command": "c" } } } } }`;
    expect(read("claude-code", text, "user", "/p")).toBe("a: a\nb: (project) b");
    expect(read("claude-code", text)).toBe("a: a");
  });

  it("Claude Desktop", () =>
    check(
      "claude-desktop",
      '{ "mcpServers": { "my files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "C:\\\\Users\\\\me"] } } }',
      "my files: npx -y @modelcontextprotocol/server-filesystem C:\\Users\\me",
    ));

  it("Cursor", () =>
    check(
      "cursor",
      `{ "mcpServers": { "db": { "command": "\${userHome}/bin/db", "env": { "KEY": "\${env:DB_KEY}" }, "envFile": "\${userHome}/.env" } } }`,
      `db: /home/me/bin/db KEY=\${DB_KEY} from /home/me/.env`,
    ));

  it("VS Code", () =>
    check(
      "vscode",
      `{
  // asked for once
  "inputs": [{ "type": "promptString", "id": "api-key", "password": true, },],
  "servers": {
    "search": { "type": "stdio", "command": "npx", "args": ["search"], "env": { "KEY": "\${input:api-key}" }, "dev": {}, },
    "local": { "command": "./x", "cwd": "\${workspaceFolder}/y" },
  },
}`,
      `search: npx search KEY=\${secret:api-key} ?dev
local: ./x in $\${workspaceFolder}/y
! search: \${input:api-key} is asked for or kept by the client; \`pml secret set api-key\` keeps it for PML
! local: \${workspaceFolder} has no value outside of the client`,
    ));

  it("VS Code, a project's", () =>
    expect(
      read("vscode", `{ "servers": { "local": { "command": "\${workspaceFolder}/x" } } }`, "project", "/p"),
    ).toBe("local: (project) /p/x"));

  it("Windsurf", () =>
    check(
      "windsurf",
      `{ "mcpServers": { "far": { "serverUrl": "https://x.test/mcp", "headers": { "A": "Bearer \${env:T}" } }, "off": { "command": "y", "disabled": true } } }`,
      `far: http https://x.test/mcp A=Bearer \${T}
off: (disabled) y`,
    ));

  it("Codex", () =>
    check(
      "codex",
      `model = "gpt-5"
[mcp_servers.mail]
command = "npx"
args = ["-y", "mail"]
env_vars = ["LOCAL_TOKEN"]
startup_timeout_sec = 20
[mcp_servers.mail.env]
MODE = "quiet"
[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA_TOKEN"
http_headers = { "X-Region" = "us" }
env_http_headers = { "X-Key" = "FIGMA_KEY" }
enabled = false
`,
      `mail: npx -y mail MODE=quiet LOCAL_TOKEN=\${LOCAL_TOKEN} ?startup_timeout_sec
figma: (disabled) http https://mcp.figma.com/mcp X-Region=us X-Key=\${FIGMA_KEY} Authorization=Bearer \${FIGMA_TOKEN}`,
    ));

  it("Gemini CLI", () =>
    check(
      "gemini",
      `{ "theme": "x", "mcpServers": {
        "py": { "command": "python", "args": ["-m", "s"], "cwd": "./s", "env": { "K": "$MY_KEY" }, "timeout": 30000, "trust": false },
        "http": { "httpUrl": "http://localhost:1/mcp" }, "sse": { "url": "http://localhost:2/sse" } } }`,
      `py: python -m s K=\${MY_KEY} in ./s ?timeout ?trust
http: http http://localhost:1/mcp
sse: sse http://localhost:2/sse`,
    ));

  it("opencode, both versions", () => {
    check(
      "opencode",
      `{ "mcp": { "git": { "type": "local", "command": ["bun", "x", "git"], "environment": { "A": "{env:B}" }, "enabled": false },
         "far": { "type": "remote", "url": "https://x.test", "headers": { "H": "1" } } } }`,
      `git: (disabled) bun x git A=\${B}\nfar: http https://x.test H=1`,
    );
    check(
      "opencode",
      `{ "mcp": { "servers": { "git": { "type": "local", "command": ["bun", "x"], "cwd": ".", "disabled": true } } } }`,
      "git: (disabled) bun x in .",
    );
  });

  it("Zed", () =>
    check(
      "zed",
      `// Zed settings
{ "context_servers": {
    "docs": { "source": "custom", "command": "docs", "args": [], "env": {}, },
    "far": { "url": "https://x.test" },
    "github": { "source": "extension", "settings": { "token": "t" } }, }, "vim_mode": true, }`,
      `docs: docs
far: http https://x.test
! github: it is built into the client, and stays there`,
    ));

  it("Cline", () =>
    check(
      "cline",
      `{ "mcpServers": { "web": { "command": "node", "args": ["w.js"], "disabled": false, "autoApprove": ["x"] },
         "far": { "url": "https://x.test", "type": "streamableHttp" } } }`,
      "web: node w.js ?autoApprove\nfar: http https://x.test",
    ));

  it("Continue", () =>
    check(
      "continue",
      `name: Mine
mcpServers:
  - name: wiki
    command: npx
    args: [-y, wiki]
    env:
      KEY: \${{ secrets.WIKI_KEY }}
  - name: far
    type: streamable-http
    url: https://x.test
    requestOptions:
      headers: { A: b }
  - command: nameless
`,
      `wiki: npx -y wiki KEY=\${secret:WIKI_KEY}
far: http https://x.test A=b
! wiki: \${{ secrets.WIKI_KEY }} is asked for or kept by the client; \`pml secret set WIKI_KEY\` keeps it for PML
! entry 3: it has no name`,
    ));

  it("LM Studio", () =>
    check(
      "lm-studio",
      '{ "mcpServers": { "hf": { "url": "https://huggingface.co/mcp", "headers": { "Authorization": "Bearer x" } } } }',
      "hf: http https://huggingface.co/mcp Authorization=Bearer x",
    ));

  it("Goose", () =>
    check(
      "goose",
      `GOOSE_PROVIDER: openai
extensions:
  developer: { enabled: true, type: builtin, name: developer }
  calc:
    type: stdio
    name: calc
    cmd: uvx
    args: [calc, 2]
    envs: { LEVEL: 3 }
    env_keys: [CALC_KEY]
    enabled: true
    timeout: 300
  far: { type: streamable_http, uri: "https://x.test", enabled: false }
`,
      `calc: uvx calc 2 LEVEL=3 CALC_KEY=\${secret:CALC_KEY} ?timeout
far: (disabled) http https://x.test
! developer: it is built into the client, and stays there
! calc: its client keeps CALC_KEY; \`pml secret set CALC_KEY\` keeps it for PML`,
    ));
});

describe("what is wrong", () => {
  it.each<readonly [string, ClientId, string, string]>([
    ["JSON", "cursor", '{\n "mcpServers": {\n  "a": [}\n }\n}', "! 3: expected a value"],
    ["JSON that ends early", "cursor", '{ "mcpServers": {', "! 1: expected a key in double quotes"],
    ["JSON with more behind it", "cursor", "{}\n{}", "! 2: expected the end of the file"],
    ["a text over two lines", "cursor", '{ "a": "b\nc" }', "! 1: expected a value"],
    ["TOML", "codex", "a = 1\n[mcp_servers.x\n", "! 2: illegal character in key"],
    [
      "YAML",
      "goose",
      "a: 1\nextensions: [\n",
      "! 3: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
    [
      "YAML that grows",
      "goose",
      billionLaughs(),
      "! Excessive alias count indicates a resource exhaustion attack",
    ],
    ["depth", "cursor", "[".repeat(LIMITS.clientFileLevels + 1), "! 1: it has more than 200 levels"],
  ])("in a whole file, %s, is one problem with its line", (_, client, text, expected) => {
    check(client, text, expected);
  });

  it("in one entry loses no other", () =>
    check(
      "cursor",
      `{ "mcpServers": { "a": { "command": "a" }, "b": 7, "c": {}, "d": { "command": "d", "args": "x", "env": { "X": {}, "Y": 1 } }, "e": { "url": "" }, "__proto__": { "command": "p" } } }`,
      `a: a
d: d Y=1
__proto__: p
! b: expected an object
! c: expected a command or a URL
! d: args: expected a list
! d: env.X: expected a text
! e: expected a command or a URL`,
    ));

  it("in place of the servers is told", () => {
    check("cursor", '{ "mcpServers": [] }', "! mcpServers: expected servers");
    check("continue", "mcpServers: {}", "! mcpServers: expected servers");
    check("cursor", '{ "mcpServers": null }', "");
    check("cursor", "[]", "");
  });

  it("is no secret that a message would show", () => {
    expect(read("cursor", '{ "mcpServers": { "a": { "env": { "KEY": "sk-secret }')).not.toContain("secret");
    expect(read("codex", '[mcp_servers.a.env]\nKEY = "sk-secret\n')).not.toContain("secret");
    expect(read("goose", 'extensions:\n  a:\n    envs: { KEY: "sk-secret }\n')).not.toContain("secret");
  });

  it("is no default value of a variable that has no value", () => {
    const text = `{ "mcpServers": { "a": { "command": "a", "args": ["\${env:K:-sk-secret}"] } } }`;
    const problems = read("cursor", text)
      .split("\n")
      .filter((line) => line.startsWith("!"));
    expect(problems).toEqual([`! a: \${env:K} has no value outside of the client`]);
  });

  it("is not an empty file, a mark at its start, or Windows lines", () => {
    for (const text of ["", "\n", "// nothing\n"]) check("cursor", text, "");
    check("codex", "# nothing", "");
    check("goose", "# nothing", "");
    check("cursor", '\uFEFF{\r\n"mcpServers": {"a": {"command": "a"}}\r\n}', "a: a");
    check("codex", '\uFEFF[mcp_servers.a]\r\ncommand = "a"\r\n', "a: a");
    check("goose", "\uFEFFextensions:\r\n  a:\r\n    cmd: a\r\n", "a: a");
  });

  it("is more servers than are read", () => {
    const entries = Array.from(
      { length: LIMITS.clientServers + 1 },
      (_, index) => `"s${index}": { "command": "x" }`,
    );
    const text = `{ "mcpServers": { ${entries.join(",")} } }`;
    expect(read("cursor", text)).toMatch(/\n! only the first 1000 of 1001 servers are read$/);
  });
});

function billionLaughs(): string {
  const levels = Array.from(
    { length: 12 },
    (_, n) => `a${n + 1}: &a${n + 1} [${Array(10).fill(`*a${n}`).join(", ")}]`,
  );
  return `a0: &a0 x\n${levels.join("\n")}\n`;
}
