/** A PIN that a person sets, and what can be decided with and without it. */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openGatewayClient } from "../../src/app/gateway-client.js";
import { readSettings } from "../../src/app/settings.js";
import { fixture, newPlace, type Outcome, pml, serve, startServe } from "../faults/support/pml.js";
import { atTerminal, type Turn } from "../faults/support/terminal.js";

const PIN = "grey otter 7";
const OTHER = "brown heron 8";
const CODE = "return await mcp.healthy.echo({ text: args.text })";
const COMMAND_MS = 120_000;

const place = newPlace();
const keyDir = join(place.env.XDG_DATA_HOME ?? "", "pml/keys");
const pinFile = join(keyDir, "pin.json");

/** One of several gateways of the same user. */
function installation(name: string, approvals: object) {
  const config = place.config(
    { mcpServers: { healthy: fixture("healthy") }, scope: { user: "tester" }, approvals },
    `${name}/pml.json`,
  );
  const run = (...args: string[]): Promise<Outcome> => pml(place, [...args, "--config", config]);
  return {
    config,
    run,
    at: (turns: readonly Turn[], ...args: string[]) =>
      atTerminal(place, [...args, "--config", config], turns),
    async waits(text: string): Promise<string> {
      const agent = await serve(place, ["--config", config]);
      const { text: said } = await agent.call("pml_execute", { intent: "see", code: CODE, args: { text } });
      await agent.close();
      const { status, workflowId } = JSON.parse(said) as { status: string; workflowId: string };
      expect(status).toBe("approval_required");
      return workflowId;
    },
    /** Another program of the same user, which can send any message to the gateway. */
    async decides(person: { readonly terminal: boolean; readonly pin?: string }, workflowId: string) {
      const { client, close } = await openGatewayClient(readSettings({ config }, place.env), true);
      try {
        const input = { workflow_id: workflowId, decision: "once" };
        const { structuredContent } = await client.callTool("pml:approve", input, { person });
        const { error } = structuredContent as { error?: { code: string } };
        return error?.code ?? "decided";
      } finally {
        await close();
      }
    },
    stop: () => run("stop"),
  };
}

const pinAt = (turns: readonly Turn[], ...args: string[]) => atTerminal(place, ["pin", ...args], turns);
/** A terminal of the system's, which would show what is typed. */
const realTerminal = { ...place, isProcess: true };
const status = async () => (await pml(place, ["pin", "status"])).stdout;

