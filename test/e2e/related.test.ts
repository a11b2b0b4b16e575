/** What goes with a result: suggestions that are learnt from use, how sure they must be, and that both are kept. */
import { beforeAll, describe, expect, it } from "vitest";
import { ask, execute, rename, succeeds, wireNames } from "../support/agent.js";
import { usePeople } from "../support/people.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useGateway } from "../support/test-gateway.js";

interface Related {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly reason: string;
  readonly confidence: number;
  readonly arguments?: object;
}

const CONFIG = { mcpServers: { work: fixture("work") }, approvals: { unannotated: "auto" } };
const SOON = { timeout: 20_000 };
const RUN = { no_cache: true };
const COUNT = "return mcp.work.count({ id: 'x' });";

/** What `pml_execute` says beside its result. */
async function besideRun(client: TestClient, input: object): Promise<readonly Related[]> {
  const answer = await succeeds(client, { ...input, options: RUN });
  return (answer as { readonly related?: readonly Related[] }).related ?? [];
}

/** What `pml_discover` says beside what it finds; it uses nothing. */
async function besideFound(client: TestClient, intent: string, more = {}): Promise<readonly Related[]> {
  const answer = await ask(client, "pml_discover", { intent, include_suggestions: true, ...more });
  return (answer as { readonly related?: readonly Related[] }).related ?? [];
}

const besideTool = (client: TestClient, intent: string) =>
  besideFound(client, intent, { filter: { type: "tool" }, limit: 1 });
const idsOf = (related: readonly Related[]) => related.map(({ id }) => id);

describe("[DI-6] beside a result, over stdio", () => {
  const gateway = useGateway("background", CONFIG);
  let client: TestClient;
  const connect = async () => {
    client = await gateway().connect("v2-2025");
  };
  beforeAll(connect);

  const SEEN = {
    type: "next_tool",
    id: "work:seen",
    reason: "often follows work:count",
    // Three of four times, the fourth being this run after the one before; and few times prove little.
    confidence: 0.43,
  };

  it("nothing is suggested that nothing speaks for", async () => {
    expect(await besideRun(client, { code: COUNT })).toEqual([]);
    expect(await besideTool(client, "count its calls")).toEqual([]);
  });

  it("is what was used after it before, with a reason, as it can be called", async () => {
    const other = await gateway().connect("v2-2026");
    for (let time = 0; time < 3; time += 1) {
      await ask(other, "work:count", { id: "y" });
      await ask(other, "work:seen", { id: "y" });
    }
    // Nor is it what that code was just learnt as.
    const [first, ...rest] = await besideRun(client, { code: COUNT });
    expect(first).toMatchObject(SEEN);
    expect(await wireNames(client)).toContain(first?.name);
    expect(idsOf(rest)).not.toContain("work:count");
    expect(await besideTool(client, "count its calls")).toContainEqual(expect.objectContaining(SEEN));
    const plain = await ask(client, "pml_discover", { intent: "count its calls" });
    expect(plain).not.toHaveProperty("related");
  });

  it("[DI-4] says what of the result goes into which argument, as code that ran did it", async () => {
    const code =
      "const f = await mcp.work.read_file({ path: args.path });\nreturn mcp.work.echo({ value: f.content });";
    for (let time = 0; time < 2; time += 1)
      await succeeds(client, { code, args: { path: "a.json" }, name: "show:file", options: RUN });
    await expect
      .poll(() => besideTool(client, "reads a file"), SOON)
      .toContainEqual(
        expect.objectContaining({
          type: "next_tool",
          id: "work:echo",
          arguments: {
            value: { type: "reference", expression: "result.content", producer: "work:read_file" },
          },
        }),
      );
  });

  it("is also a capability that does things like it, five at most, each once", async () => {
    for (const word of ["one", "two", "three", "four", "five", "six", "seven"]) {
      const code = `const c = await mcp.work.count({ id: '${word}' });\nreturn { ${word}: await mcp.work.seen({ id: String(c.count) }) };`;
      await succeeds(client, { intent: `count ${word}`, code, name: `count:${word}`, options: RUN });
      await succeeds(client, { capability: `count:${word}`, options: RUN });
    }
    const beside = () => besideTool(client, "count its calls");
    const capability = {
      type: "capability",
      reason: expect.stringMatching(/related in purpose|often follows/),
    };
    await expect.poll(beside, SOON).toContainEqual(expect.objectContaining(capability));
    const all = await besideFound(client, "count its calls, how often count was called", { limit: 50 });
    const related = await beside();
    for (const shown of [all, related]) {
      expect(shown.length).toBeLessThanOrEqual(5);
      expect(new Set(idsOf(shown)).size).toBe(shown.length);
      expect(shown.map(({ confidence }) => confidence)).toEqual(
        shown.map(({ confidence }) => confidence).toSorted((a, b) => b - a),
      );
    }
  });

  it("goes with what fits best, however much is found", async () => {
    const other = await gateway().connect("v2-2025");
    for (let time = 0; time < 4; time += 1) {
      await succeeds(other, { capability: "count:seven", options: RUN });
      expect((await other.call("work:slow", { ms: 1 })).isError).not.toBe(true);
    }
    const filter = { type: "capability" };
    const found = await ask(client, "pml_discover", { intent: "count seven", filter, limit: 50 });
    const names = (found as { readonly results: readonly Related[] }).results.map(({ name }) => name);
    expect(names[0]).toBe("count:seven");
    expect(names.length).toBeGreaterThan(5);
    expect(await besideFound(client, "count seven", { filter, limit: 50 })).toContainEqual(
      expect.objectContaining({ id: "work:slow", reason: "often follows count:seven" }),
    );
  });

  it("[DI-5] is known after a restart, before anything was used again", async () => {
    await gateway().restart();
    await connect();
    const filter = { type: "capability" };
    await expect
      .poll(() => besideFound(client, "count seven", { filter, limit: 1 }), SOON)
      .toContainEqual(
        expect.objectContaining({ id: "work:slow", reason: "often follows count:seven", confidence: 0.57 }),
      );
    expect(idsOf(await besideRun(client, { code: COUNT }))).toContain("work:seen");
  });
});

