import { describe, expect, it } from "vitest";
import { secretIn, secretsGiven, withSecrets } from "./plain-secrets.js";

describe("[FH-2] a secret in plain text", () => {
  it.each([
    ["GITHUB_TOKEN", "abc", "abc"],
    ["DB_KEY", "sk-live-0123", "sk-live-0123"],
    ["apiKey", "x1", "x1"],
    ["X-Api-Key", "x1", "x1"],
    ["Authorization", "Bearer abc.def", "abc.def"],
    ["authorization", "Basic dXNlcg==", "dXNlcg=="],
    ["DATABASE_URL", "postgres://ada:pw@db/x", "postgres://ada:pw@db/x"],
    ["ANYTHING", "ghp_0123456789abcdef0123", "ghp_0123456789abcdef0123"],
    ["ANYTHING", "a1b2c3d4e5f6a7b8c9d0e1f2", "a1b2c3d4e5f6a7b8c9d0e1f2"],
  ])("is in %s=%s", (name, text, expected) => expect(secretIn(name, text)).toBe(expected));

  it.each([
    ["GITHUB_TOKEN", ""],
    ["GITHUB_TOKEN", `\${GITHUB_TOKEN}`],
    ["AUTH", "none"],
    ["MAX_TOKENS", "4000"],
    ["LEVEL", "info"],
    ["URL", "https://example.test/a/long/path/with/1/number"],
    ["SSH_KEY", "/home/ada/.ssh/id.pem"],
    ["GOOGLE_CREDENTIALS", "~/keys/google.json"],
    ["MODEL", "claude-opus"],
    ["ROOT", "/home/ada/projects/web2024"],
  ])("is not in %s=%s", (name, text) => expect(secretIn(name, text)).toBeUndefined());
});

describe("[FH-2] an entry without its secrets", () => {
  const check = (known: Readonly<Record<string, string>>, entries: Readonly<Record<string, object>>) => {
    const moved = new Map<string, string>();
    const store = { has: (name: string) => name in known, value: (name: string) => known[name] ?? "" };
    const changed = Object.entries(entries).map(([name, entry]) =>
      withSecrets(name, { command: "x", ...entry }, store, moved),
    );
    return { entries: changed, moved: Object.fromEntries(moved) };
  };

  it("refers to them, and keeps everything else", () =>
    expect(
      check(
        {},
        {
          gh: { args: ["a"], env: { TOKEN: "1x", LEVEL: "info" } },
          web: { url: "https://x.test/?a=1&api_key=3x#end", headers: { Authorization: "Bearer 2x" } },
        },
      ),
    ).toEqual({
      entries: [
        { command: "x", args: ["a"], env: { TOKEN: `\${secret:TOKEN}`, LEVEL: "info" } },
        {
          command: "x",
          url: `https://x.test/?a=1&api_key=\${secret:WEB_API_KEY}#end`,
          headers: { Authorization: `Bearer \${secret:WEB_AUTHORIZATION}` },
        },
      ],
      moved: { TOKEN: "1x", WEB_API_KEY: "3x", WEB_AUTHORIZATION: "2x" },
    }));

  it("has no password in its address", () =>
    expect(check({}, { web: { url: "https://ada:pw@x.test/a:b@c?token=t1" } })).toEqual({
      entries: [
        { command: "x", url: `https://ada:\${secret:WEB_PASSWORD}@x.test/a:b@c?token=\${secret:WEB_TOKEN}` },
      ],
      moved: { WEB_PASSWORD: "pw", WEB_TOKEN: "t1" },
    }));

  it("shares a name with the same value, and with no other", () => {
    const env = (TOKEN: string) => ({ env: { TOKEN } });
    const { moved } = check({ TOKEN: "kept" }, { a: env("kept"), b: env("other"), c: env("other") });
    expect(moved).toEqual({ TOKEN: "kept", B_TOKEN: "other", C_TOKEN: "other" });
    const { moved: two } = check({ TOKEN: "1", A_TOKEN: "2", SECRET_2: "3" }, { a: env("four") });
    expect(two).toEqual({ SECRET_3: "four" });
  });
});

describe("[DO-5] values of servers that look like secrets", () => {
  it("are found in env, headers, url and auth, with all values in place", () => {
    expect(
      secretsGiven({
        a: {
          command: "x",
          env: {
            A_TOKEN: "long-enough-1",
            B_TOKEN: "short",
            MODE: "production",
            DB: "pg://me:of-the-base@db/x",
          },
        },
        b: {
          url: "https://x.test/mcp?api_key=in-the-query&page=12345678",
          headers: { Authorization: "Bearer in-a-header", accept: "text/plain" },
          auth: { clientId: "someone-known", clientSecret: "of-the-client" },
        },
        c: { url: "https://x.test/mcp", auth: false },
        d: null,
      }),
    ).toEqual([
      "long-enough-1",
      "pg://me:of-the-base@db/x",
      "of-the-base",
      "in-a-header",
      "in-the-query",
      "of-the-client",
    ]);
    expect(secretsGiven(undefined)).toEqual([]);
  });
});
