/** The commands as people and scripts meet them: help, JSON, exit codes, and what is said when something is wrong. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doctor, fixture, newPlace, type Outcome, pml, ROOT } from "../faults/support/pml.js";

const place = newPlace();
const config = place.config({ mcpServers: { healthy: fixture("healthy") } });
const run = (args: readonly string[], input?: string): Promise<Outcome> =>
  pml(place, args, input === undefined ? {} : { input });
const tools = (...args: string[]) => run(["tools", ...args, "--config", config]);

afterAll(() => run(["stop", "--config", config]));

const COMMANDS = [
  "serve",
  "stop",
  "doctor",
  "discover",
  "exec",
  "approve",
  "analyze",
  "cap",
  "tools",
  "trace",
  "trust",
  "connect",
];

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

  it("[FH-5] of one action is had in three ways", async () => {
    const { code, stdout } = await run(["help", "cap", "rename"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: pml cap rename NAME \[NEW_NAME\]/);
    expect((await run(["cap", "rename", "--help"])).stdout).toBe(stdout);
    expect((await run(["--config", "x", "cap", "--data-dir", "y", "rename", "-h"])).stdout).toBe(stdout);
  });

  it("tells the version", async () =>
    expect(await run(["--version"])).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" }));
});

describe("as a process", () => {
  const real = (...args: string[]) => pml(place, args, { isProcess: true });

  it("tells the version, and its help through the table of commands", async () => {
    expect(await real("--version")).toEqual({ code: 0, stdout: "0.1.0\n", stderr: "" });
    expect(await real("tools", "--help")).toEqual(await run(["tools", "--help"]));
  });

  it("ends with 2 after wrong usage, and with 1 after anything else", async () => {
    expect(await real("sevre")).toMatchObject({ code: 2, stdout: "" });
    const { code, stdout, stderr } = await real("tools", "list", "--json", "--config", "nowhere.json");
    expect(code).toBe(1);
    expect(stderr).toMatch(/^pml: .*nowhere\.json.* \[CONFIG_INVALID\]\n/);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: "CONFIG_INVALID" } });
  });
});

describe("wrong usage ends with 2", () => {
  it.each([
    [["sevre"], 'Unknown command "sevre"; did you mean "serve"? [USAGE]'],
    [["help", "docter"], 'Unknown command "docter"; did you mean "doctor"? [USAGE]'],
    [["help", "cap", "renam"], 'found "renam"; did you mean "rename"? [USAGE]'],
    [["--jsn", "doctor"], "Unknown option '--jsn'; did you mean --json? [USAGE]"],
    [["--config", "x", "docter"], 'Unknown command "docter"; did you mean "doctor"? [USAGE]'],
    [["--config"], "Option '--config <value>' argument missing [USAGE]"],
    [["stats", "--jsn"], "Unknown option '--jsn'; did you mean --json? [USAGE]"],
    [["run"], 'Unknown command "run"; did you mean "exec"? [USAGE]'],
    [["list"], 'Unknown command "list"; did you mean "cap list"? [USAGE]'],
    [["nothing-like-it"], 'Unknown command "nothing-like-it": expected one of serve, '],
    [["constructor"], 'Unknown command "constructor"'],
    [["serve", "--no-such"], "Unknown option '--no-such' [USAGE]"],
    [["serve", "--config"], "Option '--config <value>' argument missing [USAGE]"],
    [["serve", "extra"], 'Unexpected argument "extra" [USAGE]'],
    [["serve", "--role", "boss"], '--role is "boss": expected local or cloud [USAGE]'],
    [["stop", "extra"], 'Unexpected argument "extra" [USAGE]'],
    [["doctor", "extra"], 'Unexpected argument "extra" [USAGE]'],
    [["trace", "a", "b"], 'Unexpected argument "b" [USAGE]'],
    [["trace", "--limit", "soon"], '--limit is "soon": expected a number from 1 to 200 [USAGE]'],
    [["trace", "a", "--limit", "3"], "--limit applies to the list, not to one run [USAGE]"],
    [["discover"], "The intent is missing: expected INTENT [USAGE]"],
    [["discover", " "], "The intent is missing: expected INTENT [USAGE]"],
    [["discover", "x", "--type", "server"], '--type is "server": expected tool, capability, all [USAGE]'],
    [["discover", "x", "--min-score", "2"], '--min-score is "2": expected a number from 0 to 1 [USAGE]'],
    [["discover", "x", "--limit", "51"], '--limit is "51": expected a number from 1 to 50 [USAGE]'],
    [["tools"], "Expected one of list, call, changed, accept [USAGE]"],
    [["tools", "lst"], 'Expected list, call, changed, accept, found "lst"; did you mean "list"? [USAGE]'],
    [["tools", "call"], "The tool is missing: expected NAME [USAGE]"],
    [["tools", "call", "x", "{}", "more"], 'Unexpected argument "more" [USAGE]'],
    [["tools", "call", "x", "{oops"], "ARGUMENTS is not JSON"],
    [["tools", "call", "x", "[]"], "ARGUMENTS is not a JSON object [USAGE]"],
    [["exec"], "Cannot run stdin: it holds no code [USAGE]"],
    [["exec", "a.ts", "b.ts"], 'Unexpected argument "b.ts" [USAGE]'],
    [["exec", "fs:read"], "there is no such file; did you mean --capability fs:read? [USAGE]"],
    [["exec", "--capability", "x", "--args", "[]"], "--args is not a JSON object [USAGE]"],
    [["exec", "--capability", "x", "--timeout", "soon"], '--timeout is "soon": expected milliseconds'],
    [["analyze"], "Cannot analyze stdin: it holds no code [USAGE]"],
    [["analyze", "a.ts", "b.ts"], 'Unexpected argument "b.ts" [USAGE]'],
    [["analyze", "nowhere.ts"], 'Cannot analyze "nowhere.ts": there is no such file [USAGE]'],
    [["logs", "a", "b"], 'Unexpected argument "b" [USAGE]'],
    [["logs", "-n", "0"], '--lines is "0": expected a number from 1 to 100000 [USAGE]'],
    [["completion"], "Expected one of bash, zsh, fish [USAGE]"],
    [["secret"], "Expected one of set, list, remove, rotate [USAGE]"],
    [["completion", "fis"], 'found "fis"; did you mean "fish"? [USAGE]'],
    [["completion", "--names", "server"], 'found "server"; did you mean "servers"? [USAGE]'],
    [["cap"], "undelete, promote, verify [USAGE]"],
    [["cap", "lookpu"], 'found "lookpu"; did you mean "lookup"? [USAGE]'],
    [["cap", "constructor"], 'found "constructor" [USAGE]'],
    [["cap", "lookup"], "The capability is missing: expected NAME [USAGE]"],
    [["cap", "lookup", "a", "b"], 'Unexpected argument "b" [USAGE]'],
    [["cap", "lookup", "a", "--tags", "x"], "--tags cannot be combined with lookup [USAGE]"],
    [["cap", "list", "--named", "--unnamed"], "Expected either --named or --unnamed, found both [USAGE]"],
    [["cap", "list", "--sort", "age"], '--sort is "age": expected usage, name, created [USAGE]'],
    [["cap", "list", "--limit", "0"], '--limit is "0": expected a number from 1 to 500 [USAGE]'],
    [["cap", "list", "--offset", "-1"], "--offset"],
    [
      ["cap", "rename", "a"],
      "Nothing to change: expected NEW_NAME, or an option such as --description [USAGE]",
    ],
    [
      ["cap", "rename", "a", "b", "--visibility", "all"],
      '--visibility is "all": expected private, project, org, public',
    ],
  ])("%j", async (args, text) => {
    const { code, stdout, stderr } = await run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(text);
    expect(stderr).toMatch(/Run `pml .*`\.\n$/);
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe("pml tools", () => {
  it("[FH-5] takes the options of all commands in front, too", async () => {
    const { code, stdout } = await run(["--json", `--config=${config}`, "tools", "list", "echo"]);
    expect([code, JSON.parse(stdout)[0].name]).toEqual([0, "mcp__healthy__Echo-2"]);
  });

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

/** An entry for a server that is the module `text`, with the least that a server needs at hand. */
function written(name: string, text: string) {
  const rpc = join(ROOT, "test/faults/servers/raw-rpc.mjs");
  const file = place.config(`import { serve, send, text, tool } from ${JSON.stringify(rpc)};\n${text}`, name);
  return { command: process.execPath, args: [file] };
}

