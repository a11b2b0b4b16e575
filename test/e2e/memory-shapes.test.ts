/** What capabilities return: for merges, and for callers when it changes. */
import { describe, expect, it } from "vitest";
import { ask, errorOf, succeeds } from "../support/agent.js";
import { usePeople } from "../support/people.js";
import type { TestClient } from "../support/test-client.js";

const { of } = usePeople();

const LOAD = "const f = await mcp.work.read_file({ path: args.path });\nreturn JSON.parse(f.content);";

async function merged(client: TestClient, input: object) {
  return (await ask(client, "cap_merge", { ...input })) as { code: string; warnings?: readonly string[] };
}

async function refused(client: TestClient, input: object) {
  const error = errorOf(await client.call("cap_merge", { ...input }));
  if (error === undefined) throw new Error("Nothing was refused");
  return error;
}

describe("[ID-13] a merge", () => {
  it("takes fields by name from what a capability returned when it ran", async () => {
    const ada = of("ada");
    await succeeds(ada, { code: LOAD, args: { path: "a.json" }, name: "fs:load_json" });
    await succeeds(ada, {
      code: "if (typeof args.n !== 'number') throw new Error('n is no number');\nreturn { valid: true, n: args.n };",
      args: { n: 7 },
      name: "transform:validate_schema",
    });
    const sources = ["fs:load_json@1", "transform:validate_schema"];
    const { code, warnings } = await merged(ada, { sources, name: "config:validated" });
    expect(code).toMatch(/validate_schema\(\{ n: \w+\.n \}\)/);
    expect(warnings).toBeUndefined();
    const run = await succeeds(ada, { capability: "config:validated", args: { path: "b.json" } });
    expect(run.result).toEqual({ valid: true, n: 2 });
  });

  it("is refused if the result of the first is unknown, and says what to pass", async () => {
    const ada = of("ada");
    const unseen = `const unseen = true;
${LOAD}`;
    await ask(ada, "cap_save", { intent: "load", code: unseen, name: "fs:load_unseen" });
    const sources = ["fs:load_unseen", "transform:validate_schema"];
    const error = await refused(ada, { sources, name: "config:unclear" });
    expect(error).toMatchObject({
      code: "MERGE_UNCLEAR",
      message:
        "Cannot merge fs:load_unseen and transform:validate_schema: the result of fs:load_unseen is unknown",
    });
    expect(error.hint).toContain("return await mcp.transform.validate_schema({ n: … });");
    const code =
      "const first = await mcp.fs.load_unseen({ path: args.path });\nreturn await mcp.transform.validate_schema({ n: first.n });";
    await merged(ada, { sources, name: "config:clear", code });
    const run = await succeeds(ada, { capability: "config:clear", args: { path: "b.json" } });
    expect(run.result).toEqual({ valid: true, n: 2 });
  });

  it("is refused with code that calls none of its sources", async () => {
    const error = await refused(of("ada"), {
      sources: ["fs:load_json", "transform:validate_schema"],
      name: "config:none",
      code: "return 1;",
    });
    expect(error).toMatchObject({
      code: "ARGUMENTS_INVALID",
      message: "Cannot merge: the code calls none of its sources",
    });
  });
});

describe("[SW-4] a callee whose result changes", () => {
  const first = "return { port: args.port, host: 'here' };";
  const second = "return { address: { port: args.port }, host: 'here' };";

  async function callee(client: TestClient, name: string): Promise<void> {
    const [space = "", action = ""] = name.split(":");
    await succeeds(client, { code: `// ${name}\nconst of = "${name}";\n${first}`, args: { port: 1 }, name });
    await succeeds(client, {
      code: `const c = await mcp.${space}.${action}({ port: args.port });\nreturn { "${name}": c.port };`,
      args: { port: 1 },
      name: `${space}:caller`,
    });
  }

  it("names its callers when a run changes it, and callers that run then are told", async () => {
    const ada = of("ada");
    await callee(ada, "shape:load");
    const calm = await succeeds(ada, { capability: "shape:caller", args: { port: 2 } });
    expect(calm.warnings).toBeUndefined();
    const code = `const of = "shape:load";\n${second}`;
    const options = { update: true };
    const update = await succeeds(ada, { code, args: { port: 1 }, name: "shape:load", options });
    expect(update.warnings).toEqual([
      'shape:load returns a different shape than before: "port" is missing. Check its callers: shape:caller.',
    ]);
    const run = await succeeds(ada, { capability: "shape:caller", args: { port: 3 } });
    expect(run.warnings).toEqual([
      'shape:load returns a different shape since this was saved: "port" is missing. Check the result.',
    ]);
    const fixed = {
      code: "const c = await mcp.shape.load({ port: args.port });\nreturn { fixed: c.address.port };",
      args: { port: 1 },
      name: "shape:caller",
      options,
    };
    expect((await succeeds(ada, fixed)).warnings).toBeUndefined();
    const after = await succeeds(ada, { capability: "shape:caller", args: { port: 4 } });
    expect([after.result, after.warnings]).toEqual([{ fixed: 4 }, undefined]);
  });

  it("names them when it is saved without a run", async () => {
    const ada = of("ada");
    await callee(ada, "saved:load");
    const input = { intent: "load", code: `const of = "saved:load";\n${second}`, name: "saved:load" };
    expect((await ask(ada, "cap_save", input)).warnings).toEqual([
      'saved:load returns a different shape than before: "port" is missing. Check its callers: saved:caller.',
    ]);
    const run = await succeeds(ada, { capability: "saved:caller", args: { port: 3 } });
    expect(run.warnings?.join()).toContain("saved:load returns a different shape since this was saved");
  });

  it("[ID-7] names no caller that the one who changes it may not see, and says nothing of what was added", async () => {
    const [ada, bob] = [of("ada"), of("bob")];
    await callee(ada, "hidden:load");
    await ask(ada, "cap_rename", { name: "hidden:caller", visibility: "private" });
    const options = { update: true };
    const code = `const of = "hidden:load";\n${second}`;
    const update = await succeeds(bob, { code, args: { port: 1 }, name: "hidden:load", options });
    expect(JSON.stringify(update)).not.toContain("hidden:caller");
    expect(update.warnings).toBeUndefined();
    await callee(ada, "grown:load");
    const more = `const of = "grown:load";\nreturn { port: args.port, host: 'here', more: true };`;
    const grown = await succeeds(ada, { code: more, args: { port: 1 }, name: "grown:load", options });
    expect(grown.warnings).toBeUndefined();
  });
});
