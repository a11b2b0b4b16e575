/** The commands as people and scripts meet them: help, JSON, exit codes, and what is said when something is wrong. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doctor, fixture, newPlace, type Outcome, pml } from "../faults/support/pml.js";

const place = newPlace();
const config = place.config({ mcpServers: { healthy: fixture("healthy") } });
const run = (args: readonly string[], input?: string): Promise<Outcome> =>
  pml(place, args, input === undefined ? {} : { input });
const tools = (...args: string[]) => run(["tools", ...args, "--config", config]);

afterAll(() => run(["stop", "--config", config]));

const COMMANDS = ["serve", "stop", "doctor", "tools", "trust"];

describe("help", () => {
  it.each(COMMANDS)("of %s has a usage line, its options and an example", async (command) => {
    const { code, stdout, stderr } = await run([command, "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^Usage: pml ${command} `));
    expect(stdout).toContain("--config FILE");
    expect(stdout).toMatch(new RegExp(`\\nExamples?:\\n( .*\\n)*.*pml ${command}`));
    expect((await run(["help", command])).stdout).toBe(stdout);
  });

  it("lists every command", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    for (const command of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${command} +\\S`, "m"));
    expect(await run([])).toMatchObject({ code: 2, stdout });
  });

  it("tells the version", async () =>
    expect(await run(["--version"])).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" }));
});

describe("wrong usage ends with 2", () => {
  it.each([
    [["sevre"], 'Unknown command "sevre": expected one of serve, stop, doctor, tools, trust [USAGE]'],
    [["constructor"], 'Unknown command "constructor"'],
    [["serve", "--no-such"], "Unknown option '--no-such' [USAGE]"],
    [["serve", "--config"], "Option '--config <value>' argument missing [USAGE]"],
    [["serve", "extra"], 'Unexpected argument "extra" [USAGE]'],
    [["serve", "--role", "boss"], '--role is "boss": expected local or cloud [USAGE]'],
    [["stop", "extra"], 'Unexpected argument "extra" [USAGE]'],
    [["doctor", "extra"], 'Unexpected argument "extra" [USAGE]'],
    [["tools"], 'Expected "list" or "call", found "nothing" [USAGE]'],
    [["tools", "lst"], 'Expected "list" or "call", found "lst" [USAGE]'],
    [["tools", "call"], "Which tool? Expected NAME [USAGE]"],
    [["tools", "call", "x", "{}", "more"], 'Unexpected argument "more" [USAGE]'],
    [["tools", "call", "x", "{oops"], "ARGUMENTS is not JSON"],
    [["tools", "call", "x", "[]"], "ARGUMENTS is not a JSON object [USAGE]"],
  ])("%j", async (args, text) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(text);
    expect(stderr).toMatch(/Run `pml .*`\.\n$/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe("pml tools", () => {
  it("lists what an agent would see", async () => {
    const { code, stdout } = await tools("list");
    expect(code).toBe(0);
    expect(stdout.split("\n")[0]).toMatch(/^NAME +DESCRIPTION$/);
    expect(stdout).toMatch(/^mcp__healthy__echo +The tool echo$/m);
  });

  it("lists those with a text in them, as JSON", async () => {
    const found = JSON.parse((await tools("list", "SURR", "--json")).stdout) as { name: string }[];
    expect(found.map(({ name }) => name)).toEqual(["mcp__healthy__surroundings"]);
    expect(await tools("list", "no such text")).toMatchObject({ code: 0, stdout: "No tools\n" });
  });

  it.each(["mcp__healthy__echo", "healthy:echo", "MCP--healthy--ECHO"])(
    "calls a tool by %s",
    async (name) => {
      expect(await tools("call", name, '{"text":"grüße"}')).toEqual({
        code: 0,
        stdout: "grüße\n",
        stderr: "",
      });
    },
  );

  it("reads arguments from stdin", async () => {
    const answer = await run(
      ["tools", "call", "healthy:echo", "-", "--json", "--config", config],
      '{"text":"from stdin"}',
    );
    expect(answer.code).toBe(0);
    expect(JSON.parse(answer.stdout)).toEqual({
      isError: false,
      content: [{ type: "text", text: "from stdin" }],
    });
    expect(await run(["tools", "call", "healthy:echo", "-", "--config", config], "no json")).toMatchObject({
      code: 2,
    });
  });

  it("ends with 1 when the tool refuses, and shows what it says", async () => {
    expect(await tools("call", "healthy:refuse")).toEqual({ code: 1, stdout: "I refuse\n", stderr: "" });
    expect(JSON.parse((await tools("call", "healthy:refuse", "--json")).stdout)).toMatchObject({
      isError: true,
    });
  });

  it("names the argument that is wrong", async () => {
    const { code, stdout, stderr } = await tools("call", "healthy:echo", '{"text":5}');
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^pml: Cannot call "echo": .*text.* \[ARGUMENTS_INVALID\]\n/);
  });

  it("offers the nearest names of an unknown tool", async () => {
    const { code, stdout, stderr } = await tools("call", "healthy:ecko", "--json");
    expect(code).toBe(1);
    expect(stderr).toContain('Unknown tool: "healthy:ecko". Did you mean "healthy:echo"');
    expect(stderr).toContain("[TOOL_NOT_FOUND]");
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "TOOL_NOT_FOUND" } });
  });
});

describe("pml doctor [GW-2]", () => {
  it("finds nothing wrong with a gateway that runs", async () => {
    const { code, findings, status } = await doctor(place, ["--config", config]);
    expect(code).toBe(0);
    expect(findings.map(({ part, state }) => `${part} ${state}`)).toEqual([
      "node ok",
      "configuration ok",
      "gateway ok",
      "store ok",
      "server healthy ok",
    ]);
    expect(status).toMatchObject({
      pid: expect.any(Number),
      servers: [{ name: "healthy", state: "ready", tools: 6 }],
    });
    const text = await run(["doctor", "--config", config]);
    expect(text.code).toBe(0);
    expect(text.stdout).toMatch(/^ok {7}server healthy: 6 tools, stdio, protocol /m);
  });

  describe("where none runs", () => {
    let found: Outcome;
    beforeAll(async () => {
      const sick = place.config(
        {
          mcpServers: { gone: fixture("odd", "exits-at-once"), healthy: fixture("healthy") },
          store: { url: "postgres://u:s3cret@127.0.0.1:9/x" },
        },
        "sick/pml.json",
      );
      found = await run(["doctor", "--config", sick]);
    });

    it("starts one for the check, says what is wrong and what to do, and ends with 1", () => {
      expect(found.code).toBe(1);
      expect(found.stdout).toContain("gateway: none runs on");
      expect(found.stdout).toMatch(/^PROBLEM {2}store: .*\n +→ Check store\.url/m);
      expect(found.stdout).toMatch(
        /^PROBLEM {2}server gone: unavailable: its process exited with code 7 \(its last words: E_LICENSE.*\n +→ Run its command by hand; check mcpServers\.gone$/m,
      );
      expect(found.stdout).toMatch(/^ok {7}server healthy/m);
    });

    it("shows no secret", () => expect(found.stdout + found.stderr).not.toContain("s3cret"));
  });
});
