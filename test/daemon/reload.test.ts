/** A gateway that runs takes over its changed files, with the same clients connected. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { doctor, fixture, newPlace, pml, type ServeClient, serve, until } from "../faults/support/pml.js";

vi.setConfig({ testTimeout: 60_000 });

const place = newPlace();
const file = place.config({
  mcpServers: { first: fixture("healthy") },
  approvals: { scripted: true },
});
const on = ["--config", file, "--data-dir", join(place.directory, "data")];
const run = (...args: readonly string[]) =>
  pml(place, [...args.slice(0, 1), "--config", file, ...args.slice(1)]);
const written = () => JSON.parse(readFileSync(file, "utf8")) as { mcpServers: Record<string, object> };
const write = (mcpServers: object) => writeFileSync(file, JSON.stringify({ ...written(), mcpServers }));

let client: ServeClient;
const serversOf = async () =>
  [...new Set((await client.tools()).flatMap(({ name }) => /^mcp__(.+?)__/.exec(name)?.[1] ?? []))].join(" ");
const pidOf = async (server: string) =>
  (JSON.parse((await client.call(`${server}:surroundings`)).text) as { pid: number }).pid;
const announced = () =>
  client.others.filter(({ method }) => method === "notifications/tools/list_changed").length;
const shown = async () => {
  const { stdout } = await pml(place, ["servers", "--json", ...on]);
  const { servers, configuration } = JSON.parse(stdout) as {
    servers: readonly { name: string; state: string; error?: { code: string } }[];
    configuration: { problem?: { code: string } };
  };
  return {
    servers: servers.map(({ name, state, error }) => [name, state, error?.code].filter(Boolean).join(" ")),
    problem: configuration.problem?.code,
  };
};

beforeAll(async () => {
  client = await serve(place, on);
  await client.tools();
});
afterAll(async () => {
  await client.close();
  await pml(place, ["stop", ...on]);
});

describe("[FH-4] [WIRE-6] with a client connected", () => {
  it("pml add starts a server, is announced once, and leaves the others alone", async () => {
    const before = await pidOf("first");
    const news = announced();
    const { command, args } = fixture("healthy");
    expect(await run("add", "second", "--", command, ...args)).toMatchObject({ code: 0, stderr: "" });
    await until("its tools are listed", async () => (await serversOf()) === "first second");
    await until("it was announced", () => announced() > news);
    expect(await pidOf("first")).toBe(before);
    expect(await client.call("second:echo", { text: "hi" })).toEqual({ text: "hi", isError: false });
    expect(announced()).toBe(news + 1);
    const description = (await client.tools()).find(({ name }) => name === "pml_discover")?.description;
    expect(description).toContain("Servers: first, second.");
  });

  it("disable and enable reach a client that joins at once, and need no second trust", async () => {
    expect((await run("disable", "second")).code).toBe(0);
    expect(await shown()).toEqual({ servers: ["first ready", "second disabled"], problem: undefined });
    expect(await serversOf()).toBe("first");
    expect((await run("enable", "second")).code).toBe(0);
    expect((await shown()).servers).toEqual(["first ready", "second ready"]);
  });

  it("a server that was written by hand waits for pml trust", async () => {
    write({ ...written().mcpServers, hand: fixture("healthy") });
    const { code, stderr } = await pml(place, ["servers", ...on]);
    expect(code).toBe(1);
    expect(stderr).toContain("it runs with different settings: mcpServers.hand [CONFIG_MISMATCH]");
    expect(stderr).toContain('the server "hand" is new');
    expect(stderr).toContain("pml trust");
    expect(await serversOf()).toBe("first second");
    const found = (await doctor(place, on)).findings.filter(({ part }) => part === "configuration");
    expect(found.map(({ state, detail }) => [state, detail.includes("CONFIG_UNTRUSTED")])).toEqual([
      ["ok", false],
      ["warning", true],
    ]);
    expect((await pml(place, ["trust", file])).code).toBe(0);
    await until("it runs", async () => (await serversOf()) === "first hand second");
  });

  it("one broken entry disables that server only, and its tools say so", async () => {
    const { hand: _, ...others } = written().mcpServers;
    write({ ...others, hand: { command: "x", env: { TOKEN: `$${"{NO_SUCH_VARIABLE}"}` } } });
    expect((await pml(place, ["trust", file])).code).toBe(0);
    expect((await shown()).servers).toEqual([
      "first ready",
      "hand unavailable VARIABLE_UNSET",
      "second ready",
    ]);
    const tool = (await client.tools()).find(({ name }) => name === "mcp__hand__echo");
    expect(tool?.description).toContain("(Unavailable now");
    const said = await client.call("hand:echo", { text: "x" });
    expect(said).toMatchObject({ isError: true, code: "SERVER_UNAVAILABLE" });
    expect(said.text).toContain("the variable NO_SUCH_VARIABLE is not set");
    expect((await doctor(place, on)).findings.find(({ part }) => part === "server hand")).toMatchObject({
      state: "problem",
      detail: expect.stringContaining(
        "NO_SUCH_VARIABLE is not set at mcpServers.hand.env.TOKEN [VARIABLE_UNSET]",
      ),
    });
  });

  it("a broken file changes nothing, and a mended one is used", async () => {
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, whole.slice(0, 40));
    expect((await pml(place, ["servers", ...on])).stderr).toContain("it is not JSON");
    expect(await client.call("first:echo", { text: "still" })).toEqual({ text: "still", isError: false });
    writeFileSync(file, whole);
    expect((await run("remove", "hand")).code).toBe(0);
    expect(await shown()).toEqual({ servers: ["first ready", "second ready"], problem: undefined });
  });

  it("loses no server where several are added at once", async () => {
    const names = ["one", "two", "three", "four"];
    const all = await Promise.all(names.map((name) => run("add", name, "--", "x")));
    const added = names.filter((_, index) => all[index]?.code === 0);
    expect(added.length).toBeGreaterThan(0);
    expect(new Set(Object.keys(written().mcpServers))).toEqual(new Set(["first", "second", ...added]));
    for (const { code, stderr } of all) if (code !== 0) expect(stderr).toContain("it was changed meanwhile");
    for (const name of added) expect((await run("remove", name)).code).toBe(0);
  });

  it("a wrong name is refused with the one that may be meant", async () => {
    const { code, stderr } = await run("remove", "secnd");
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean "second"?');
    expect((await run("add", "second", "--", "x")).code).toBe(2);
  });
});
