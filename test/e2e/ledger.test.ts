/** The ledger through a real client: which runs save something, and how much. Times are tested where they are added up. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { readOwner } from "../../src/daemon/owner-file.js";
import { tokenCost } from "../../src/gateway/own/token-cost.js";
import { isAlive, until } from "../faults/support/pml.js";
import { ask, counted, errorOf, execute, fails, succeeds } from "../support/agent.js";
import { SCOPES, usePeople } from "../support/people.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

interface Figures {
  readonly runs: number;
  readonly tokens: number;
  readonly tokens_measured: number;
  readonly tokens_estimated: number;
  readonly ms: number;
}

interface SavedInProject extends Figures {
  readonly by_day: readonly (Figures & { readonly day: string })[];
  readonly by_capability: readonly (Figures & { readonly name: string; readonly deleted?: true })[];
  readonly week: Figures & {
    readonly since: string;
    readonly by_capability: readonly { readonly name: string }[];
  };
  readonly measured: readonly string[];
  readonly estimated: readonly string[];
}

const { gateway, of } = usePeople();

async function saved(scope: string = SCOPES.ada): Promise<SavedInProject> {
  return JSON.parse(await gateway().pml("stats", "--json", "--scope", scope)).saved;
}

/** `runs measured+estimated`; `-` where the ledger has nothing of it. */
async function savedBy(name: string): Promise<string> {
  const figures = (await saved()).by_capability.find((one) => one.name === name);
  return figures === undefined ? "-" : text(figures);
}

function text({ runs, tokens_measured, tokens_estimated }: Figures): string {
  return `${runs} ${tokens_measured}+${tokens_estimated}`;
}

/** What one run by name saves of the code. */
function codeOf(code: string, name: string, args: object): number {
  return countTokens(code) - tokenCost(`${name} ${JSON.stringify(args)}`);
}

/** Reads much, and answers little. */
const length = (mark: string) =>
  `const long = await mcp.work.echo({ value: { mark: "${mark}", id: args.id, text: "word ".repeat(1_000) } });
const again = await mcp.work.echo({ value: long.value.text.slice(0, 1_000) });
return { id: args.id, chars: long.value.text.length + again.value.length };`;

/** Results of tools that the answer did not have, as the ledger estimates them. */
function unread(mark: string, id: string): number {
  const value = { mark, id, text: "word ".repeat(1_000) };
  const results = [{ value }, { value: value.text.slice(0, 1_000) }];
  const chars = results.reduce((sum, one) => sum + JSON.stringify(one).length, 0);
  return Math.floor((chars - JSON.stringify({ id, chars: 6_000 }).length) / 5);
}

const FRESH = { no_cache: true };