describe("a server's own error", () => {
  const own = place.config(
    {
      mcpServers: {
        picky: written(
          "picky.mjs",
          `serve({
            "tools/list": () => ({ tools: [tool("bare"), tool("detailed")] }),
            "tools/call": ({ name }, id) => send({ id, error: { code: -32602, message: "Invalid arguments: n is odd",
              ...(name === "detailed" ? { data: { n: 5 } } : {}) } }),
          });`,
        ),
      },
    },
    "picky/pml.json",
  );
  afterAll(() => run(["stop", "--config", own]));

  it.each(["bare", "detailed"])("is shown as it is, and not as a tool that is missing (%s)", async (name) => {
    const { code, stdout, stderr } = await run(["tools", "call", `picky:${name}`, "--json", "--config", own]);
    expect(code).toBe(1);
    expect(stderr).toBe("pml: Invalid arguments: n is odd [TOOL_FAILED]\n");
    expect(JSON.parse(stdout)).toEqual({
      error: { code: "TOOL_FAILED", message: "Invalid arguments: n is odd", rpcCode: -32_602 },
    });
  });
});

describe("pml doctor [GW-2]", () => {
  it("warns of a gateway that runs with other settings than the file has by now", async () => {
    const file = place.config({ mcpServers: { healthy: fixture("healthy") } }, "edited/pml.json");
    await run(["tools", "list", "--config", file]);
    expect((await run(["doctor", "--config", file])).stdout).toMatch(/^ok {7}gateway: /m);
    place.config(
      { mcpServers: { healthy: { ...fixture("healthy"), timeoutMs: 5 }, more: fixture("healthy") } },
      "edited/pml.json",
    );
    const { code, findings } = await doctor(place, ["--config", file]);
    expect(code).toBe(0);
    expect(findings.find(({ part }) => part === "gateway")).toMatchObject({
      state: "warning",
      detail: expect.stringMatching(
        /it runs with different settings: mcpServers\.healthy, mcpServers\.more$/,
      ),
      advice: "Run `pml stop`; the next `pml serve` starts a new gateway",
    });
    await run(["stop", "--config", file]);
    expect((await doctor(place, ["--config", file])).findings.map(({ state }) => state)).not.toContain(
      "warning",
    );
  });

  it("shows what servers say without what a terminal would obey", async () => {
    const file = place.config(
      {
        mcpServers: {
          loud: written(
            "loud.mjs",
            'process.stderr.write("\\u001b[2J\\u009b31mred\\u202e\\rend\\n"); process.exitCode = 3;',
          ),
          odd: written(
            "odd.mjs",
            'serve({ "tools/list": () => ({ tools: [tool("\\u001b]0;title\\u0007\\nfine", { inputSchema: [] })] }) });',
          ),
        },
      },
      "loud/pml.json",
    );
    const { stdout } = await run(["doctor", "--config", file]);
    expect(stdout).toContain("(last output: [2J31mred");
    expect(stdout).toMatch(/rejected, the first: .*\]0;title/);
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);

    const said = await run(["logs", "loud", "--config", file]);
    expect(said.code).toBe(0);
    expect(said.stdout).toMatch(/^\d{4}-\d\d-\d\d [\d:]{8} +loud: \\u\{1b\}\[2J\\u\{9b\}31mred.*end$/m);
    const [raw] = (await run(["logs", "loud", "--json", "-n", "1", "--config", file])).stdout.split("\n");
    expect(JSON.parse(raw ?? "")).toMatchObject({ server: "loud", line: expect.stringContaining("31mred") });
    expect(await run(["logs", "lout", "--config", file])).toEqual({
      code: 0,
      stdout: "",
      stderr: 'No lines about "lout"; did you mean "loud"?\n',
    });
  });

  it("finds nothing wrong with a gateway that runs", async () => {
    const { code, findings, status } = await doctor(place, ["--config", config]);
    expect(code).toBe(0);
    expect(findings.map(({ part, state }) => `${part} ${state}`)).toEqual([
      "node ok",
      "configuration ok",
      "data directory ok",
      "decisions ok",
      "http ok",
      "secrets ok",
      "gateway ok",
      "key ok",
      "store ok",
      // Not every system has all of its defences.
      expect.stringMatching(/^sandbox (?:ok|warning)$/),
      "discovery ok",
      "curation ok",
      "server healthy ok",
    ]);
    expect(status).toMatchObject({
      pid: expect.any(Number),
      sandbox: {
        engine: "deno",
        state: "ready",
        defences: expect.arrayContaining([
          { name: "deno-permissions", active: true, detail: "none granted" },
        ]),
      },
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
      expect(found.stdout).toContain("gateway: not running on");
      expect(found.stdout).toMatch(/^PROBLEM {2}store: .*\n +→ Check store\.url/m);
      expect(found.stdout).toMatch(
        /^PROBLEM {2}server gone: unavailable: its process exited with code 7 \(last output: E_LICENSE.*\n +→ `pml logs gone` shows its output. Run its command by hand; check mcpServers\.gone$/m,
      );
      expect(found.stdout).toMatch(/^ok {7}server healthy/m);
    });

    it("shows no secret", () => expect(found.stdout + found.stderr).not.toContain("s3cret"));
  });
});
