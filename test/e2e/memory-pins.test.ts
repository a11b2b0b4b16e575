/** Code that pins a version of what it calls: it calls exactly that version, even after the capability has changed. */
import { beforeAll, describe, expect, it } from "vitest";
import { ask, counted, execute, fails, lookUp, rename, succeeds } from "../support/agent.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const pin = (name: string, version: string, args = "{}") => `await mcp["${name}@${version}"](${args})`;
const newest = (name: string) => `await mcp["${name}"]({})`;

describe("a version that code pins", () => {
  const gateway = useGateway("http", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const client = useClient(gateway, "v2-2025");
  const save = (name: string, code: string, more: object = {}) =>
    succeeds(client(), { code, name, options: { update: true, ...more } });
  const result = async (capability: string) => (await succeeds(client(), { capability })).result;

  beforeAll(async () => {
    await save("low:it", "return 'low 1';");
    await save("pin:it", `return 'one ' + (args.a ?? 0) + ' ' + ${newest("low:it")};`, {
      version_tag: "v1.0.0",
    });
    await save("by:tag", `return ${pin("pin:it", "v1")};`);
    await save("by:number", `return await capabilities["pin:it@1"]({ a: 7 });`);
    await save("by:day", `return 'day ' + ${pin("pin:it", new Date().toISOString().slice(0, 10))};`);
    await save("by:latest", `return ${pin("pin:it", "latest")};`);
    await save("by:name", "return 'name ' + await mcp.pin.it({});");
    await save("pin:it", "return 'two ' + (args.b ?? 0);", { version_tag: "v1.5.0" });
  });

  it.each([
    ["by:tag", "one 0 low 1"],
    ["by:number", "one 7 low 1"],
    ["by:day", "day one 0 low 1"],
    ["by:latest", "two 0"],
    ["by:name", "name two 0"],
  ])("[ID-11] [AN-10] is what it meant when the code was saved: %s", async (name, expected) => {
    expect(await result(name)).toBe(expected);
  });

  it("[ID-11] goes by the scope, by the FQDN, and beside the newest in one program", async () => {
    const { fqdn } = await lookUp(client(), "pin:it");
    const code = `return [${pin("local.default:pin:it", "v1.0.0")}, ${newest("pin:it")}, ${pin(String(fqdn), "2", "{ b: 3 }")}];`;
    const answer = await succeeds(client(), { code });
    expect(answer.result).toEqual(["one 0 low 1", "two 0", "two 3"]);
    expect(answer.tasks?.map(({ tool }) => tool)).toEqual(["pin:it@1", "low:it", "pin:it", "pin:it@2"]);
    expect(await result(String(answer.capabilityName))).toEqual(answer.result);
  });

  it("[ID-11] calls what it called itself, as that is now", async () => {
    await save("low:it", "return 'low 2';");
    expect(await result("by:tag")).toBe("one 0 low 2");
    await save("mid:it", `return 'mid ' + ${pin("low:it", "1")};`);
    await save("mid:it", "return 'mid without';");
    await save("top:it", `return 'top ' + ${pin("mid:it", "v1")};`);
    expect(await result("top:it")).toBe("top mid low 1");
  });

  it("[ID-5] [ID-11] is found after the capability was renamed, and an alias warns", async () => {
    await save("ren:old", "return 1;");
    await save("ren:caller", `return ${pin("ren:old", "v1")};`);
    await save("ren:old", "return 2;");
    await rename(client(), "ren:old", "ren:new");
    expect(await result("ren:caller")).toBe(1);
    const answer = await succeeds(client(), { code: `return ${pin("ren:old", "1")} + 1;` });
    expect(answer.result).toBe(2);
    expect(answer.warnings?.join()).toContain('Using alias "ren:old" for capability "ren:new"');
    expect(answer.tasks?.map(({ tool }) => tool)).toEqual(["ren:new@1"]);
  });

  it("[ID-11] that is not there is refused with its line, before anything runs", async () => {
    const code = `await mcp.work.count({ id: 'pinned' });\nreturn ${pin("pin:it", "v5")};`;
    const error = await fails(client(), { code });
    expect(error).toMatchObject({ code: "VERSION_NOT_FOUND", line: 2, column: 14 });
    expect(error.message).toContain("Version v5 not found for pin:it (line 2, column 14)");
    expect(error.hint).toContain("It has version 2 (v1.5.0), version 1 (v1.0.0).");
    expect(await counted(client(), "pinned")).toBe(0);
  });

  it("[AN-13] [ID-11] is given what it takes itself", async () => {
    const wrong = await fails(client(), { code: `return ${pin("pin:it", "1", "{ b: 1 }")};` });
    expect(wrong).toMatchObject({ code: "ARGUMENTS_INVALID" });
    expect(wrong.message).toContain('pin:it@1 has no argument "b"');
    const computed = await fails(client(), {
      code: `const given = JSON.parse('{"b":1}');\nreturn ${pin("pin:it", "1", "given")};`,
    });
    expect(computed.message).toContain('capability "pin:it@1"');
  });

  it("[ID-8] [ID-11] is one code, however the version is written", async () => {
    for (const version of ["v1.0", "v1.0.0", "1"])
      expect((await succeeds(client(), { code: `return ${pin("pin:it", version)};` })).capabilityName).toBe(
        "by:tag",
      );
  });

  it("[AN-10] [ID-11] closes a circle only where it calls back itself", async () => {
    await save("cir:b", "return 'b1';");
    await save("cir:a", "return 'a1';");
    await save("cir:b", `return 'b2 ' + ${newest("cir:a")};`);
    expect((await save("cir:a", `return 'a2 ' + ${pin("cir:b", "1")};`)).result).toBe("a2 b1");
    expect(await result("cir:b")).toBe("b2 a2 b1");
    const error = await fails(client(), {
      code: `return 'a3 ' + ${pin("cir:b", "2")};`,
      name: "cir:a",
      options: { update: true },
    });
    expect(error.code).toBe("CODE_REFUSED");
    expect(error.message).toContain("cir:a → cir:b@2 → cir:a");
    // Version 1 of a calls nothing, and may be called by what a calls.
    expect(await result("cir:a@v1")).toBe("a1");
  });

  it("[ID-11] an older version may be run that calls what calls the newest by now", async () => {
    await save("old:b", "return 'b';");
    await save("old:a", `return 'a1 ' + ${newest("old:b")};`);
    await save("old:a", "return 'a2';");
    await save("old:b", `return 'b2 ' + ${newest("old:a")};`);
    expect(await result("old:a@v1")).toBe("a1 b2 a2");
  });

  it("[FP-5] [ID-11] is shown by a dry run", async () => {
    await save("dry:it", "await mcp.work.count({ id: 'dry' }); return 1;");
    const answer = (await execute(client(), {
      code: `return ${pin("dry:it", "1")};`,
      options: { dry_run: true },
    })) as unknown as Record<string, unknown>;
    expect(answer).toMatchObject({
      status: "dry_run",
      dag: { nodes: [{ type: "capability", name: "dry:it", version: 1 }] },
      permissions: { tools: [{ tool: "work:count", via: "dry:it@1" }] },
      problems: [],
    });
    const missing = (await execute(client(), {
      code: `return ${pin("dry:it", "v3")};`,
      options: { dry_run: true },
    })) as unknown as Record<string, unknown>;
    expect(missing).toMatchObject({ problems: [{ code: "VERSION_NOT_FOUND", line: 1, column: 14 }] });
  });

  it("[ID-11] where it throws is told", async () => {
    await save("err:it", "if (args.now) throw new Error('no');\nreturn 1;");
    await save("err:it", "return 2;");
    const error = await fails(client(), { code: `return ${pin("err:it", "1", "{ now: true }")};` });
    expect(error).toMatchObject({ code: "RUN_FAILED", line: 1 });
  });

  it("[ID-11] is the same after a restart", async () => {
    await gateway().restart();
    const later = await gateway().connect("v2-2025");
    expect((await succeeds(later, { capability: "by:number" })).result).toBe("one 7 low 2");
    expect((await succeeds(later, { capability: "top:it" })).result).toBe("top mid low 1");
    expect(await lookUp(later, "low:it")).toMatchObject({ dependents: expect.anything() });
  });
});

describe("a version of what a session may not see", () => {
  const gateway = useGateway("background", { mcpServers: { work: fixture("work") } });

  it("[ID-7] [ID-11] is not there, as what nobody has", async () => {
    const [ann, bob] = await Promise.all(
      ["ann", "bob"].map((user) => gateway().connect("v2-2025", { scope: `acme/shop/${user}` })),
    );
    if (ann === undefined || bob === undefined) throw new Error("Nobody is connected");
    await succeeds(ann, { code: "return 'secret';", name: "hid:own" });
    await ask(ann, "cap_rename", { name: "hid:own", visibility: "private" });
    const { fqdn } = await lookUp(ann, "hid:own");
    expect((await succeeds(ann, { code: `return [${pin("hid:own", "1")}];` })).result).toEqual(["secret"]);
    const told = async (name: string, version: string) => {
      const error = await fails(bob, { code: `return ${pin(name, version)};` });
      return JSON.stringify(error).replaceAll(name, "NAME");
    };
    for (const version of ["1", "v1", "v9", "latest"]) {
      expect(await told("hid:own", version)).toBe(await told("nil:own", version));
      expect(await told(String(fqdn), version)).toBe(await told("acme.shop.nil.own.abcd", version));
    }
  });
});
