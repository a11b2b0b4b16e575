/** What a server's process is given: the five variables, what the configuration names, and nothing else. */
import { describe, expect, it } from "vitest";
import { fixture, newPlace, pml, serve } from "./support/pml.js";

const place = newPlace({ isProcess: true });
const CLIENT_ENV = {
  SECRET_TOKEN: "s3cret",
  GITHUB_TOKEN: "ghp_x",
  NODE_OPTIONS: "--no-warnings",
  TERM: "xterm",
  PWD: "/",
  KEY: "from the client",
};

interface Surroundings {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly tty: boolean;
  readonly stdin: string;
  readonly stderr: string;
}

async function surroundingsOf(name: string, more: readonly string[]): Promise<Surroundings> {
  const config = place.config(
    {
      mcpServers: {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how a configuration writes a variable.
        healthy: { ...fixture("healthy"), env: { API_KEY: "${KEY}", LANG: "de_DE.UTF-8" } },
      },
    },
    `${name}/pml.json`,
  );
  const args = ["--config", config, ...more];
  const client = await serve(place, args, { env: CLIENT_ENV, cwd: "/" });
  const { text } = await client.call("healthy:surroundings");
  await client.close();
  await pml(place, ["stop", "--config", config], { env: CLIENT_ENV });
  return JSON.parse(text) as Surroundings;
}

describe("the surroundings of a server's process [GW-2]", () => {
  it.each([
    ["background", []],
    ["no-daemon", ["--no-daemon"]],
  ])("has five variables of the gateway's and those that are configured (%s)", async (name, more) => {
    const { env, cwd, tty, stdin, stderr } = await surroundingsOf(name, more);
    expect(env).toEqual({
      PATH: place.env.PATH,
      HOME: place.env.HOME,
      USER: "tester",
      TMPDIR: place.env.TMPDIR,
      LANG: "de_DE.UTF-8",
      API_KEY: "from the client",
    });
    expect(cwd).toBe(`${place.directory}/${name}`);
    expect(tty).toBe(false);
    expect([stdin, stderr].filter((fd) => !/^(socket|pipe):/.test(fd))).toEqual([]);
  });
});
