/** Several projects and people on one gateway: each has names of its own, and sees nothing that is not for it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, ask, errorOf, fails, lookUp, rename, succeeds, wireNames } from "../support/agent.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useGateway } from "../support/test-gateway.js";

describe("projects on one gateway", () => {
  const gateway = useGateway("background", { mcpServers: { work: fixture("work") } });
  const session = (scope: string) => gateway().connect("v2-2025", { scope });
  let ann: TestClient;
  let bob: TestClient;
  let blog: TestClient;
  let other: TestClient;

  beforeAll(async () => {
    [ann, bob, blog, other] = (await Promise.all(
      ["acme/shop/ann", "acme/shop/bob", "acme/blog/ann", "else/shop/ann"].map(session),
    )) as [TestClient, TestClient, TestClient, TestClient];
  });

  /** All that can be written to mean it from elsewhere. */
  function forms({ capabilityName = "", capabilityFqdn = "", capabilityId = "" }: Answer, scope: string) {
    const label = capabilityFqdn.slice(0, capabilityFqdn.lastIndexOf("."));
    return [capabilityFqdn, `${capabilityFqdn}@v1`, label, capabilityId, `${scope}:${capabilityName}`];
  }

  /** Every attempt gets the answer for a capability that does not exist. */
  async function cannotSee(client: TestClient, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const nothing = {
        code: "CAPABILITY_NOT_FOUND",
        message: expect.stringMatching(new RegExp(`^Capability not found: ${name}$`)),
      };
      expect(await fails(client, { capability: name }), name).toMatchObject(nothing);
      for (const tool of ["cap_lookup", "cap_rename"]) {
        const args = tool === "cap_lookup" ? { name } : { name, new_name: "stolen:it" };
        expect(errorOf(await client.call(tool, args)), name).toMatchObject(nothing);
      }
      expect(errorOf(await client.call(`cap:${name}`, {})), name).toMatchObject(nothing);
      await expect(client.call(name, {}), name).rejects.toThrow(/Unknown tool/);
      const inCode = await fails(client, { code: `return await capabilities[${JSON.stringify(name)}]({});` });
      expect(inCode.code, name).toBe("CAPABILITY_NOT_FOUND");
      // Nor does any answer give away what there is.
      expect(JSON.stringify(inCode)).not.toContain("Did you mean");
    }
  }

  const listed = async (client: TestClient, input: object = {}) => {
    const { capabilities } = (await ask(client, "cap_list", { sort_by: "name", ...input })) as {
      capabilities: readonly { name: string }[];
    };
    return capabilities.map(({ name }) => name);
  };

  it("[ID-6] may have the same name for different code, and each means its own", async () => {
    for (const [client, project] of [
      [ann, "shop"],
      [blog, "blog"],
      [other, "else"],
    ] as const) {
      const { capabilityFqdn } = await succeeds(client, {
        code: `return { of: "${project}" };`,
        name: "same:name",
      });
      expect(capabilityFqdn).toMatch(/^(acme\.shop|acme\.blog|else\.shop)\.same\.name\./);
    }
    for (const [client, of] of [
      [ann, "shop"],
      [bob, "shop"],
      [blog, "blog"],
      [other, "else"],
    ] as const) {
      expect((await succeeds(client, { capability: "same:name" })).result).toEqual({ of });
      expect(await ask(client, "mcp__same__name")).toEqual({ of });
      expect((await succeeds(client, { code: "return [await mcp.same.name({})];" })).result).toEqual([
        { of },
      ]);
      expect(await listed(client, { pattern: "same:*" })).toEqual(["same:name"]);
    }
  });

  it("[ID-8] may have the same code, as a capability of each", async () => {
    const code = "return 'the same for all';";
    const [one, two, three] = await Promise.all(
      [ann, bob, blog].map((client) => succeeds(client, { code, name: "same:code" })),
    );
    expect(one?.capabilityId).toBe(two?.capabilityId);
    expect(one?.capabilityId).not.toBe(three?.capabilityId);
  });

  it("[ID-6, ID-7] find what is another's in no form, and are told that it does not exist", async () => {
    const answer = await succeeds(ann, { code: "return 'of the shop';", name: "shop:only" });
    for (const stranger of [blog, other]) {
      await cannotSee(stranger, ["shop:only", ...forms(answer, "acme.shop")]);
      expect(await wireNames(stranger)).not.toContain("mcp__shop__only");
      await expect(stranger.call("mcp__shop__only", {})).rejects.toThrow(/Unknown tool/);
      expect(await listed(stranger, { pattern: "shop:*" })).toEqual([]);
      for (const visibility of ["org", "public"])
        expect(await listed(stranger, { pattern: "shop:*", visibility })).toEqual([]);
    }
    expect((await succeeds(bob, { capability: "acme.shop:shop:only" })).result).toBe("of the shop");
    expect(await wireNames(bob)).toContain("mcp__shop__only");
  });

  it("[ID-7] show unnamed capabilities only to the user who ran them", async () => {
    const code = "return 'private to whoever ran it';";
    const answer = await succeeds(ann, { code });
    const { capabilityName = "" } = answer;
    expect(await listed(ann, { unnamed_only: true })).toContain(capabilityName);
    await cannotSee(bob, [capabilityName, ...forms(answer, "acme.shop")]);
    expect(await listed(bob, { unnamed_only: true })).not.toContain(capabilityName);
    expect((await succeeds(bob, { code })).capabilityId).toBe(answer.capabilityId);
    expect((await succeeds(bob, { capability: capabilityName })).result).toBe("private to whoever ran it");
    await rename(bob, capabilityName, "shop:public_now");
    expect(await wireNames(ann)).toContain("mcp__shop__public_now");
  });

  it("[ID-7] share what is made visible to the org or to all, by scope and FQDN, and never by a bare name", async () => {
    const answer = await succeeds(ann, { code: "return 'shared';", name: "shop:shared" });
    await ask(ann, "cap_rename", { name: "shop:shared", visibility: "org" });
    for (const form of forms(answer, "acme.shop"))
      expect((await succeeds(blog, { capability: form })).result, form).toBe("shared");
    await cannotSee(blog, ["shop:shared"]);
    await cannotSee(other, ["shop:shared", ...forms(answer, "acme.shop")]);
    expect(await listed(blog, { visibility: "org", pattern: "shop:*" })).toEqual(["acme.shop:shop:shared"]);

    await ask(ann, "cap_rename", { name: "shop:shared", visibility: "public" });
    expect((await succeeds(other, { capability: "acme.shop:shop:shared" })).result).toBe("shared");
    await cannotSee(other, ["shop:shared"]);
    const error = errorOf(
      await other.call("cap_rename", { name: "acme.shop:shop:shared", new_name: "stolen:it" }),
    );
    expect(error?.code).toBe("NOT_ALLOWED");
    expect((await lookUp(ann, "shop:shared")).display_name).toBe("shop:shared");
  });

  it("[ID-7] keep a private capability from a change, and its name from users who ask for a taken name", async () => {
    await succeeds(ann, { code: "return 'secret';", name: "secret:plan" });
    await rename(ann, "secret:plan", "secret:merger");
    await ask(ann, "cap_rename", { name: "secret:merger", visibility: "private" });
    for (const name of ["secret:plan", "secret:merger"]) {
      await cannotSee(bob, [name]);
      for (const options of [{}, { update: true }]) {
        const error = await fails(bob, { code: "return 'by bob';", name, options });
        expect(error).toEqual({
          code: "NAME_TAKEN",
          message: `Capability name '${name}' already exists in scope acme.shop`,
          hint: "Choose another name.",
        });
      }
    }
    expect((await succeeds(ann, { capability: "secret:merger" })).result).toBe("secret");
    // Who sends the very same code gets the result, and no word about whose it is.
    for (const name of [undefined, "bobs:own"]) {
      const same = await succeeds(bob, { code: "return 'secret';", ...(name === undefined ? {} : { name }) });
      expect(same).toMatchObject({
        result: "secret",
        warnings: [expect.stringContaining("was not saved: another user")],
      });
      expect(JSON.stringify(same)).not.toMatch(/merger|plan|acme\.shop|capabilityId/);
    }
    // The person whose it is may.
    const update = { code: "return 'newer secret';", name: "secret:merger", options: { update: true } };
    expect((await succeeds(ann, update)).capabilityVersion).toBe(2);
  });

  it("[WIRE-5] list the project's capabilities to a lean client, and everything else stays callable", async () => {
    const file = join(gateway().directory, "lean.json");
    const config = JSON.parse(readFileSync(gateway().config, "utf8")) as object;
    writeFileSync(file, JSON.stringify({ ...config, exposure: "lean" }));
    const lean = await gateway().connect("v2-2026", {
      serve: ["--config", file, "--scope", "acme/blog/ann"],
    });
    await succeeds(blog, { code: "return 'lean';", name: "lean:one" });
    const names = await wireNames(lean);
    expect(names.filter((name) => !/^(pml|cap)_/.test(name)).sort()).toEqual([
      "mcp__lean__one",
      "mcp__same__code",
      "mcp__same__name",
    ]);
    expect(await ask(lean, "work:echo", { value: 1 })).toEqual({ value: 1 });
    expect(await ask(lean, "mcp__same__name")).toEqual({ of: "blog" });
  });

  it("[WIRE-6] are not told of names in another project", async () => {
    const watchers = [ann, blog, other];
    await Promise.all(watchers.map((client) => client.tools()));
    const before = await Promise.all(watchers.map(({ news }) => news.toolChangesAtRest()));
    await succeeds(ann, { code: "return 'told';", name: "told:it" });
    const after = await Promise.all(watchers.map(({ news }) => news.toolChangesAtRest()));
    expect(after.map((told, index) => told - (before[index] ?? 0))).toEqual([1, 0, 0]);
  });
});
