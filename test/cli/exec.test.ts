/** `pml exec` as people and scripts meet it: what goes to stdout, what to stderr, and how it ends. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  dataDirOf,
  fixture,
  newPlace,
  type Outcome,
  ownerOf,
  pml,
  ROOT,
  until,
} from "../faults/support/pml.js";
import { atTerminal } from "../faults/support/terminal.js";

const place = newPlace();
const config = place.config({
  mcpServers: { healthy: fixture("healthy") },
  approvals: { unannotated: "auto" },
});
afterAll(() => pml(place, ["stop", "--config", config]));

const exec = (...args: string[]): Promise<Outcome> => pml(place, ["exec", ...args, "--config", config]);
const piped = (input: string, ...args: string[]): Promise<Outcome> =>
  pml(place, ["exec", ...args, "--config", config], { input });

function file(name: string, code: string): string {
  writeFileSync(join(place.directory, name), code);
  return name;
}

describe("[UX-1, EX-4] pml exec", () => {
  it("runs a file, remembers it under a name, and runs it again by that name", async () => {
    const code = "// Say a text\nreturn { said: await mcp.healthy.echo({ text: args.text }) };";
    const first = await exec(file("say.ts", code), "--arg", "text=hi", "--name", "say:text");
    expect(first).toEqual({
      code: 0,
      stdout: '{\n  "said": "hi"\n}\n',
      stderr: "Remembered as say:text\n  again:  pml exec --capability say:text --arg text=hi\n",
    });
    const again = await exec("--capability", "say:text", "--args", '{"text":"ho"}');
    expect(again).toEqual({ code: 0, stdout: '{\n  "said": "ho"\n}\n', stderr: "" });
    const whole = await exec("--capability", "say:text", "--arg", "text=hey", "--json");
    expect(whole).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(whole.stdout)).toMatchObject({
      status: "success",
      mode: "call_by_name",
      result: { said: "hey" },
      capabilityName: "say:text",
      tasks: [{ tool: "healthy:echo", success: true }],
    });
  });

  it("takes its intent from the comment that the code begins with", async () => {
    const { stdout } = await pml(place, ["cap", "lookup", "say:text", "--json", "--config", config]);
    expect(JSON.parse(stdout)).toMatchObject({ description: "Say a text" });
  });

  it.each([[[]], [["-"]]])(
    "runs what is piped, with %j, and shows what it logs beside the result",
    async (more) => {
      const { code, stdout, stderr } = await piped('console.log("one", 2); return "a\\nb";', ...more);
      expect({ code, stdout }).toEqual({ code: 0, stdout: '"a\\nb"\n' });
      expect(stderr).toMatch(
        /^one 2\nRemembered as (unnamed_[0-9a-f]{8})\n {2}again: {2}pml exec --capability \1\n {2}name: {3}pml cap rename \1 NAMESPACE:ACTION\n$/,
      );
    },
  );

  it("adds a version where it is told to, and else does not take a name from other code", async () => {
    const taken = await piped("return 1;", "--name", "say:text");
    expect(taken).toMatchObject({ code: 1, stdout: "" });
    expect(taken.stderr).toMatch(/^pml: .*say:text.* \[NAME_TAKEN\]\n/);
    const updated = await piped("return 1;", "--name", "say:text", "--update", "--version-tag", "v2.0.0");
    expect(updated).toMatchObject({ code: 0, stdout: "1\n" });
    expect(updated.stderr).toContain("Remembered as say:text, version 2\n");
    expect((await exec("--capability", "say:text@v2")).stdout).toBe("1\n");
  });

  it("reports progress line by line where it is asked to", async () => {
    const code = 'pml.progress(1, 4, "first"); await mcp.healthy.wait({ ms: 50 }); return 1;';
    expect((await piped(code, "--progress")).stderr).toMatch(/^1\/4 \(25 %\) {2}first\n/);
    expect((await piped(code, "--no-cache")).stderr).not.toContain("first");
  });
});

describe("[UX-1] pml exec ends with 1", () => {
  const failed = async (outcome: Promise<Outcome>, code: string) => {
    const { stderr, ...rest } = await outcome;
    expect(rest).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(new RegExp(`\\[${code}\\]\\n`));
    expect(stderr).not.toMatch(/node:internal|dist\//);
    return stderr;
  };

  it("when the code throws, with what it logged before", async () => {
    const stderr = await failed(piped('console.log("here"); throw new Error("the reason");'), "RUN_FAILED");
    expect(stderr).toMatch(/^here\npml: .*the reason/);
  });

  it("when the code is no code, with its place", async () =>
    expect(await failed(piped("const a = 1;\nreturn (;"), "CODE_SYNTAX")).toMatch(/line 2|2:/));

  it("when a tool refuses", async () =>
    expect(await failed(piped("return await mcp.healthy.refuse({});"), "TOOL_FAILED")).toContain("I refuse"));

  it("when it takes too long", async () =>
    expect(await failed(piped("for (;;) {}", "--timeout", "300"), "LIMIT_EXCEEDED")).toContain("300"));

  it("when there is no such capability", async () => {
    await failed(exec("--capability", "say:txt"), "CAPABILITY_NOT_FOUND");
    const { code, stdout } = await exec("--capability", "say:txt", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "error",
      error: { code: "CAPABILITY_NOT_FOUND", message: "Capability not found: say:txt" },
    });
  });

  it("when an argument is wrong", async () =>
    expect(
      await failed(exec("--capability", "say:text@v1", "--arg", "txt=a"), "ARGUMENTS_INVALID"),
    ).toContain("txt"));
});

describe("[EX-6, FP-12, FP-21] approval", () => {
  const strict = place.config({ mcpServers: { healthy: fixture("healthy") } }, "strict/pml.json");
  writeFileSync(
    join(place.directory, "strict/mcp-permissions.yaml"),
    "servers:\n  healthy:\n    tools:\n      echo: { approvalMode: auto }\n      Refuse: { approvalMode: deny }\n",
  );
  afterAll(() => pml(place, ["stop", "--config", strict]));
  const run = (input: string, ...more: string[]) =>
    pml(place, ["exec", "--config", strict, ...more], { input });

  it("is needed for a tool of which nothing is known: exit code 3, and what to do", async () => {
    const { code, stdout, stderr } = await run("return await mcp.healthy.wait({ ms: 1 });");
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toMatch(/^ {2}healthy:wait: .*approvals\.unannotated/m);
    expect(stderr).toMatch(
      /^pml: The run (\S+) waits for approval \[APPROVAL_REQUIRED\]\n {5}`.* approve \1 --config .*` .*`.* exec --resume \1 --config .*`/m,
    );
    const json = await run("return await mcp.healthy.wait({ ms: 1 });", "--json");
    expect(json.code).toBe(3);
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: "approval_required",
      approval: {
        message: expect.stringMatching(
          /^May this code call healthy:wait\? Its purpose, as its sender says: /,
        ),
        tools: [{ tool: "healthy:wait" }],
      },
    });
  });

  it("is asked for in a terminal, and the run continues", async () => {
    const code = file("waits.ts", "return await mcp.healthy.wait({ ms: args.ms });");
    const at = (typed: string, ms: number) =>
      atTerminal(place, ["exec", code, "--arg", `ms=${ms}`, "--config", strict], [["[n]o: ", typed]]);
    const yes = await at("y\n", 1);
    expect(yes.shown).toMatch(
      /Tools that need approval:\n +healthy:wait .*\n\nCalls.*\n! +n1 +healthy:wait +\{"ms":1\}/,
    );
    expect(yes.shown).toMatch(/Approve\? .*\[n\]o: y\s+Approved, this once: \S+\n/);
    expect(yes.shown).toContain("waited");
    expect(yes.shown).not.toMatch(/agent calls|continues/);
    expect(yes.code).toBe(0);
    const no = await at("n\n", 2);
    expect(no.shown).toContain("[APPROVAL_REJECTED]");
    expect(no.code).toBe(1);
    const nothing = await at("\n", 3);
    expect(nothing.shown).toContain("[APPROVAL_REQUIRED]");
    expect(nothing.code).toBe(3);
    expect((await at("always\n", 4)).shown).toContain("always: healthy:wait");
    expect(await run("return await mcp.healthy.wait({ ms: 5 });")).toMatchObject({ code: 0 });
    expect(await pml(place, ["approve", "--revoke", "healthy:wait", "--config", strict])).toMatchObject({
      code: 0,
    });
  });

  it("is not needed where the file says so", async () =>
    expect(await run('return await mcp.healthy.echo({ text: "x" });')).toMatchObject({
      code: 0,
      stdout: '"x"\n',
    }));

  it("is out of the question where the file says so, however it is spelled, for a client's own call too", async () => {
    const { code, stderr } = await run("return await mcp.healthy.refuse({});");
    expect(code).toBe(1);
    expect(stderr).toMatch(/mcp-permissions\.yaml says deny for healthy:refuse.* \[TOOL_DENIED\]/);
    const own = await pml(place, ["tools", "call", "healthy:refuse", "--config", strict]);
    expect(own).toMatchObject({ code: 1, stderr: expect.stringContaining("[TOOL_DENIED]") });
    expect(await pml(place, ["tools", "call", "healthy:wait", '{"ms":1}', "--config", strict])).toMatchObject(
      {
        code: 0,
        stdout: "waited 1\n",
      },
    );
  });

  it("follows no file that is wrong", async () => {
    const wrong = place.config({ mcpServers: {} }, "wrong/pml.json");
    const rules = join(place.directory, "wrong/mcp-permissions.yaml");
    writeFileSync(rules, "defaults:\n  approvalMode: ask\n");
    const { code, stderr } = await pml(place, ["exec", "--config", wrong], { input: "return 1;" });
    expect(code).toBe(1);
    expect(stderr).toBe(
      `pml: Cannot use the permissions "${rules}": expected auto, hil or deny, found "ask" at defaults.approvalMode (line 2) [CONFIG_INVALID]\n`,
    );
  });
});

describe("[UX-1, EX-2] a run that does not come to its end", () => {
  const real = newPlace({ isProcess: true });
  const started = real.config({
    mcpServers: { healthy: fixture("healthy") },
    approvals: { unannotated: "auto" },
  });
  afterAll(() => pml(real, ["stop", "--config", started]));

  /** `pml exec` of code that has started and waits. */
  async function waiting() {
    const code = 'pml.progress(1, 2, "started"); await mcp.healthy.wait({ ms: 25_000 }); return 1;';
    writeFileSync(join(real.directory, "wait.ts"), code);
    const child = spawn(
      process.execPath,
      [join(ROOT, "dist/cli/main.js"), "exec", "wait.ts", "--progress", "--config", started],
      { cwd: real.directory, env: real.env, stdio: ["ignore", "pipe", "pipe"] },
    );
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    const ended = new Promise<readonly unknown[]>((resolve) =>
      child.once("close", (code, signal) => resolve([code, signal, stderr])),
    );
    await until("the run has started", () => stderr.includes("started"));
    return { child, ended };
  }

  it("is cancelled with Ctrl-C: 130", async () => {
    const { child, ended } = await waiting();
    child.kill("SIGINT");
    expect(await ended).toEqual([130, null, expect.stringMatching(/\npml: Cancelled \[RUN_CANCELLED\]\n$/)]);
    expect(await pml(real, ["exec", "--config", started], { input: "return 1;" })).toMatchObject({
      code: 0,
      stdout: "1\n",
    });
  });

  it("fails when the gateway has died: 1", async () => {
    const { ended } = await waiting();
    const pid = ownerOf(dataDirOf(real, started))?.pid;
    if (pid === undefined) throw new Error("No gateway runs");
    process.kill(pid, "SIGKILL");
    expect(await ended).toEqual([
      1,
      null,
      expect.stringMatching(
        /\npml: The gateway ended before it answered \[GATEWAY_UNREACHABLE\]\n {5}Its log is /,
      ),
    ]);
  });
});
