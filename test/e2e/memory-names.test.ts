/** Every way to say which capability is meant, and what there is without a name. */
import { beforeAll, describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { type Answer, ask, execute, lookUp, succeeds, wireNames } from "../support/agent.js";
import { useClient, useGateway } from "../support/test-gateway.js";

describe("a capability", () => {
  const gateway = useGateway("http", { mcpServers: {} });
  const client = useClient(gateway, "v2-2025");
  let named: Answer;
  let unnamed: Answer;

  beforeAll(async () => {
    unnamed = await succeeds(client(), { code: "return { unnamed: args.x ?? 1 };" });
    named = await succeeds(client(), { code: "return { named: args.x ?? 1 };", name: "Say:myName" });
  });

  /** Of an answer: what its name, FQDN and id are written like. */
  function forms({ capabilityName = "", capabilityFqdn = "", capabilityId = "" }: Answer): readonly string[] {
    const label = capabilityFqdn.slice(0, capabilityFqdn.lastIndexOf("."));
    const names = [
      capabilityName,
      `cap:${capabilityName}`,
      `local.default:${capabilityName}`,
      capabilityFqdn,
      label,
      capabilityId,
      capabilityId.toUpperCase(),
    ];
    return names.flatMap((name) => [name, `${name}@v1`]);
  }

  it("[FP-4] gets the name that its code gives it with pml.hint, where nothing else has it", async () => {
    const hinting = (name: string, result: number) => ({
      code: `pml.hint({ name: ${JSON.stringify(name)} });\nreturn ${result};`,
    });
    expect(await succeeds(client(), hinting("hint:first", 1))).toMatchObject({
      capabilityName: "hint:first",
    });
    expect(await wireNames(client())).toContain("mcp__hint__first");
    for (const [name, why] of [
      ["hint:First", "The name from pml.hint was not used: Capability name 'hint:First' already exists"],
      ["not a name", "The name from pml.hint was not used: Invalid capability name"],
    ] as const) {
      const { capabilityName, warnings } = await succeeds(client(), hinting(name, name.length));
      expect(capabilityName).toMatch(/^unnamed_/);
      expect(warnings).toEqual([expect.stringContaining(why)]);
    }
    // What the request says comes first.
    const asked = await succeeds(client(), { ...hinting("hint:other", 3), name: "hint:asked" });
    expect(asked.capabilityName).toBe("hint:asked");
  });

  it("[ID-4] without a name is called by its hash, in a namespace of its own kind", () => {
    expect(unnamed.capabilityName).toMatch(/^unnamed_[0-9a-f]{8}$/);
    const digits = unnamed.capabilityName?.slice(-8);
    expect(unnamed.capabilityFqdn).toMatch(
      new RegExp(`^local\\.default\\.[a-z]+\\.exec_${digits}\\.${digits?.slice(0, 4)}$`),
    );
  });

  it("[ID-4, FP-17] without a name runs by name, id and FQDN", async () => {
    for (const form of forms(unnamed)) {
      expect((await execute(client(), { capability: form })).result, form).toEqual({ unnamed: 1 });
      expect(await ask(client(), form, { x: 2 }), form).toEqual({ unnamed: 2 });
      expect((await lookUp(client(), form)).id, form).toBe(unnamed.capabilityId);
    }
  });

  it("[ID-6, FP-17] with a name runs by name however it is spelled, by scope, FQDN and id", async () => {
    const spelled = ["say:my_name", "SAY:MY-NAME", "cap:say:myName", "local.default:say:MyName@latest"];
    for (const form of [...forms(named), ...spelled]) {
      expect((await execute(client(), { capability: form })).result, form).toEqual({ named: 1 });
      expect(await ask(client(), form, { x: 2 }), form).toEqual({ named: 2 });
      expect((await lookUp(client(), form)).id, form).toBe(named.capabilityId);
    }
  });

  it("[ID-6, AN-2] is called by code in all of these forms", async () => {
    const [id, fqdn, name] = [named.capabilityId, named.capabilityFqdn, unnamed.capabilityName];
    for (const callee of [
      "mcp.say.my_name",
      'mcp["say:myName"]',
      "capabilities.say.myName",
      'capabilities["local.default:Say:myName"]',
      `mcp[${JSON.stringify(fqdn)}]`,
      `mcp[${JSON.stringify(id)}]`,
    ]) {
      const { result } = await succeeds(client(), { code: `return (await ${callee}({ x: 3 })).named;` });
      expect(result, callee).toBe(3);
    }
    for (const callee of [`capabilities.${name}`, `mcp.${name}`])
      expect(
        (await succeeds(client(), { code: `return await ${callee}({ x: 4 });` })).result,
        callee,
      ).toEqual({ unnamed: 4 });
  });

  it("[TB-6, TB-9] keeps no character that no screen shows in its intent, description, tags and summaries", async () => {
    const hide = (text: string) => `${text}\u200b\u{e0041}\u202e`;
    const saved = await ask(client(), "cap_save", {
      intent: hide("say more"),
      name: "say:more",
      code: "return 'more';",
      change_summary: hide("the first"),
    });
    await ask(client(), "cap_rename", {
      name: "say:more",
      description: hide("says more"),
      tags: [hide("talk"), "\u200b"],
    });
    expect(await ask(client(), "cap_whois", { name: saved.fqdn })).toMatchObject({
      intent: "say more",
      description: "says more",
      tags: ["talk"],
    });
    expect(JSON.stringify(await ask(client(), "cap_history", { name: "say:more" }))).toContain('"the first"');
  });

  it("[ID-4] without a name is in cap_list, by its id, and in no list of tools", async () => {
    const { capabilities } = (await ask(client(), "cap_list", { unnamed_only: true, limit: 500 })) as {
      capabilities: readonly { id: string; name: string }[];
    };
    expect(capabilities).toContainEqual(
      expect.objectContaining({ id: unnamed.capabilityId, name: unnamed.capabilityName }),
    );
    const names = await wireNames(client());
    expect(names.filter((name) => /unnamed|exec_/.test(name))).toEqual([]);
    expect(names).toContain("mcp__Say__myName");
  });

  it("[ID-4] without a name warns from its fifth use on", async () => {
    const { capabilityName: capability = "" } = await succeeds(client(), { code: "return 'often';" });
    const run = () => execute(client(), { capability });
    for (let use = 2; use <= 4; use += 1) expect((await run()).warnings).toBeUndefined();
    expect((await run()).warnings).toBeUndefined();
    // Counters may lag.
    await until("five uses are counted", async () => (await lookUp(client(), capability)).usage_count === 5);
    const warning = expect.stringMatching(new RegExp(`^${capability} was used \\d times and has no name`));
    expect((await run()).warnings).toEqual([warning]);
    expect((await execute(client(), { code: "return 'often';" })).warnings).toEqual([warning]);
    const asTool = await client().call(capability, {});
    expect(asTool._meta?.["pml/run"]).toMatchObject({ warnings: [warning] });
    await ask(client(), "cap_rename", { name: capability, new_name: "often:used" });
    expect((await execute(client(), { capability: "often:used" })).warnings).toBeUndefined();
  });
});
