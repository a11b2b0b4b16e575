import { describe, expect, it } from "vitest";
import { parseServerName } from "../registry/tool-id.js";
import type { ServerEntry } from "../upstream/server-entry.js";
import { serverCode } from "./server-code-url.js";

const COMMON = {
  name: parseServerName("files"),
  naming: "prefixed",
  protocol: "2025",
  callTimeoutMs: 1,
} as const;

function stdio(line: string): ServerEntry {
  const [command = "", ...args] = line.split(" ");
  return { ...COMMON, transport: "stdio", command, args, env: { TOKEN: "hush" }, cwd: "/work/project" };
}

function http(url: string): ServerEntry {
  return { ...COMMON, transport: "http", url: new URL(url), headers: { Authorization: "hush" } };
}

/** `url`, or `url version` where the entry asks for one. */
function shown(entry: ServerEntry): string {
  const { codeUrl, version } = serverCode(entry);
  return version === undefined ? codeUrl : `${codeUrl} ${version}`;
}

describe("[ID-14] where the code of a server is", () => {
  it.each([
    ["npx -y @modelcontextprotocol/server-filesystem /data", "npm:@modelcontextprotocol/server-filesystem"],
    ["npx --yes @acme/mail@1.2.0 --token hush", "npm:@acme/mail 1.2.0"],
    ["npx mail@latest", "npm:mail"],
    ["npx mail@^1", "npm:mail"],
    ["npx --package=@acme/mail mail-server", "npm:@acme/mail"],
    ["npx -y -p @acme/mail@2.0.0 -- mail-server hush", "npm:@acme/mail 2.0.0"],
    ["npx --registry https://me:hush@npm.example mail", "npm:mail"],
    ["npx ./tools/mail", "file:///work/project/tools/mail"],
    ["/usr/local/bin/npx -y mail", "npm:mail"],
    ["C:\\nodejs\\npx.cmd -y mail", "npm:mail"],
    ["cmd /c npx -y mail", "npm:mail"],
    ["npm exec --yes mail", "npm:mail"],
    ["npm exec -- mail", "npm:mail"],
    ["bunx mail", "npm:mail"],
    ["bun x mail", "npm:mail"],
    ["pnpm dlx mail@1.0.0", "npm:mail 1.0.0"],
    ["yarn dlx mail", "npm:mail"],
    ["uvx mcp-server-git --repository /x", "pypi:mcp-server-git"],
    ["uvx mcp-server-git@2025.1.14", "pypi:mcp-server-git 2025.1.14"],
    ["uvx --from mcp[cli]==1.2 mcp", "pypi:mcp 1.2"],
    ["uvx --index-url https://me:hush@pypi.example mail", "pypi:mail"],
    ["uv tool run mail", "pypi:mail"],
    ["pipx run mail", "pypi:mail"],
    ["docker run -i --rm -e TOKEN=hush mcp/fetch", "docker:mcp/fetch"],
    [
      "docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server:1.4.0 stdio",
      "docker:ghcr.io/github/github-mcp-server 1.4.0",
    ],
    ["docker run --env=TOKEN=hush localhost:5000/mail:latest", "docker:localhost:5000/mail"],
    ["podman run mail", "docker:mail"],
    ["node server.mjs --token hush", "file:///work/project/server.mjs"],
    ["/opt/node/bin/node --import tsx /srv/mail.ts hush.js", "file:///srv/mail.ts"],
    ["node server hush.js", "file:///work/project/server"],
    ["python3.12 -u mail.py", "file:///work/project/mail.py"],
    ["deno run -A --allow-env=TOKEN mail.ts", "file:///work/project/mail.ts"],
    ["deno run -A npm:@acme/mail@1.0.0", "npm:@acme/mail 1.0.0"],
    ["deno run -A jsr:@acme/mail", "jsr:@acme/mail"],
    ["deno run https://me:hush@deno.example/mail.ts?key=hush", "https://deno.example/mail.ts"],
    ["bun run mail.ts", "file:///work/project/mail.ts"],
  ])("%s", (line, expected) => expect(shown(stdio(line))).toBe(expected));

  it.each([
    ["npx --auth-token hush mail", "command:npx"],
    ["npx -c hush", "command:npx"],
    ["npx github:hush/mail", "command:npx"],
    ["npx", "command:npx"],
    ["npm run hush", "command:npm"],
    ["docker run --secret hush mail", "command:docker"],
    ["docker compose hush", "command:docker"],
    ["docker run -eTOKEN=hush mail", "docker:mail"],
    ["uvx --from git+https://me:hush@git.example/mail mail", "command:uvx"],
    ["node -e hush", "command:node"],
    ["node --title hush --eval hush.js", "command:node"],
    ["python -m hush", "command:python"],
    ["sh -c hush", "command:sh"],
    ["/opt/mail/bin/mail-server --token hush", "command:mail-server"],
    ["deno run hush:hush", "command:deno"],
  ])("says no more than it knows, and no secret: %s", (line, expected) => {
    const text = shown(stdio(line));
    expect(text).toBe(expected);
    expect(text).not.toContain("hush");
  });

  it.each([
    ["https://issues.example/mcp", "https://issues.example/mcp"],
    ["https://me:hush@issues.example:8443/mcp?key=hush#hush", "https://issues.example:8443/mcp"],
    ["https://mcp.example/s/aGVsbG8td29ybGQtMTIzNDU2/mcp", "https://mcp.example/s/…/mcp"],
    ["http://127.0.0.1:3000/", "http://127.0.0.1:3000/"],
  ])("HTTP: %s", (url, expected) => expect(shown(http(url))).toBe(expected));
});
