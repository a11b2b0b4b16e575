/** One gateway, one healthy server, and every odd one that can be kept beside the others. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type Doctor,
  doctor,
  fixture,
  type ListedTool,
  newPlace,
  type ServeClient,
  serve,
  until,
} from "./support/pml.js";

const place = newPlace({ isProcess: true });
const config = place.config({
  exposure: "all",
  mcpServers: {
    healthy: fixture("healthy"),
    gone: fixture("odd", "exits-at-once"),
    missing: { command: "no-such-program-anywhere" },
    nowhere: { ...fixture("healthy"), cwd: "no/such/directory" },
    refused: { url: "http://127.0.0.1:9/mcp" },
    mortal: fixture("odd", "dies-in-a-call", join(place.directory, "died")),
    hanging: { ...fixture("odd", "hangs"), timeoutMs: 400 },
    liar: { ...fixture("odd", "answers-garbage"), timeoutMs: 400 },
    nonsense: fixture("odd", "lists-nonsense"),
    many: fixture("odd", "lists-many"),
    endless: fixture("odd", "pages-for-ever"),
    long: fixture("odd", "sends-a-long-line"),
    regex: fixture("odd", "backtracks-for-ever"),
    regexes: fixture("odd", "backtracks-for-ever", "too"),
    off: { command: "no-such-program-anywhere", disabled: true },
  },
});
const WITH_TOOLS = "healthy mortal hanging liar nonsense many endless long regex regexes".split(" ");
const args = ["--config", config];
/** Fifteen servers start at once. */
const START_MS = 90_000;
let client: ServeClient;
let tools: ReadonlyMap<string, ListedTool>;
let found: Doctor & { code: number | null };

beforeAll(async () => {
  client = await serve(place, args);
  // The first list does not wait for a server that is slow; on a busy machine, one with 10,000 tools is.
  await until(
    "every server that has tools lists them",
    async () => {
      tools = new Map((await client.tools()).map((tool) => [String(tool._meta?.["pml/id"]), tool]));
      const servers = new Set([...tools.keys()].map((id) => id.slice(0, id.indexOf(":"))));
      return WITH_TOOLS.every((name) => servers.has(name));
    },
    START_MS,
  );
  found = await doctor(place, args);
}, 2 * START_MS);

const finding = (server: string, { findings } = found) =>
  findings.find(({ part }) => part === `server ${server}`);
const statusOf = (server: string, { status } = found) => status?.servers.find(({ name }) => name === server);

async function healthyAnswers(): Promise<void> {
  expect(await client.call("healthy:echo", { text: "still here" })).toEqual({
    text: "still here",
    isError: false,
  });
}

describe("servers that are not there [GW-2]", () => {
  it("tells the last words of a server that exits at once", async () => {
    expect(finding("gone")).toMatchObject({
      state: "problem",
      detail: expect.stringContaining("its process exited with code 7"),
    });
    expect(finding("gone")?.detail).toContain("E_LICENSE: no licence found in ~/.odd");
    expect(finding("gone")?.advice).toContain("mcpServers.gone");
    expect(statusOf("gone")?.stderr).toEqual(["first line", "E_LICENSE: no licence found in ~/.odd"]);
    expect(found.code).toBe(1);
    await healthyAnswers();
  });

  it("names the command or the directory that does not exist", () => {
    expect(finding("missing")?.detail).toContain('the command "no-such-program-anywhere" was not found');
    expect(finding("missing")?.detail).not.toContain("directory");
    expect(finding("nowhere")?.detail).not.toContain("the command");
    expect(finding("nowhere")?.detail).toContain(`the directory "${place.directory}/no/such/directory"`);
  });

  it("says why an HTTP server cannot be reached", () => {
    expect(finding("refused")).toMatchObject({
      state: "problem",
      advice: expect.stringContaining("mcpServers.refused.url"),
    });
    expect(finding("refused")?.detail).toMatch(/ECONNREFUSED|fetch failed/);
  });

  it("leaves out a disabled server", () => expect(finding("off")).toBeUndefined());

  it("answers a call to none of its tools with the names that there are", async () => {
    expect(await client.call("gone:work")).toMatchObject({ isError: true, code: "TOOL_NOT_FOUND" });
    await healthyAnswers();
  });
});

