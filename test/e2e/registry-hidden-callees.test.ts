/** Capabilities call what their author may see; it runs for everybody, and has no name for who may not see it. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, ask, counted, errorOf, execute, fails, rename, succeeds } from "../support/agent.js";
import { usePeople } from "../support/people.js";

const HIDDEN = "(a capability of another user)";

describe("what a capability calls that the asker may not see", () => {
  const { of } = usePeople();
  const secret = "hush:inner_secret";
  const line = "throw new Error('it broke inside');";
  let inner: Answer;

  /** All of the answer but the code of `outer` itself, which calls by FQDN, and names no name. */
  function withoutName(answer: unknown): void {
    const text = JSON.stringify(answer);
    expect(text).not.toContain("inner_secret");
    expect(text).not.toContain("const concealed");
    expect(text).not.toContain(line);
    expect(text).not.toContain(inner.capabilityId);
  }

  beforeAll(async () => {
    const ada = of("ada");
    inner = await succeeds(ada, {
      name: "hush:once",
      code: `const concealed = args.fail;\nif (concealed === true) {\n  ${line}\n}\nawait mcp.work.count({ id: args.id });\nreturn "ran";`,
      args: { fail: false, id: "hush" },
    });
    await rename(ada, "hush:once", secret);
    await succeeds(ada, {
      name: "open:outer",
      code: `return await mcp["${inner.capabilityFqdn}"](JSON.parse(args.pass));`,
      args: { pass: '{"id":"hush","fail":false}' },
    });
    await ask(ada, "cap_rename", { name: secret, visibility: "private" });
    await ask(ada, "cap_rename", { name: "open:outer", visibility: "public" });
  });

  const people = [
    ["bob", "open:outer"],
    ["cy", "acme.web:open:outer"],
    ["dan", "acme.web:open:outer"],
  ] as const;
  const passing = (capability: string, pass: object) => ({
    capability,
    args: { pass: JSON.stringify(pass) },
  });

  it("[ID-7] runs, and has no name in the answer", async () => {
    for (const [person, name] of people) {
      const answer = await succeeds(of(person), passing(name, { id: "hush", fail: false }));
      expect(answer.result).toBe("ran");
      expect(answer.tasks?.map(({ tool }) => tool)).toEqual([HIDDEN, "work:count"]);
      withoutName(answer);
    }
    const own = await succeeds(of("ada"), passing("open:outer", { id: "hush", fail: false }));
    expect(own.tasks?.map(({ tool }) => tool)).toEqual([secret, "work:count"]);
  });

  it("[ID-7] has neither a name nor lines of code in what went wrong", async () => {
    for (const [person, name] of people) {
      const broke = await fails(of(person), passing(name, { id: "hush", fail: true }));
      expect(broke).toMatchObject({ code: "RUN_FAILED", message: expect.stringMatching(/^it broke inside/) });
      withoutName(broke);
      const wrong = await fails(of(person), passing(name, { id: 5, odd: 1 }));
      expect(wrong.message).toContain(`Cannot call capability "${HIDDEN}"`);
      withoutName(wrong);
    }
    expect((await fails(of("ada"), passing("open:outer", {}))).message).toContain(secret);
  });

  it("[ID-7] has no name in a dry run", async () => {
    for (const [person, capability] of people) {
      const dry = await execute(of(person), { capability, options: { dry_run: true } });
      expect(dry).toMatchObject({
        status: "dry_run",
        permissions: { tools: [{ tool: "work:count", via: HIDDEN }] },
        dag: { nodes: [{ type: "capability", name: HIDDEN }] },
        problems: [],
      });
      withoutName(dry);
    }
  });

  it("[ID-7] is not called past what calls it, by a name that code puts together", async () => {
    const { capabilityFqdn = "" } = inner;
    const [org, ...rest] = capabilityFqdn.split(".");
    const code = `await mcp["open:outer"]({ pass: args.pass });\nreturn await mcp[[args.org, "${rest.join(".")}"].join(".")]({ id: "past", fail: false });`;
    const args = { pass: '{"id":"hush","fail":false}', org };
    const error = await fails(of("bob"), { code, args });
    expect(error).toMatchObject({
      code: "TOOL_NOT_FOUND",
      message: expect.stringContaining(`Unknown tool: ${capabilityFqdn}`),
    });
    expect(await counted(of("ada"), "past")).toBe(0);
  });

  it("[ID-7] is among no dependencies, and the fork of what calls it runs too", async () => {
    for (const [person, name] of people) {
      const client = of(person);
      for (const tool of ["cap_lookup", "cap_whois"]) {
        const record = await ask(client, tool, { name });
        expect(record.dependencies, tool).toEqual([]);
        withoutName(record);
      }
      withoutName(await ask(client, "cap_history", { name }));
      const copy = `${person}s:outer`;
      const fork = await ask(client, "cap_fork", { source: name, name: copy });
      expect(fork.warnings).toEqual([expect.stringContaining("a capability that you may not see")]);
      withoutName(fork);
      expect((await succeeds(client, passing(copy, { id: "hush", fail: false }))).result).toBe("ran");
    }
  });

  it("[ID-7] has no name in a path that is too deep", async () => {
    const [ada, bob] = [of("ada"), of("bob")];
    let callee = "open:outer";
    for (let level = 1; level <= 6; level += 1) {
      const name = `deep:level_${level}`;
      await ask(ada, "cap_save", {
        intent: name,
        name,
        code: `return await mcp["${callee}"]({ pass: args.pass });`,
      });
      callee = name;
    }
    const code = `return await mcp["${callee}"]({ pass: "{}" });`;
    for (const answer of [
      await execute(bob, { code }),
      await execute(bob, { code, options: { dry_run: true } }),
      errorOf(await bob.call("cap_save", { intent: "too deep", code })),
    ]) {
      const text = JSON.stringify(answer);
      expect(text).toContain(`more than 8 levels deep: this code → ${callee} → `);
      expect(text).toContain(`open:outer → ${HIDDEN}`);
      withoutName(answer);
    }
  });

  it("[ID-12] has no name when it is deleted", async () => {
    await ask(of("ada"), "cap_delete", { name: secret });
    for (const [person, name] of people) {
      const gone = await fails(of(person), passing(name, { id: "hush", fail: false }));
      expect(gone).toEqual({
        code: "CAPABILITY_DELETED",
        message: expect.stringMatching(
          /^Capability \(a capability of another user\) was deleted on \d{4}-\d\d-\d\d, and open:outer calls it: open:outer → \(a capability of another user\)$/,
        ),
        hint: "Update the caller to call another capability.",
      });
      withoutName(await execute(of(person), { capability: name, options: { dry_run: true } }));
    }
    const own = await fails(of("ada"), passing("open:outer", { id: "hush", fail: false }));
    expect(own.message).toContain(`Capability ${secret} was deleted`);
  });
});
