import { describe, expect, it } from "vitest";
import type { ConfigFile } from "./config-file.js";
import { resolveServers } from "./config-values.js";
import { withExecValues, wordsOf } from "./exec-values.js";

const NODE = process.execPath;

function configOf(mcpServers: Readonly<Record<string, unknown>>) {
  const source = { variable: () => undefined, secret: () => "x" };
  const { servers, problems } = resolveServers(mcpServers, "/tmp", source);
  return { value: { mcpServers: servers }, problems, broken: {}, directory: "/tmp" } as unknown as ConfigFile;
}

async function run(
  mcpServers: Readonly<Record<string, unknown>>,
  known = new Map<string, Promise<string>>(),
) {
  const { config, secrets } = await withExecValues(configOf(mcpServers), process.env, known);
  return { servers: config.value.mcpServers, problems: config.problems, secrets };
}

describe("[DO-5] a reference to a command in the entry of a server", () => {
  it("stands for what the command prints, and the value is a secret", async () => {
    const env = { KEY: `Bearer \${exec:"${NODE}" -p "'s3' + 'cret'"}` };
    const done = await run({ a: { command: "x", env } });
    expect(done).toEqual({
      servers: { a: { command: "x", env: { KEY: "Bearer s3cret" } } },
      problems: [],
      secrets: ["s3cret"],
    });
  });

  it("is run once, however often it is named, and not for a server that is disabled", async () => {
    const command = `\${exec:"${NODE}" -p Math.random()}`;
    const known = new Map<string, Promise<string>>();
    const { secrets } = await run({ a: { command: "x", env: { A: command, B: command } } }, known);
    const again = await run({ b: { url: "https://x.test", headers: { A: command } } }, known);
    expect(again.secrets).toEqual(secrets);
    expect((await run({ a: { command: "x", disabled: true, env: { A: command } } })).secrets).toEqual([]);
  });

  it.each([
    [`"${NODE}" -e "console.log('s3cret'); process.exit(3)"`, "ended with exit code 3"],
    [`"${NODE}" -e ""`, "printed nothing"],
    ["/no/such/program s3cret", "cannot be started (ENOENT)"],
  ])("%s disables the server, and nothing of the output or arguments is told", async (command, why) => {
    const { servers, problems } = await run({
      a: { command: "x", env: { A: `\${exec:${command}}` } },
      b: { command: "y" },
    });
    expect(servers).toEqual({ b: { command: "y" } });
    expect(problems).toMatchObject([
      { server: "a", code: "EXEC_FAILED", message: expect.stringContaining(why) },
    ]);
    expect(JSON.stringify(problems)).not.toContain("s3cret");
  });

  it("is refused where other users could read it, and a NUL cannot pretend to be one", async () => {
    const { problems } = await run({
      a: { command: "x", args: [`\${exec:id}`] },
      b: { command: "x", env: { A: "\0id\0" } },
    });
    expect(problems.map(({ server, code }) => [server, code])).toEqual([
      ["a", "CONFIG_INVALID"],
      ["b", "CONFIG_INVALID"],
    ]);
  });

  it.each([
    ["op read op://a/b", ["op", "read", "op://a/b"]],
    [`x 'a b' "c \\" d" $HOME; rm`, ["x", "a b", 'c " d', "$HOME;", "rm"]],
    ["  ", []],
  ])("%s has these words, and no shell reads them", (command, words) => {
    expect(wordsOf(command)).toEqual(words);
  });
});
