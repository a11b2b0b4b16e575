/** A capability whose code changes: which version a name means, and that nothing old is lost. */
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, ask, counted, fails, lookUp, succeeds } from "../support/agent.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const NAME = "ver:it";

describe("a capability that is updated", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");
  const update = (code: string, more: object = {}, args: object = {}) =>
    succeeds(client(), { code, name: NAME, args, options: { update: true, ...more } });
  const answers: Answer[] = [];

  beforeAll(async () => {
    answers.push(await succeeds(client(), { code: "return 'one ' + args.a;", args: { a: 1 }, name: NAME }));
    answers.push(await update("return 'two ' + args.b;", {}, { b: 1 }));
    answers.push(await update("return 'three ' + (args.c ?? 0);", { version_tag: "v2.0.0" }));
    answers.push(await update("return 'four ' + (args.d ?? 0);", { version_tag: "2.1.0" }));
    answers.push(await update("return 'five ' + (args.e ?? 0);", { version_tag: "v3.0.0-beta.1" }));
  });

  it("[ID-11] is the same capability, one version further each time", async () => {
    expect(answers.map(({ capabilityVersion }) => capabilityVersion)).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(answers.map(({ capabilityId }) => capabilityId)).size).toBe(1);
    expect(new Set(answers.map(({ capabilityFqdn }) => capabilityFqdn)).size).toBe(1);
    expect(await ask(client(), "cap_list", { pattern: "ver:*" })).toMatchObject({ total: 1 });
  });

  const today = new Date().toISOString().slice(0, 10);
  it.each([
    ["", {}, "five 0"],
    ["@latest", {}, "five 0"],
    ["@v1", { a: 3 }, "one 3"],
    // Two are tagged 2.x.y, and the newer is meant; the one with the number 2 has no other name.
    ["@v2", {}, "four 0"],
    ["@v2.0", {}, "three 0"],
    ["@v2.0.0", {}, "three 0"],
    ["@v2.1.0", {}, "four 0"],
    // No release is tagged 3, so the version with that number.
    ["@v3", {}, "three 0"],
    ["@v3.0.0-beta.1", {}, "five 0"],
    [`@${today}`, {}, "five 0"],
  ])("[ID-11] answers to its name with %j, as a tool and by name", async (version, args, result) => {
    expect((await succeeds(client(), { capability: NAME + version, args })).result).toBe(result);
    expect(await ask(client(), NAME + version, args)).toEqual({ result });
  });

  it.each(["@v6", "@v2.2", "@v9.9.9", "@2020-01-01", "@newest"])(
    "[ID-11] says that there is no %s",
    async (version) => {
      expect(await fails(client(), { capability: NAME + version })).toMatchObject({
        code: "VERSION_NOT_FOUND",
        message: `Version ${version.slice(1)} not found for ${NAME}`,
      });
    },
  );

  it("[ID-11] shows the parameters of the version that is looked up", async () => {
    expect(await lookUp(client(), `${NAME}@v1`)).toMatchObject({
      version: 1,
      parameters: { properties: { a: {} }, required: ["a"] },
    });
    const tagged = await lookUp(client(), `${NAME}@v2.0.0`);
    expect(tagged).toMatchObject({ version: 3, version_tag: "v2.0.0" });
    expect(Object.keys((tagged.parameters as { properties: object }).properties)).toEqual(["c"]);
    const newest = await lookUp(client(), NAME);
    expect(newest).toMatchObject({ version: 5, version_tag: "v3.0.0-beta.1" });
    expect(Object.keys((newest.parameters as { properties: object }).properties)).toEqual(["e"]);
    const listed = (await client().tools()).find(({ name }) => name === "mcp__ver__it");
    expect(Object.keys(listed?.inputSchema.properties ?? {})).toEqual(["e"]);
  });

  it("[ID-10] is not replaced by an update that fails", async () => {
    const code = "await mcp.work.count({ id: 'failing' });\nthrow new Error('not today');";
    const error = await fails(client(), { code, name: NAME, options: { update: true } });
    expect(error.code).toBe("RUN_FAILED");
    expect(await counted(client(), "failing")).toBe(1);
    expect((await succeeds(client(), { capability: NAME })).result).toBe("five 0");
    expect((await lookUp(client(), NAME)).version).toBe(5);
  });

  it("[ID-3] is replaced by nothing that does not say update, before anything runs", async () => {
    const code = "await mcp.work.count({ id: 'taken' });\nreturn 'mine now';";
    expect((await fails(client(), { code, name: NAME })).code).toBe("NAME_TAKEN");
    expect((await fails(client(), { code, name: "VER:It", options: { update: false } })).code).toBe(
      "NAME_TAKEN",
    );
    expect(await counted(client(), "taken")).toBe(0);
  });

  it("[ID-8] is known by code that it began with, and has no version more for it", async () => {
    const again = await succeeds(client(), { code: "return `one ` + args['a']; // again", args: { a: 9 } });
    expect(again).toMatchObject({ result: "one 9", capabilityName: NAME, capabilityVersion: 1 });
    expect((await succeeds(client(), { capability: NAME })).result).toBe("five 0");
  });

  it("[ID-11] goes back to older code as a new version", async () => {
    const back = await update("return `one ` + args['a']; // again", {}, { a: 9 });
    expect(back).toMatchObject({ result: "one 9", capabilityName: NAME, capabilityVersion: 6 });
    expect((await succeeds(client(), { capability: NAME, args: { a: 2 } })).result).toBe("one 2");
    expect((await succeeds(client(), { capability: `${NAME}@5` })).result).toBe("five 0");
    // What is the newest already is no other version.
    expect(await update("return 'one ' + args.a;", {}, { a: 1 })).toMatchObject({ capabilityVersion: 6 });
  });

  it("[ID-11] keeps its versions through a restart", async () => {
    await gateway().restart();
    const later = await gateway().connect("v2-2025");
    expect(await succeeds(later, { capability: NAME, args: { a: 3 } })).toMatchObject({
      result: "one 3",
      capabilityVersion: 6,
    });
    expect((await succeeds(later, { capability: `${NAME}@v1`, args: { a: 4 } })).result).toBe("one 4");
    expect((await succeeds(later, { capability: `${NAME}@v2.1` })).result).toBe("four 0");
  });
});