describe("servers that fail in a call [GW-2]", () => {
  it("keeps the tools of a server that died, marked, and calls it again when it is back", async () => {
    const others = ["first", "second"].map((text) => client.call("healthy:echo", { text }));
    expect(await client.call("mortal:work")).toMatchObject({ isError: true, code: "SERVER_UNAVAILABLE" });
    expect((await Promise.all(others)).map(({ text }) => text)).toEqual(["first", "second"]);
    const away = (await client.tools()).find(({ name }) => name === "mcp__mortal__work");
    expect(away?._meta).toMatchObject({ "pml/id": "mortal:work", "pml/unavailable": true });
    expect(away?.description).toContain("Unavailable now");
    expect(await client.call("mortal:work")).toMatchObject({ isError: true, code: "SERVER_UNAVAILABLE" });
    expect(finding("mortal", await doctor(place, args))).toMatchObject({
      state: "problem",
      detail: "unavailable: its process exited with code 3",
    });
    writeFileSync(join(place.directory, "died.back"), "");
    expect(await client.call("mortal:work")).toEqual({ text: "back again", isError: false });
    const back = (await client.tools()).find(({ name }) => name === "mcp__mortal__work");
    expect(back?._meta).toEqual({ "pml/id": "mortal:work" });
    expect(statusOf("mortal", await doctor(place, args))).toMatchObject({ state: "ready", restarts: 1 });
  });

  it("gives up on a call that hangs, while others go on", async () => {
    const hanging = client.call("hanging:hang");
    expect(await client.call("hanging:work")).toEqual({ text: "worked", isError: false });
    await healthyAnswers();
    expect(await hanging).toMatchObject({ isError: true, code: "LIMIT_EXCEEDED" });
    expect(await client.call("hanging:work")).toEqual({ text: "worked", isError: false });
  });

  it.each([
    ["no-json", "LIMIT_EXCEEDED"],
    ["wrong-id", "LIMIT_EXCEEDED"],
    ["a-list", "TOOL_FAILED"],
    ["nothing", "TOOL_FAILED"],
    ["a-text", "TOOL_FAILED"],
  ])("turns an answer that is %s into %s", async (tool, code) => {
    expect(await client.call(`liar:${tool}`)).toMatchObject({ isError: true, code });
    await healthyAnswers();
  });

  it("[TB-8] fails the call whose answer is of 20 MB, and keeps the server", async () => {
    const before = await client.call("long:pid");
    const calls = [client.call("long:work"), client.call("long:work")];
    for (const answer of await Promise.all(calls))
      expect(answer).toMatchObject({ isError: true, code: "LIMIT_EXCEEDED" });
    expect(await client.call("long:pid")).toEqual(before);
    await healthyAnswers();
    expect(client.stderr).toBe("");
  });
});

describe("servers that lie in their lists [GW-2]", () => {
  it("takes the tools that are fine, and says of each other why not", async () => {
    expect([...tools.keys()].filter((id) => id.startsWith("nonsense:"))).toEqual([
      "nonsense:does-not-compile",
      "nonsense:fine",
      "nonsense:wordy",
    ]);
    expect(statusOf("nonsense")?.refused).toEqual([
      'no-schema: its inputSchema is not of type "object"',
      'list-schema: its inputSchema is not of type "object"',
      'text-schema: its inputSchema is not of type "object"',
      "odd-output: its outputSchema is not a JSON Schema object",
      "odd-required: its inputSchema.required is wrong: expected array, received string",
      "odd-title: its title is wrong: expected string, received number",
      "fine: the server lists it twice",
      "(a tool): it has no name",
      "(a tool): it has no name",
      "(a tool): it has no name",
      "(a tool): it has no name",
      "(a tool): it has no name",
      "large: it is larger than 262144 bytes",
      `${"x".repeat(80)}: its name is longer than 256 characters`,
      'hidden\\u{200b}\\u{202e}: its value "hidden\\u{200b}\\u{202e}" holds invisible characters',
      "deep: it is nested deeper than 200 levels",
    ]);
    expect(finding("nonsense")).toMatchObject({
      state: "warning",
      detail: expect.stringContaining("16 rejected"),
    });
    expect(await client.call("nonsense:fine")).toEqual({ text: "called fine", isError: false });
  });

  it("leaves the judgement to the server where its schema does not compile", async () => {
    expect(await client.call("nonsense:does-not-compile", { a: 1 })).toEqual({
      text: "called does-not-compile",
      isError: false,
    });
  });

  it("shows no invisible characters of a description [GW-5, TB-9]", async () => {
    expect(tools.get("nonsense:wordy")?.description).toBe("Reads a file. Then stops\tor\nnot");
    expect(await client.call("nonsense:wordy")).toEqual({ text: "called wordy", isError: false });
    for (const text of [...tools.values()].map((tool) => JSON.stringify(tool)))
      expect(text).not.toMatch(/[\u200b\u202e]/);
  });

  it("takes 5,000 tools of a server with 10,000", async () => {
    expect([...tools.keys()].filter((id) => id.startsWith("many:"))).toHaveLength(5_000);
    expect(finding("many")).toMatchObject({
      state: "warning",
      detail: expect.stringContaining("more than 5000 items"),
    });
    expect(await client.call("many:tool-4999")).toEqual({ text: "tool-4999", isError: false });
  });

  it("stops reading a list that never ends", async () => {
    expect([...tools.keys()].filter((id) => id.startsWith("endless:"))).toHaveLength(100);
    expect(finding("endless")).toMatchObject({
      state: "warning",
      detail: expect.stringContaining("more than 100 pages"),
    });
  });

  it.each(["regex", "regexes"])("does not run the regular expressions of a schema (%s)", async (server) => {
    const started = performance.now();
    const a = `${"a".repeat(60)}!`;
    expect(await client.call(`${server}:match`, { a, [a]: "x" })).toEqual({
      text: "matched",
      isError: false,
    });
    await healthyAnswers();
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("still checks what else the schema says", async () => {
    expect(await client.call("regex:match", { n: "text" })).toMatchObject({
      isError: true,
      code: "ARGUMENTS_INVALID",
    });
  });
});