describe("[DI-6] beside a result of another user", () => {
  const { of } = usePeople();

  it("is nothing that one may not see", async () => {
    const [ada, bob] = [of("ada"), of("bob")];
    for (const name of ["habit:open", "habit:secret"])
      await succeeds(ada, { intent: name, code: `return '${name}';`, name });
    for (let time = 0; time < 4; time += 1) {
      await ask(ada, "work:echo", { value: time });
      for (const capability of ["habit:secret", "habit:open"])
        await succeeds(ada, { capability, options: RUN });
    }
    const names = async (client: TestClient) =>
      (await besideRun(client, { capability: "habit:open" })).map(({ name }) => name);
    const following = (client: TestClient) => besideTool(client, "answers with its arguments");
    expect((await following(bob)).map(({ name }) => name)).toContain("habit:secret");
    await ask(ada, "cap_rename", { name: "habit:secret", visibility: "private" });
    expect((await following(ada)).map(({ name }) => name)).toContain("habit:secret");
    expect(JSON.stringify([await following(bob), await names(bob)])).not.toContain("secret");
    await rename(ada, "habit:secret", "habit:hidden");
    expect((await following(ada)).map(({ name }) => name)).toContain("habit:hidden");
  });
});

describe("[DI-4] how sure a suggestion must be", () => {
  const gateway = useGateway("background", CONFIG);
  const afterRead = async () => {
    const client = await gateway().connect("v2-2025");
    return idsOf(await besideTool(client, "reads a file"));
  };

  it("falls where suggestions are taken up, is kept, and rises where they are not", async () => {
    const [one, other] = [await gateway().connect("v2-2025"), await gateway().connect("v2-2025")];
    // What was done once is a chance of a quarter.
    await ask(other, "work:read_file", { path: "a.json" });
    await ask(other, "work:echo", { value: 1 });
    expect(await afterRead()).not.toContain("work:echo");
    for (let time = 0; time < 3; time += 1) {
      await ask(other, "work:count", { id: "z" });
      await ask(other, "work:seen", { id: "z" });
    }
    for (let time = 0; time < 20; time += 1) {
      expect(idsOf(await besideRun(one, { code: COUNT }))).toContain("work:seen");
      await ask(one, "work:seen", { id: "z" });
    }
    expect(await afterRead()).toContain("work:echo");
    await gateway().restart();
    await expect.poll(afterRead, SOON).toContain("work:echo");
    const client = await gateway().connect("v2-2025");
    const refused = async () => idsOf(await besideTool(client, "reads a file"));
    let shown = 0;
    while ((await refused()).includes("work:echo") && shown < 100) shown += 1;
    expect(shown).toBeGreaterThan(0);
    expect(shown).toBeLessThan(100);
    await gateway().restart();
    await afterRead();
    expect(await afterRead()).not.toContain("work:echo");
  });
});

describe("[DI-4] how sure speculation must be", () => {
  const gateway = useGateway("background", CONFIG);
  const VERBS = ["boil", "peel", "grate", "slice", "roast", "mash", "bake", "fry"];
  const SAID = "polish the silver spoon";
  /** One word more, that says little. */
  const OTHERWISE = "polish the silver spoon thing";
  const notRun = async (client: TestClient, intent: string) => {
    const answer = (await execute(client, { intent, context: { hard: false } })) as unknown as {
      readonly status: string;
      readonly suggestions?: { readonly capabilities: readonly { readonly notRun?: string }[] };
    };
    return answer.status === "success" ? "ran" : answer.suggestions?.capabilities[0]?.notRun;
  };
  const UNSURE = 'not certain enough: the intent says "thing", which the capability does not say';

  it("rises where what was run failed, is kept, and falls where it went well", async () => {
    const client = await gateway().connect("v2-2025");
    const code = (what: string) => `if (args.hard) throw new Error('too hard');\nreturn '${what}';`;
    for (const intent of [SAID, ...VERBS.map((verb) => `${verb} the turnips`)])
      await succeeds(client, { intent, code: code(intent), args: { hard: false } });
    expect(await notRun(client, OTHERWISE)).toBe("ran");
    for (const verb of VERBS)
      expect(await execute(client, { intent: `${verb} the turnips`, context: { hard: true } })).toMatchObject(
        { status: "error", error: { code: "RUN_FAILED" } },
      );
    expect(await notRun(client, OTHERWISE)).toBe(UNSURE);
    await gateway().restart();
    const again = await gateway().connect("v2-2025");
    expect(await notRun(again, OTHERWISE)).toBe(UNSURE);
    expect(await notRun(again, "to polish silver spoons")).toBe("ran");
    for (let time = 0; time < 7; time += 1) expect(await notRun(again, SAID)).toBe("ran");
    expect(await notRun(again, OTHERWISE)).toBe("ran");
  });
});
