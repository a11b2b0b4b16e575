/** The same code is the same capability, in any style and under any name. */
import { describe, expect, it } from "vitest";
import { until } from "../faults/support/pml.js";
import { ask, counted, execute, fails, lookUp, succeeds, wireNames } from "../support/agent.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

/** One piece of code for each, in many hands. */
const written = (tag: string) => [
  `const file = await mcp.work.read_file({ path: args.path });\nreturn [${tag}, JSON.parse(file.content).n];`,
  `const file=await mcp.work.read_file({path:args.path});return [${tag},JSON.parse(file.content).n]`,
  `// Reads it.\nconst file = await mcp.work.read_file({ path: args.path }); /* parsed */\nreturn [${tag}, JSON.parse(file.content).n];`,
  `type F = { content: string };\nconst file: F = (await mcp.work.read_file({ path: args.path })) as F;\nreturn [${tag}, JSON.parse(file.content!).n as number];`,
  `const other = await mcp.work.read_file({ path: args.path });\nreturn [${tag}, JSON.parse(other.content).n];`,
  `const file = await mcp["work:read_file"]({ "path": args["path"] });\nreturn [${tag}, JSON.parse(file.content).n];`,
  `const { work } = mcp;\nconst file = await work.readFile({ path: args.path });\nreturn [${tag}, JSON.parse(file.content).n];`,
];

describe("the same code again", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");
  const args = { path: "b.json" };
  /** Counters may lag. */
  const used = (id: string, times: number) =>
    until(
      `${times} uses are counted`,
      async () => ((await lookUp(client(), id)).usage_count as number) >= times,
    );

  it("[ID-8] is the same capability in other formatting, comments, types, local names and spellings, and counts", async () => {
    const ids = new Set<string | undefined>();
    for (const code of written("1").slice(0, 6)) {
      const { result, capabilityId, capabilityVersion } = await succeeds(client(), { code, args });
      expect(result).toEqual([1, 2]);
      expect(capabilityVersion).toBe(1);
      ids.add(capabilityId);
    }
    expect(ids.size).toBe(1);
    const [id = ""] = ids;
    await used(id, 6);
    expect(await lookUp(client(), id)).toMatchObject({ version: 1, usage_count: 6, success_rate: 1 });
    expect(await ask(client(), "cap_list")).toMatchObject({ total: 1 });
  });

  it("[ID-8] is another capability where it does something else", async () => {
    const [code = ""] = written("2");
    const one = await succeeds(client(), { code, args });
    const other = await succeeds(client(), { code: code.replace(".n]", "?.n]"), args });
    expect(other.capabilityId).not.toBe(one.capabilityId);
  });

  it("[ID-8] is one capability for many who send it at the same time", async () => {
    const code = "return ['at once', args.x];";
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, x) => succeeds(client(), { code, args: { x } })),
    );
    expect(answers.map(({ result }) => result)).toEqual(answers.map((_, x) => ["at once", x]));
    expect(new Set(answers.map(({ capabilityId }) => capabilityId)).size).toBe(1);
    await used(answers[0]?.capabilityId ?? "", 8);
  });

  it("[ID-3] takes a name where it had none, and what it was called still answers, with a warning", async () => {
    const [code, again] = written("3");
    const first = await succeeds(client(), { code, args });
    const second = await succeeds(client(), { code: again, args, name: "same:named_later" });
    expect(second).toMatchObject({
      capabilityId: first.capabilityId,
      capabilityFqdn: first.capabilityFqdn,
      capabilityName: "same:named_later",
      capabilityVersion: 1,
    });
    expect(second.warnings).toBeUndefined();
    expect(await wireNames(client())).toContain("mcp__same__named_later");
    const former = await execute(client(), { capability: first.capabilityName, args });
    expect(former.result).toEqual([3, 2]);
    expect(former.warnings).toEqual([
      `Deprecated: Using alias "${first.capabilityName}" for capability "same:named_later". Update your code.`,
    ]);
  });

  it("[ID-3] keeps the name that it has, with a warning, and the other name stays free", async () => {
    const [code, again] = written("4");
    const first = await succeeds(client(), { code, args, name: "same:first" });
    const second = await succeeds(client(), { code: again, args, name: "same:second" });
    expect(second).toMatchObject({
      capabilityId: first.capabilityId,
      capabilityName: "same:first",
      warnings: ["This code is already saved as same:first and keeps that name; cap_rename renames it."],
    });
    expect((await fails(client(), { capability: "same:second" })).code).toBe("CAPABILITY_NOT_FOUND");
    expect(await wireNames(client())).not.toContain("mcp__same__second");
    await succeeds(client(), { code: "return 'another';", name: "same:second" });
    // And without a name it is what it is.
    const third = await succeeds(client(), { code, args });
    expect(third.capabilityName).toBe("same:first");
    expect(third.warnings).toBeUndefined();
  });

  it("[ID-3] is refused under a name of other code before it runs, though it is known", async () => {
    const code = "return (await mcp.work.count({ id: 'known' })).count;";
    await succeeds(client(), { code, name: "same:known" });
    await succeeds(client(), { code: "return 'holder';", name: "same:held" });
    expect((await fails(client(), { code, name: "same:held" })).code).toBe("NAME_TAKEN");
    expect(await counted(client(), "known")).toBe(1);
  });
});
