/** A person decides with `pml approve` about what an agent wants to run. */
import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import {
  dataDirOf,
  fixture,
  newPlace,
  type Outcome,
  ownerPid,
  pml,
  ROOT,
  type ServeClient,
  serve,
  until,
} from "../faults/support/pml.js";
import { atTerminal } from "../faults/support/terminal.js";

interface Told {
  readonly status: string;
  readonly workflowId: string;
  readonly result?: unknown;
  readonly warnings?: readonly string[];
  readonly error?: { readonly code: string; readonly message: string };
}

interface Listed {
  readonly scripted: boolean;
  readonly waiting: readonly { readonly workflowId: string; readonly askedBy: string }[];
  readonly standing: readonly { readonly tool: string; readonly approvedBy: string }[];
}

/** A gateway that was killed, and another one that starts. */
const KILLED_MS = 90_000;
const CODE = "return await mcp.healthy.echo({ text: args.text })";

/** A gateway with an agent at it, and a person beside. */
function installation(config: object, surroundings: Parameters<typeof newPlace>[0] = {}) {
  const place = newPlace(surroundings);
  const file = place.config({
    mcpServers: { healthy: fixture("healthy") },
    scope: { user: "tester" },
    ...config,
  });
  let agent: ServeClient | undefined;
  const run = (...args: string[]): Promise<Outcome> => pml(place, [...args, "--config", file]);
  const execute = async (input: object): Promise<Told> => {
    agent ??= await serve(place, ["--config", file]);
    return JSON.parse((await agent.call("pml_execute", { intent: "see", ...input })).text) as Told;
  };
  return {
    place,
    run,
    execute,
    dataDir: dataDirOf(place, file),
    approve: (...args: string[]) => run("approve", ...args),
    resume: (resume: string) => execute({ resume }),
    /** Of a run that waits. */
    async waits(text: string): Promise<string> {
      const { status, workflowId } = await execute({ code: CODE, args: { text } });
      expect(status).toBe("approval_required");
      return workflowId;
    },
    async listed(): Promise<Listed> {
      return JSON.parse((await run("approve", "--list", "--json")).stdout) as Listed;
    },
    /** The command at a terminal, where a person types once the question is there. */
    atTerminal: (typed: string, ...args: string[]) =>
      atTerminal(place, ["approve", ...args, "--config", file], [["[n]o: ", typed]]),
    agentCalls: (name: string, args: object) => agent?.call(name, args),
    forgetAgent: () => {
      agent = undefined;
    },
    stop: () => run("stop"),
  };
}