describe("[LP-6, FP-23] the ledger", () => {
  it("has what a run by name saves, through pml_execute and as a tool, and nothing of the cold run", async () => {
    const ada = of("ada");
    const code = length("by name");
    await succeeds(ada, { code, name: "led:name", args: { id: "cold" } });
    expect(await savedBy("led:name")).toBe("-");
    await succeeds(ada, { capability: "led:name", args: { id: "warm" }, options: FRESH });
    const measured = codeOf(code, "led:name", { id: "warm" });
    const estimated = unread("by name", "warm");
    expect(await savedBy("led:name")).toBe(`1 ${measured}+${estimated}`);
    expect(errorOf(await ada.call("led:name", { id: "tool" }))).toBeUndefined();
    expect(await savedBy("led:name")).toBe(`2 ${2 * measured}+${2 * estimated}`);
  });

  it("has what a run by intent saves", async () => {
    const ada = of("ada");
    const intent = "weigh the words of an identified document";
    const code = length("by intent");
    await succeeds(ada, { intent, code, name: "led:intent", args: { id: "cold" } });
    const answer = await succeeds(ada, { intent, context: { id: "warm" }, options: FRESH });
    expect(answer).toMatchObject({ mode: "speculation", capabilityName: "led:intent" });
    const measured = codeOf(code, "led:intent", { id: "warm" });
    expect(await savedBy("led:intent")).toBe(`1 ${measured}+${unread("by intent", "warm")}`);
  });

  it("has what an answer from a cache saves: the code only where it was not sent", async () => {
    const ada = of("ada");
    const code = length("cached");
    const args = { id: "same" };
    await succeeds(ada, { code, name: "led:cached", args });
    // Otherwise a result of this tool is kept for five seconds, which may be too short on a busy machine.
    await ask(ada, "cap_rename", { name: "led:cached", ttl: 600 });
    expect(await succeeds(ada, { capability: "led:cached", args })).not.toHaveProperty("cacheHit");
    const measured = codeOf(code, "led:cached", args);
    const estimated = unread("cached", "same");
    expect(await savedBy("led:cached")).toBe(`1 ${measured}+${estimated}`);
    expect(await succeeds(ada, { capability: "led:cached", args })).toHaveProperty("cacheHit");
    expect(await savedBy("led:cached")).toBe(`2 ${2 * measured}+${2 * estimated}`);
    expect(await succeeds(ada, { code, args })).toHaveProperty("cacheHit");
    expect(await savedBy("led:cached")).toBe(`3 ${2 * measured}+${3 * estimated}`);
  });

  it("counts what the agent called, and not what that calls", async () => {
    const ada = of("ada");
    await succeeds(ada, { code: length("nested"), name: "led:inner", args: { id: "cold" } });
    const code = `const got = await mcp.led.inner({ id: args.id });\nreturn { id: got.id, chars: got.chars };`;
    await succeeds(ada, { code, name: "led:outer", args: { id: "outer" } });
    expect([await savedBy("led:inner"), await savedBy("led:outer")]).toEqual(["-", "-"]);
    await succeeds(ada, { capability: "led:outer", args: { id: "warm" } });
    const measured = Math.max(0, codeOf(code, "led:outer", { id: "warm" }));
    expect(await savedBy("led:inner")).toBe("-");
    expect(await savedBy("led:outer")).toBe(`1 ${measured}+${unread("nested", "warm")}`);
  });

  it("has nothing of runs that failed, were only looked at, or are not remembered", async () => {
    const ada = of("ada");
    const code = "const f = await mcp.work.read_file({ path: args.path });\nreturn f.content.length;";
    await succeeds(ada, { code, name: "led:read", args: { path: "a.json" } });
    const call = { capability: "led:read", args: { path: "b.json" } };
    await fails(ada, { ...call, args: { path: "missing" } });
    await execute(ada, { ...call, options: { dry_run: true } });
    await succeeds(ada, { ...call, options: { remember: false } });
    expect(await savedBy("led:read")).toBe("-");
    await succeeds(ada, { ...call, options: FRESH });
    expect(await savedBy("led:read")).toMatch(/^1 /);
  });

  it("claims no code where the arguments are longer than it", async () => {
    const ada = of("ada");
    const code = "return args.text.length;";
    await succeeds(ada, { code, name: "led:short", args: { text: "a" } });
    await succeeds(ada, { capability: "led:short", args: { text: "many words ".repeat(500) } });
    expect(await savedBy("led:short")).toBe("1 0+0");
  });

  it("is marked, by day, by capability and by week, and adds up", async () => {
    const all = await saved();
    const sum = (list: readonly Figures[], of: keyof Figures) =>
      list.reduce((part, one) => part + one[of], 0);
    for (const figure of ["runs", "tokens", "tokens_measured", "tokens_estimated", "ms"] as const) {
      expect(sum(all.by_day, figure), figure).toBe(all[figure]);
      expect(sum(all.by_capability, figure), figure).toBe(all[figure]);
      expect(all.week[figure], figure).toBe(all[figure]);
    }
    expect(all.tokens).toBe(all.tokens_measured + all.tokens_estimated);
    expect(all.by_day.map(({ day }) => day).join()).toMatch(/^\d{4}-\d\d-\d\d/);
    expect([all.measured, all.estimated]).toEqual([["runs", "tokens_measured", "ms"], ["tokens_estimated"]]);
    expect(all.week.by_capability).toHaveLength(5);
    const shown = await gateway().pml("stats", "--scope", SCOPES.ada);
    expect(shown).toMatch(
      /^This week: \d+ runs from memory saved about [\d,]+ tokens \([\d,]+ measured, [\d,]+ estimated\) and \d/m,
    );
    expect(shown).toMatch(/^SAVED BY +RUNS +TOKENS +MEASURED +ESTIMATED +TIME\nled:/m);
    expect(await gateway().pml("stats", "--scope", SCOPES.dan)).toContain("Nothing saved yet.");
  });

  it("keeps its sums over a rename and a deletion, and tells agents only of what they see", async () => {
    const [ada, bob] = [of("ada"), of("bob")];
    await succeeds(ada, { code: length("renamed"), name: "led:old", args: { id: "cold" } });
    await succeeds(ada, { capability: "led:old", args: { id: "warm" } });
    const before = await savedBy("led:old");
    await ask(ada, "cap_rename", { name: "led:old", new_name: "led:new", visibility: "private" });
    expect([await savedBy("led:old"), await savedBy("led:new")]).toEqual(["-", before]);
    const whois = await ask(ada, "cap_whois", { name: "led:new" });
    expect(text(whois.saved as Figures)).toBe(before);
    const of_bob = (await saved(SCOPES.bob)).by_capability.map(({ name }) => name);
    expect(of_bob).toContain("led:name");
    expect(of_bob).not.toContain("led:new");
    expect(errorOf(await bob.call("cap_whois", { name: "led:new" }))?.code).toBe("CAPABILITY_NOT_FOUND");
    await ask(ada, "cap_delete", { name: "led:new" });
    expect((await saved()).by_capability.find(({ name }) => name === "led:new")).toMatchObject({
      deleted: true,
    });
  });
});