/** Every file below, the store and the logs too. */
function filesBelow(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

describe("[TB-7] a PIN", () => {
  const plain = installation("plain", {});
  const wanting = installation("wanting", { pin: true, scripted: true });
  const scripted = installation("scripted", { pin: false, scripted: true });
  afterAll(async () => {
    for (const one of [plain, wanting, scripted]) await one.stop();
  });

  it("is not set at first; a configuration that wants one allows no decision", async () => {
    expect(await status()).toBe(`No PIN is set: ${pinFile}\n`);
    const id = await wanting.waits("wanted");
    for (const { code, text } of [
      await wanting.run("approve", id).then(({ code, stderr }) => ({ code, text: stderr })),
      await wanting.at([["[n]o: ", "o\n"]], "approve", id).then(({ code, shown }) => ({ code, text: shown })),
    ]) {
      expect(code).toBe(1);
      expect(text).toContain("NOT_ALLOWED");
      expect(text).toContain("Set one with `pml pin set`.");
    }
  });

  it("is typed at a terminal, and nowhere else", async () => {
    for (const action of ["set", "remove"])
      expect(await pml(place, ["pin", action], { input: `${PIN}\n${PIN}\n` })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining("NOT_ALLOWED"),
      });
    const { code, stdout, stderr } = await pml(place, ["pin", "set", PIN]);
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain(PIN);
    expect(existsSync(pinFile)).toBe(false);
  });

  it.each([
    ["two different ones", PIN, OTHER, "the two are not the same"],
    ["too short a one", "123", "123", "expected 4 to 64 characters"],
  ])("is not set from %s", async (_, first, again, why) => {
    const { code, shown } = await pinAt(
      [
        ["New PIN: ", `${first}\r`],
        ["New PIN again: ", `${again}\r`],
      ],
      "set",
    );
    expect({ code, why: shown.includes(why), set: existsSync(pinFile) }).toEqual({
      code: 1,
      why: true,
      set: false,
    });
  });

  it(
    "is set, not shown, and counts for gateways that run already",
    async () => {
      const id = await scripted.waits("before");
      const { code, shown } = await atTerminal(
        realTerminal,
        ["pin", "set"],
        [
          ["New PIN: ", `${PIN}\r`],
          ["New PIN again: ", `${PIN}\r`],
        ],
      );
      expect(code).toBe(0);
      expect(shown).toContain("A PIN is set");
      expect(shown).not.toContain(PIN);
      expect(statSync(pinFile).mode & 0o777).toBe(0o600);
      const refused = await scripted.run("approve", id);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("NOT_ALLOWED") });
      expect(refused.stderr).toContain("approvals.scripted is ignored");
    },
    COMMAND_MS,
  );

  it(
    "is asked for an approval, after the question",
    async () => {
      const id = await plain.waits("asked");
      const wrong = await plain.at(
        [
          ["[n]o: ", "o\n"],
          ["PIN: ", `${OTHER}\r`],
        ],
        "approve",
        id,
      );
      expect(wrong).toMatchObject({ code: 1, shown: expect.stringContaining("PIN_WRONG") });
      const left = await plain.at(
        [
          ["[n]o: ", "o\n"],
          ["PIN: ", "\u0003"],
        ],
        "approve",
        id,
      );
      expect(left).toMatchObject({ code: 1, shown: expect.stringContaining("No PIN was given") });
      const right = await atTerminal(
        realTerminal,
        ["approve", id, "--config", plain.config],
        [
          ["[n]o: ", "o\n"],
          ["PIN: ", `${PIN}\r`],
        ],
      );
      expect(right).toMatchObject({ code: 0, shown: expect.stringContaining(`Approved, this once: ${id}`) });
      for (const { shown } of [wrong, left, right])
        for (const pin of [PIN, OTHER]) expect(shown).not.toContain(pin);
    },
    COMMAND_MS,
  );

  it(
    "is asked for every other decision",
    async () => {
      await pml(place, ["exec", "--name", "num:seven", "--config", plain.config], { input: "return 7;" });
      const exported = join(place.directory, "export.jsonl");
      await plain.run("export", "--output", exported);
      const key = Buffer.alloc(32, 7).toString("base64");
      const decisions = [
        ["cap", "verify", "num:seven"],
        ["cap", "rename", "num:seven", "--cache-policy", "persistent"],
        ["key", "trust", key, "--name", "afar"],
        ["import", exported, "--yes"],
      ];
      for (const args of decisions) {
        expect(await plain.run(...args), args.join(" ")).toMatchObject({
          code: 1,
          stderr: expect.stringContaining("NOT_ALLOWED"),
        });
        const { code, shown } = await plain.at([["PIN: ", `${PIN}\r`]], ...args);
        expect({ code, shown: shown.includes("PIN: ") }, `${args.join(" ")}: ${shown}`).toEqual({
          code: 0,
          shown: true,
        });
      }
      // What only takes something back, or reads, is no decision.
      for (const args of [
        ["key", "untrust", "afar"],
        ["key", "list"],
        ["approve", "--list"],
        ["import", exported, "--dry-run"],
        ["cap", "rename", "num:seven", "--cache-policy", "none"],
      ])
        expect(await plain.run(...args), args.join(" ")).toMatchObject({ code: 0 });
    },
    COMMAND_MS,
  );

  it("keeps a client's user from being asked: the client is told the command", async () => {
    const agent = startServe(place, ["--config", plain.config]);
    const clientInfo = { name: "test", version: "1.0.0" };
    const capabilities = { elicitation: {} };
    await agent.ask("initialize", { protocolVersion: "2025-06-18", capabilities, clientInfo });
    agent.raw(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    const { text } = await agent.call("pml_execute", {
      intent: "see",
      code: CODE,
      args: { text: "unasked" },
    });
    expect(JSON.parse(text)).toMatchObject({
      status: "approval_required",
      approval: { next: expect.stringMatching(/main\.js approve \S+ --config /) },
    });
    expect(agent.others.filter(({ method }) => method === "elicitation/create")).toEqual([]);
    await agent.close();
  });

  it("is not got around by a program that talks to the gateway itself", async () => {
    const id = await plain.waits("raw");
    expect(await plain.decides({ terminal: true }, id)).toBe("PIN_REQUIRED");
    expect(await plain.decides({ terminal: false, pin: PIN }, id)).toBe("NOT_ALLOWED");
    expect(await plain.decides({ terminal: true, pin: OTHER }, id)).toBe("PIN_WRONG");
    expect(await plain.decides({ terminal: true, pin: PIN }, id)).toBe("decided");
  });

  it("is not read from a file that others may have written: no decision is possible", async () => {
    const id = await plain.waits("open file");
    chmodSync(pinFile, 0o644);
    const { code, shown } = await plain.at([["[n]o: ", "o\n"]], "approve", id);
    expect(code).toBe(1);
    expect(shown).toContain("other users may read or write it (mode 0644, expected 0600) [CONFIG_INVALID]");
    chmodSync(pinFile, 0o600);
  });

  it(
    "is changed and removed by who knows it",
    async () => {
      const wrong = await pinAt([["PIN: ", `${OTHER}\r`]], "remove");
      expect(wrong).toMatchObject({ code: 1, shown: expect.stringContaining("PIN_WRONG") });
      const changed = await pinAt(
        [
          ["PIN: ", `${PIN}\r`],
          ["New PIN: ", `${OTHER}\r`],
          ["New PIN again: ", `${OTHER}\r`],
        ],
        "set",
      );
      expect(changed.code).toBe(0);
      expect((await pinAt([["PIN: ", `${PIN}\r`]], "remove")).code).toBe(1);
      expect(await pinAt([["PIN: ", `${OTHER}\r`]], "remove")).toMatchObject({
        code: 0,
        shown: expect.stringContaining("No PIN is set"),
      });
      const id = await scripted.waits("after");
      expect(await scripted.run("approve", id)).toMatchObject({ code: 0 });
    },
    COMMAND_MS,
  );

  it("is in no file, no log and no trace", () => {
    const files = filesBelow(place.directory);
    expect(files.some((file) => file.endsWith(".log"))).toBe(true);
    const holding = files.filter((file) => {
      const content = readFileSync(file);
      return [PIN, OTHER].some((pin) => content.includes(pin));
    });
    expect(holding).toEqual([]);
  });

  it(
    "is guessed five times, by whatever program, and a restart forgets none",
    async () => {
      await pinAt(
        [
          ["New PIN: ", `${PIN}\r`],
          ["New PIN again: ", `${PIN}\r`],
        ],
        "set",
      );
      const id = await plain.waits("guessed");
      for (const guess of ["0000", "0001"])
        expect(await plain.decides({ terminal: true, pin: guess }, id)).toBe("PIN_WRONG");
      await plain.stop();
      await plain.run("approve", "--list");
      expect(await plain.decides({ terminal: true, pin: "0002" }, id)).toBe("PIN_WRONG");
      expect(await scripted.decides({ terminal: true, pin: "0003" }, id)).toBe("PIN_WRONG");
      expect((await pinAt([["PIN: ", "0004\r"]], "remove")).shown).toContain("PIN_WRONG");
      for (const one of [plain, scripted])
        expect(await one.decides({ terminal: true, pin: PIN }, id)).toBe("PIN_LOCKED");
      expect((await pinAt([["PIN: ", `${PIN}\r`]], "remove")).shown).toContain("PIN_LOCKED");
      expect(readdirSync(join(keyDir, "pin-attempts"))).toHaveLength(5);
    },
    COMMAND_MS,
  );
});

it("[TB-7] a bad file in the place of the PIN is told by pml pin status", async () => {
  writeFileSync(pinFile, "{", { mode: 0o600 });
  const { code, stderr } = await pml(place, ["pin", "status"]);
  expect(code).toBe(1);
  expect(stderr).toContain("it is not JSON [CONFIG_INVALID]");
});
