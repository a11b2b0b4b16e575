import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Answer, ask, errorOf, execute, fails, lookUp, succeeds, wireNames } from "../support/agent.js";
import { scratchDirectory } from "../support/databases.js";
import { enter } from "../support/page-visitor.js";
import { sharedStoreConfig } from "../support/shared-store.js";
import type { TestClient } from "../support/test-client.js";
import { fixture, useGateway } from "../support/test-gateway.js";

type Fields = Readonly<Record<string, unknown>>;

const config = await sharedStoreConfig();
/** Other gateways hear of a change within a second; a busy machine gets more. */
const SOON = { timeout: 20_000 };

describe("[ST-3] two gateways on one PostgreSQL", () => {
  const one = useGateway("http", config);
  const two = useGateway("http", config);
  /** The same project, and another person. */
  const others = useGateway("http", { ...config, scope: { user: "stranger" } });
  let a: TestClient;
  let b: TestClient;

  beforeAll(async () => {
    a = await one().connect("v2-2025");
    b = await two().connect("v2-2025");
    for (const client of [a, b]) {
      expect(await ask(client, "cap_list")).toMatchObject({ total: 0 });
      await wireNames(client);
    }
  });

  const save = (client: TestClient, name: string, code: string, more: Fields = {}) =>
    ask(client, "cap_save", { intent: "share it", name, code, ...more });
  const run = async (client: TestClient, capability: unknown, args: Fields = {}) =>
    (await succeeds(client, { capability, args })).result;
  const codeOf = async (client: TestClient, capability: string) =>
    (await execute(client, { capability })).error?.code;

  /** What happens through A is told to the client of B, whose next list shows it. */
  async function toldToB(change: () => Promise<unknown>, isSo: (names: readonly string[]) => boolean) {
    const told = await b.news.toolChangesAtRest();
    await change();
    await b.news.until(({ toolChanges }) => toolChanges > told, SOON.timeout);
    await expect.poll(async () => isSo(await wireNames(b)), SOON).toBe(true);
  }

  it("[DA-3] tell the dashboard of one what ends and what waits at the other", async () => {
    const { url } = JSON.parse(await two().pml("open", "--json", "--no-browser")) as { url: string };
    const page = await enter(url);
    const { heard, close } = await page.listen();
    const hears = (event: string) => expect.poll(() => heard.map((one) => one.event), SOON).toContain(event);
    await succeeds(a, { code: "return 'seen elsewhere';" });
    await hears("runs.changed");
    const waits = await execute(a, { code: "return await mcp.work.destroy({ what: 'both' });" });
    expect(waits.status).toBe("approval_required");
    await hears("approvals.changed");
    expect(JSON.stringify(await page.call("pml:approvals"))).toContain("work:destroy");
    close();
  });

  it("[WIRE-6] tell their clients what was saved, renamed, deleted, restored and forked through the other", async () => {
    await toldToB(
      () => save(a, "two:new", "return 'new';"),
      (names) => names.includes("mcp__two__new"),
    );
    expect(await ask(b, "mcp__two__new")).toEqual({ result: "new" });
    await toldToB(
      () => ask(a, "cap_rename", { name: "two:new", new_name: "two:named" }),
      (names) => names.includes("mcp__two__named") && !names.includes("mcp__two__new"),
    );
    expect(await ask(b, "mcp__two__new")).toEqual({ result: "new" });
    await toldToB(
      () => ask(a, "cap_delete", { name: "two:named" }),
      (names) => !names.includes("mcp__two__named"),
    );
    expect(errorOf(await b.call("mcp__two__named"))?.code).toBe("CAPABILITY_DELETED");
    await toldToB(
      () => ask(a, "cap_delete", { name: "two:named", undelete: true }),
      (names) => names.includes("mcp__two__named"),
    );
    await toldToB(
      () => ask(a, "cap_fork", { source: "two:named", name: "two:fork" }),
      (names) => names.includes("mcp__two__fork"),
    );
    expect(await run(b, "two:fork")).toBe("new");
  });

  it("[ID-6] find at once what the other has saved, by every form of its name", async () => {
    const forms: readonly ((saved: Fields, name: string) => string)[] = [
      (_, name) => name,
      ({ id }) => id as string,
      ({ fqdn }) => fqdn as string,
      ({ fqdn }) => (fqdn as string).slice(0, (fqdn as string).lastIndexOf(".")),
      (_, name) => `local.default:${name}`,
      (_, name) => `${name}@v1`,
    ];
    for (const [index, form] of forms.entries()) {
      const name = `find:it_${index}`;
      const text = form(await save(a, name, `return "${name}";`), name);
      expect(await run(b, text), text).toBe(name);
    }
    await save(a, "find:called", "return 'called';");
    expect(await ask(b, "find:called")).toEqual({ result: "called" });
    await save(a, "find:coded", "return 'coded';");
    expect((await succeeds(b, { code: "return [await mcp.find.coded({})];" })).result).toEqual(["coded"]);
  });

  it("[ID-11] run the version that the other has added", async () => {
    await save(a, "ver:it", "return 1;");
    await save(b, "ver:caller", "return [await mcp.ver.it({}), await mcp['ver:it@1']({})];");
    expect(await run(b, "ver:it")).toBe(1);
    await save(a, "ver:it", "return 2;", { version_tag: "v2.0.0" });
    await expect.poll(() => run(b, "ver:it"), SOON).toBe(2);
    expect(await run(b, "ver:it@v2.0.0")).toBe(2);
    expect(await run(b, "ver:it@1")).toBe(1);
    expect(await run(b, "ver:caller")).toEqual([2, 1]);
    expect(await save(b, "ver:it", "return 3;")).toMatchObject({ saved: "updated", version: 3 });
    await expect.poll(() => run(a, "ver:it"), SOON).toBe(3);
  });

  it("[ID-12] say of what the other has deleted that it was, and reserve its name", async () => {
    await save(a, "del:it", "return 'del';");
    await save(b, "del:caller", "return [await mcp.del.it({})];");
    expect(await run(b, "del:caller")).toEqual(["del"]);
    expect((await ask(a, "cap_delete", { name: "del:it" })).dependents).toMatchObject([
      { name: "del:caller" },
    ]);
    await expect.poll(() => codeOf(b, "del:it"), SOON).toBe("CAPABILITY_DELETED");
    expect(await codeOf(b, "del:caller")).toBe("CAPABILITY_DELETED");
    expect((await fails(b, { code: "return 'other';", name: "del:it" })).code).toBe("NAME_TAKEN");
    await ask(b, "cap_delete", { name: "del:it", undelete: true });
    await expect.poll(() => codeOf(a, "del:it"), SOON).toBeUndefined();
    expect(await run(a, "del:caller")).toEqual(["del"]);
  });

  it("[ID-12] say so too of what nobody has asked them for before", async () => {
    const { id } = await save(a, "del:unseen", "return 'unseen';");
    await ask(a, "cap_delete", { name: "del:unseen" });
    await expect.poll(() => codeOf(b, "del:unseen"), SOON).toBe("CAPABILITY_DELETED");
    expect(await codeOf(b, id as string)).toBe("CAPABILITY_DELETED");
    const refusal = errorOf(
      await b.call("cap_save", { intent: "x", name: "del:unseen", code: "return 'mine';" }),
    );
    expect(refusal?.code).toBe("NAME_TAKEN");
  });

  it("[ID-7] hide what was made private through the other", async () => {
    const stranger = await others().connect("v2-2025");
    await save(a, "vis:it", "return 'seen';", {});
    expect(await run(stranger, "vis:it")).toBe("seen");
    await ask(a, "cap_rename", { name: "vis:it", visibility: "private" });
    await expect.poll(() => codeOf(stranger, "vis:it"), SOON).toBe("CAPABILITY_NOT_FOUND");
    expect(await wireNames(stranger)).not.toContain("mcp__vis__it");
    expect(await run(b, "vis:it")).toBe("seen");
    await ask(a, "cap_rename", { name: "vis:it", visibility: "project" });
    await expect.poll(() => codeOf(stranger, "vis:it"), SOON).toBeUndefined();
  });
  it("[ID-10] add up what both have seen of a capability", async () => {
    await save(a, "sum:it", "if (args.bad ?? false) throw new Error('bad');\nreturn args.n;");
    const trust = async (client: TestClient) =>
      ((await ask(client, "cap_whois", { name: "sum:it" })).trust as { readonly state: string }).state;
    const used = (client: TestClient, n: number) =>
      expect.poll(async () => (await lookUp(client, "sum:it")).usage_count, SOON).toBe(n);
    await run(a, "sum:it", { n: 1 });
    await run(b, "sum:it", { n: 2 });
    for (const client of [a, b]) {
      await used(client, 2);
      expect(await trust(client)).toBe("verified");
    }
    const failing: Answer[] = [];
    for (const client of [a, b, a]) {
      failing.push(await execute(client, { capability: "sum:it", args: { n: 1, bad: true } }));
      await used(client, 2 + failing.length);
    }
    for (const client of [a, b]) {
      await used(client, 5);
      expect(await trust(client)).toBe("suspect");
      expect(await lookUp(client, "sum:it")).toMatchObject({ success_rate: 0.4 });
    }
    await one().pml("cap", "verify", "sum:it");
    await expect.poll(() => trust(b), SOON).toBe("verified");
  });

  describe("and a third installation with a key of its own", () => {
    const directory = scratchDirectory();
    const foreign = useGateway("http", { mcpServers: { work: fixture("work") } });

    it("[ID-10] trust a key that was trusted through one of them", async () => {
      const stranger = await foreign().connect("v2-2025");
      await succeeds(stranger, { code: "return 'from afar';", name: "far:it" });
      const file = join(directory, "far.jsonl");
      await foreign().pml("export", "--output", file);
      await one().pml("import", file, "--yes");
      await expect.poll(() => codeOf(b, "far:it"), SOON).toBe("SIGNATURE_INVALID");
      expect(await wireNames(b)).not.toContain("mcp__far__it");
      const { trust } = (await ask(b, "cap_whois", { name: "far:it" })) as {
        readonly trust: { readonly public_key: string };
      };
      await toldToB(
        () => one().pml("key", "trust", trust.public_key, "--name", "afar"),
        (names) => names.includes("mcp__far__it"),
      );
      expect(await run(b, "far:it")).toBe("from afar");
      expect((await ask(b, "cap_whois", { name: "far:it" })).trust).toMatchObject({
        signed_by: 'the key "afar"',
      });
    });
  });
});