describe("[LP-6] the ledger of runs that wait", () => {
  const alone = useGateway("http", { mcpServers: { work: fixture("work") }, approvals: { scripted: true } });
  const client = useClient(alone, "v2-2025");
  const runs = async () => JSON.parse(await alone().pml("stats", "--json")).saved.runs as number;

  it("has a run that was approved and continued once, also after it was asked for again and a restart", async () => {
    const code = "await mcp.work.destroy();\nreturn args.id;";
    const resumed = async (input: object) => {
      const { workflowId } = (await execute(client(), { ...input })) as unknown as { workflowId: string };
      await alone().pml("approve", workflowId);
      for (let i = 0; i < 2; i += 1)
        expect(await execute(client(), { resume: workflowId })).toMatchObject({ status: "success" });
    };
    await resumed({ code, name: "led:destroy", args: { id: 1 } });
    expect(await runs()).toBe(0);
    await resumed({ capability: "led:destroy", args: { id: 2 } });
    expect(await runs()).toBe(1);
    await alone().restart();
    expect(await runs()).toBe(1);
  });
});

describe("[LP-6] the ledger of a gateway that is killed", () => {
  const config = { mcpServers: { work: fixture("work") }, approvals: { scripted: true } };
  const alone = useGateway("http", config, { isProcess: true });
  const runs = async () => JSON.parse(await alone().pml("stats", "--json")).saved.runs as number;

  it("has a run once that was killed half-way and continued", async () => {
    const first = await alone().connect("v2-2025");
    const code =
      "await mcp.work.destroy();\nawait mcp.work.slow({ ms: args.ms, id: 'half' });\nreturn args.ms;";
    const approved = async (input: object) => {
      const { workflowId } = (await execute(first, { ...input })) as unknown as { workflowId: string };
      await alone().pml("approve", workflowId);
      return workflowId;
    };
    const cold = await approved({ code, name: "led:half", args: { ms: 1 } });
    await execute(first, { resume: cold });
    const warm = await approved({ capability: "led:half", args: { ms: 3_000 } });
    const lost = execute(first, { resume: warm }).catch(() => undefined);
    await until("it is half-way", async () => (await counted(first, "half")) === 2);
    const pid = readOwner(alone().dataDir)?.pid;
    if (pid === undefined) throw new Error("Nobody owns the data directory");
    process.kill(pid, "SIGKILL");
    await until("the gateway has ended", () => !isAlive(pid));
    await alone().restart();
    expect(await runs()).toBe(0);
    const second = await alone().connect("v2-2025");
    for (let i = 0; i < 2; i += 1)
      expect(await execute(second, { resume: warm })).toMatchObject({ status: "success", result: 3_000 });
    expect(await runs()).toBe(1);
    await Promise.race([lost, first.close()]);
  });
});