describe("[EX-6, UX-1] pml approve, for a person", () => {
  const here = installation({});
  afterAll(here.stop);

  it("says that nothing waits", async () => {
    expect(await here.approve("--list")).toEqual({
      code: 0,
      stdout: "Nothing waits for approval\n",
      stderr: "",
    });
  });

  it("wants a terminal, and decides nothing without", async () => {
    const id = await here.waits("no terminal");
    for (const args of [[id], [id, "--always"], [id, "--done"], [id, "--repeat"]]) {
      const { code, stdout, stderr } = await here.approve(...args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toContain(
        "pml: Only a person at a terminal can decide this, and there is no terminal [NOT_ALLOWED]\n",
      );
      expect(stderr).toContain("Run the command in a terminal.");
      expect(stderr).toContain("set approvals.scripted to true");
    }
    expect((await here.resume(id)).status).toBe("approval_required");
  });

  it("[TB-7] says no without a terminal, too", async () => {
    const id = await here.waits("no script");
    expect(await here.approve(id, "--reject")).toMatchObject({ code: 0, stdout: `Rejected: ${id}\n` });
    expect((await here.resume(id)).error).toMatchObject({ code: "APPROVAL_REJECTED" });
  });

  it("shows what is asked, and approves once what the person agrees to", async () => {
    const id = await here.waits("with a terminal");
    const { code, shown } = await here.atTerminal("o\n", id);
    expect(shown).toContain("asked by tester@local");
    expect(shown).toContain(CODE);
    expect(shown).toContain('Arguments: {"text":"with a terminal"}');
    expect(shown).toMatch(/^! +\S+ +healthy:echo +\{"text":"with a terminal"\}/m);
    expect(shown).toContain(`Approved, this once: ${id}`);
    expect(code).toBe(0);
    expect(await here.resume(id)).toMatchObject({ status: "success", result: "with a terminal" });
  });

  it("takes no for an answer", async () => {
    const id = await here.waits("no");
    const { code, shown } = await here.atTerminal("no\n", id);
    expect({ code, rejected: shown.includes(`Rejected: ${id}`) }).toEqual({ code: 0, rejected: true });
    expect((await here.resume(id)).error).toMatchObject({ code: "APPROVAL_REJECTED" });
  });

  it("decides nothing where the person says nothing", async () => {
    const id = await here.waits("nothing");
    const { code, shown } = await here.atTerminal("\n", id);
    expect(shown).toContain("Nothing was decided; the run still waits.");
    expect(code).toBe(1);
    expect((await here.resume(id)).status).toBe("approval_required");
  });

  it("knows the beginning of an id, at a terminal as well as in a list", async () => {
    const id = await here.waits("beginning");
    const { stdout } = await here.approve("--list", id.slice(0, 13));
    expect(stdout).toMatch(new RegExp(`^${id}  run\n`));
    expect((await here.atTerminal("once\n", id.slice(0, 13))).shown).toContain(`Approved, this once: ${id}`);
  });

  it("is nothing that an agent can call", async () => {
    const id = await here.waits("by itself");
    for (const name of ["pml:approve", "pml_approve", "pml:approvals"])
      expect(
        await here.agentCalls(name, { workflow_id: id, decision: "once", terminal: true }),
      ).toMatchObject({ isError: true, code: "TOOL_NOT_FOUND" });
  });
});

describe("[EX-6] the command of a hint, pasted into a shell elsewhere", () => {
  const place = newPlace();
  const approvals = { scripted: true };
  const file = place.config(
    { mcpServers: { healthy: fixture("healthy") }, approvals },
    "it's $HOME; a `project`/pml.json",
  );
  const dataDir = join(place.directory, "data with spaces");
  const paste = async (command: string) =>
    (await promisify(execFile)("sh", ["-c", command], { cwd: "/", env: place.env })).stdout;
  const commandsOf = (text: string) =>
    Array.from(text.matchAll(/`(.*?--config.*?)`(?= [(sh]|\.)/gs), ([, one = ""]) => one);

  it.each([
    ["as it is", []],
    ["with a data directory", ["--data-dir", dataDir]],
    ["with another scope", ["--scope", "acme/web/ada"]],
  ])(
    "decides: %s",
    async (_, more) => {
      const agent = await serve(place, ["--config", file, ...more]);
      const execute = async (input: object) =>
        JSON.parse((await agent.call("pml_execute", { intent: "see", ...input })).text) as Told & {
          readonly approval: { readonly next: string };
        };
      const { workflowId, approval } = await execute({ code: CODE, args: { text: "pasted" } });
      const [command = ""] = commandsOf(approval.next);
      expect(await paste(command)).toContain(`Approved, this once: ${workflowId}`);
      expect(await execute({ resume: workflowId })).toMatchObject({ status: "success", result: "pasted" });
      await agent.close();
      // A script gets the same commands from pml exec.
      const exec = await pml(place, ["exec", "-", "--config", file, ...more], {
        input: 'return await mcp.healthy.echo({ text: "exec" });',
      });
      expect(exec.code).toBe(3);
      const [approve = "", resume = ""] = commandsOf(exec.stderr);
      expect(await paste(approve)).toContain("Approved, this once");
      expect(await paste(resume)).toBe('"exec"\n');
      expect(await pml(place, ["stop", "--config", file, ...more])).toMatchObject({ code: 0 });
    },
    KILLED_MS,
  );
});

describe("[EX-6, FP-12] pml approve, where scripts may", () => {
  const here = installation({ approvals: { scripted: true } });
  afterAll(here.stop);

  it("approves once: that run, and not the next one", async () => {
    const id = await here.waits("once");
    const { code, stdout } = await here.approve(id);
    expect(code).toBe(0);
    expect(stdout).toContain(
      `Approved, this once: ${id}\nTo continue it, tell the agent to resume the run ${id}.\n`,
    );
    expect(await here.resume(id)).toMatchObject({ status: "success", result: "once" });
    const again = await here.approve(id, "--json");
    expect(again.code).toBe(1);
    expect(JSON.parse(again.stdout)).toMatchObject({ error: { code: "RUN_ENDED" } });
    expect(await here.waits("once")).not.toBe(id);
  });

  it("lists what waits, with who asked", async () => {
    const id = await here.waits("listed");
    const { scripted, waiting } = await here.listed();
    expect(scripted).toBe(true);
    expect(waiting).toContainEqual(expect.objectContaining({ workflowId: id, askedBy: "tester@local" }));
    const { stdout } = await here.approve("--list");
    expect(stdout).toContain(`${id}  run\n`);
    expect(stdout).toContain("  tools: healthy:echo\n");
    const one = JSON.parse((await here.approve("--list", id, "--json")).stdout) as object;
    expect(one).toMatchObject({ workflowId: id, code: CODE, args: { text: "listed" }, done: [] });
  });

  it("rejects", async () => {
    const id = await here.waits("rejected");
    expect(await here.approve(id, "--reject")).toMatchObject({ code: 0, stdout: `Rejected: ${id}\n` });
    expect((await here.resume(id)).error).toMatchObject({ code: "APPROVAL_REJECTED" });
    expect(await here.approve(id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("[APPROVAL_REJECTED]"),
    });
  });

  it("approves for good, until that is revoked", async () => {
    const id = await here.waits("always");
    const { stdout } = await here.approve(id, "--always");
    expect(stdout).toContain(`Approved: ${id}, and always: healthy:echo\n`);
    expect(await here.execute({ code: CODE, args: { text: "unasked" } })).toMatchObject({
      status: "success",
      result: "unasked",
    });
    expect((await here.listed()).standing).toMatchObject([
      { tool: "healthy:echo", approvedBy: "tester@local" },
    ]);
    expect((await here.approve("--list")).stdout).toContain(
      "Always approved:\n  healthy:echo  by tester@local",
    );
    expect(await here.approve("--revoke", "healthy:echo")).toMatchObject({
      code: 0,
      stdout: "No longer always approved: healthy:echo\n",
    });
    await here.waits("asked again");
    expect(await here.approve("--revoke", "healthy:echo")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("[TOOL_NOT_FOUND]"),
    });
  });

  it("knows no run that is not there, or is another project's", async () => {
    const id = await here.waits("here");
    for (const args of [["4f2c4f2c"], [id, "--scope", "local/other"], ["--list", "nowhere"]])
      expect(await here.approve(...args)).toMatchObject({
        code: 1,
        stdout: "",
        stderr: expect.stringContaining("[RUN_NOT_FOUND]"),
      });
  });

  it("does not guess which of several runs is meant", async () => {
    // Ids are hexadecimal: of seventeen, two begin alike.
    const ids: string[] = [];
    for (let index = 0; index < 17; index += 1) ids.push(await here.waits(`many ${index}`));
    const first = ids.map(([sign = ""]) => sign).find((sign, index, all) => all.indexOf(sign) !== index);
    const { code, stderr } = await here.approve(first ?? "");
    expect(code).toBe(1);
    expect(stderr).toContain(` runs begin with ${first} [ARGUMENTS_INVALID]`);
    expect(stderr).toContain("Write more of it: ");
  });

  it("does not take done or repeat where nothing is in doubt", async () => {
    const id = await here.waits("sure");
    for (const flag of ["--done", "--repeat"])
      expect(await here.approve(id, flag)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("No call is in doubt: approve the run once or always, or reject it"),
      });
  });

  it.each([
    [[], "The run is missing: expected ID or --last; pml approve --list shows waiting runs"],
    [["a", "b"], 'Unexpected argument "b"'],
    [["a", "--always", "--reject"], "Expected one of them, found --always and --reject"],
    [["a", "--list", "--revoke", "x:y"], "Expected one of them, found --list and --revoke"],
    [["a", "--revoke", "x:y"], 'Unexpected argument "a"'],
    [["a", "--task", "n1"], "--task needs --done or --repeat"],
    [["a", "--repeat", "--result", "1"], "--result needs --done"],
    [["a", "--done", "--result", "{oops"], "--result is not JSON"],
  ])("[UX-1] wrong usage ends with 2: %j", async (args, text) => {
    const { code, stdout, stderr } = await here.approve(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(text);
    expect(stderr).toContain("Run `pml approve --help`.");
  });
});

describe("[EX-8] pml approve, too late", () => {
  const here = installation({ approvals: { scripted: true, expiresSeconds: 1 } });
  afterAll(here.stop);

  it("says that the run has expired", async () => {
    const id = await here.waits("late");
    await until("nothing waits", async () => (await here.listed()).waiting.length === 0);
    expect(await here.approve(id)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("[APPROVAL_EXPIRED]"),
    });
    expect((await here.resume(id)).error).toMatchObject({ code: "APPROVAL_EXPIRED" });
  });
});

describe("[EX-8] pml approve, for a call in doubt", () => {
  const mark = `import { existsSync, writeFileSync } from "node:fs";
import { serve, text, tool } from ${JSON.stringify(join(ROOT, "test/faults/servers/raw-rpc.mjs"))};
serve({
  "tools/list": () => ({ tools: [tool("mark")] }),
  "tools/call": ({ arguments: { file } }) => {
    if (existsSync(file)) return text("marked again");
    writeFileSync(file, "");
    return new Promise(() => {});
  },
});
`;
  const place = newPlace();
  const server = join(place.directory, "mark.mjs");
  writeFileSync(server, mark);
  const marker = { command: process.execPath, args: [server] };
  const here = installation({ mcpServers: { marker }, approvals: { scripted: true } }, { isProcess: true });
  afterAll(here.stop);

  /** A run whose gateway was killed when the call was sent. */
  async function doubted(name: string): Promise<string> {
    const file = join(place.directory, name);
    const code = "return await mcp.marker.mark({ file: args.file })";
    const { workflowId } = await here.execute({ code, args: { file } });
    await here.approve(workflowId);
    const lost = here.resume(workflowId).catch(() => undefined);
    await until("the tool is called", () => existsSync(file));
    process.kill(ownerPid(here.dataDir), "SIGKILL");
    here.forgetAgent();
    await lost;
    expect((await here.resume(workflowId)).error).toMatchObject({ code: "CALL_IN_DOUBT" });
    return workflowId;
  }

  it(
    "takes it as done, with the result that the person gives",
    async () => {
      const id = await doubted("done");
      expect(await here.approve(id)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("[ARGUMENTS_INVALID]"),
      });
      const { stdout } = await here.approve(id, "--done", "--result", '{"marked":true}');
      expect(stdout).toContain(`Marked as done: ${id}\n`);
      expect(await here.resume(id)).toMatchObject({ status: "success", result: { marked: true } });
    },
    KILLED_MS,
  );

  it(
    "calls it again",
    async () => {
      const id = await doubted("repeat");
      const { stdout } = await here.approve(id, "--repeat");
      expect(stdout).toContain(`Will be called again: ${id}\n`);
      expect(await here.resume(id)).toMatchObject({ status: "success", result: "marked again" });
    },
    KILLED_MS,
  );
});
