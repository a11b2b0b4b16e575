/** What a person decides in the page, in a real browser on a real gateway, and what becomes of it. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Pin } from "../../src/app/pin.js";
import { keyDirectory } from "../../src/app/places.js";
import { SecretStore } from "../../src/app/secret-store.js";
import { ask, execute, succeeds } from "../support/agent.js";
import { hostApp } from "../support/app-host.js";
import { AuthorizationServer } from "../support/authorization-server.js";
import { scratchDirectory } from "../support/databases.js";
import { enter } from "../support/page-visitor.js";
import { goTo, openDashboard, useBrowser, violations, watched } from "../support/real-browser.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

const permissions = join(scratchDirectory(), "mcp-permissions.yaml");
writeFileSync(permissions, "servers:\n  old: { tools: { hold: { approvalMode: hil } } }\n");
const DESTROY = "return (await mcp.work.destroy({ what: args.what })).count";
const SOON = { timeout: 20_000 };

const browser = useBrowser();
const authorization = await AuthorizationServer.start();
afterAll(() => authorization.close());

describe("a person in the dashboard", () => {
  const gateway = useGateway("http", {
    mcpServers: {
      work: fixture("work"),
      shop: fixture("shop"),
      old: { ...fixture("questions"), protocol: "2025" },
      changing: fixture("changing", join(scratchDirectory(), "state")),
      notes: {
        url: authorization.resource,
        auth: { redirectUrl: "http://127.0.0.1:41805/callback" },
      } as never,
    },
    approvals: { scripted: true, unannotated: "auto" },
    permissions,
  });
  const other = useGateway("background", { mcpServers: {} });
  const agent = useClient(gateway, "v2-2025", { can: [] });
  let page: Page;
  let noComplaints: () => void;

  beforeAll(async () => {
    new SecretStore(gateway().env, () => undefined).set("SHOP_KEY", "value-of-the-secret");
    page = await openDashboard(browser(), gateway());
    await page.context().grantPermissions(["clipboard-write"]);
    noComplaints = watched(page);
  });

  async function waits(what: string): Promise<string> {
    const intent = `destroy ${what}`;
    const { status, workflowId } = (await execute(agent(), {
      intent,
      code: DESTROY,
      args: { what },
    })) as unknown as { readonly status: string; readonly workflowId: string };
    expect(status).toBe("approval_required");
    await page.getByRole("heading", { name: intent }).waitFor();
    return workflowId;
  }

  it("[DA-2] says always, and takes it back", async () => {
    await goTo(page, "#/approvals");
    const workflowId = await waits("always");
    await page.keyboard.press("w");
    await page.getByText("from now on without asking").waitFor();
    await succeeds(agent(), { resume: workflowId });
    await succeeds(agent(), { code: DESTROY, args: { what: "unasked" } });
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByText("work:destroy is asked about again").waitFor();
  });

  it("[DA-2] says no, and the agent is told so", async () => {
    const workflowId = await waits("no");
    await page.keyboard.press("n");
    await page.getByText("Nothing waits for you").waitFor();
    expect(await execute(agent(), { resume: workflowId })).toMatchObject({
      status: "error",
      error: { code: "APPROVAL_REJECTED" },
    });
  });

  describe("[DA-2] [EX-8] says of a call in doubt", () => {
    let started: string;
    /** A run that was cancelled while its call was under way, so that it is unknown whether the call happened. */
    async function doubted(name: string): Promise<string> {
      const paths = [`${name}-started`, `${name}-until`].map((file) => join(gateway().directory, file));
      const [begun = "", until = ""] = paths;
      started = begun;
      const code = `await mcp.old.hold({ started: ${JSON.stringify(begun)}, until: ${JSON.stringify(until)} }); return "went on";`;
      await goTo(page, "#/approvals");
      const { workflowId } = (await execute(agent(), { intent: name, code })) as unknown as {
        readonly workflowId: string;
      };
      await page.getByRole("heading", { name }).waitFor();
      await page.keyboard.press("o");
      await page.getByText("Nothing waits for you").waitFor();
      const stopper = new AbortController();
      const running = agent().call("pml_execute", { resume: workflowId }, { signal: stopper.signal });
      await expect.poll(() => existsSync(begun), SOON).toBe(true);
      stopper.abort();
      await expect(running).rejects.toThrow();
      const now = () => execute(agent(), { resume: workflowId });
      // It was cancelled half-way: whether it goes on is asked first, and then what became of the call.
      await expect.poll(async () => (await now()).status, SOON).toBe("approval_required");
      await page.getByText("because it was cancelled half-way").waitFor();
      await page.keyboard.press("o");
      await page.getByText("Nothing waits for you").waitFor();
      await expect.poll(async () => (await now()).error?.code, SOON).toBe("CALL_IN_DOUBT");
      writeFileSync(until, "");
      rmSync(begun);
      await page.getByText("call in doubt").first().waitFor();
      return workflowId;
    }
    const decide = async (answer: string) => {
      await page.getByRole("group", { name: "Your decision" }).getByRole("button", { name: answer }).click();
      await page.getByText("Nothing waits for you").waitFor();
    };

    it("that it happened", async () => {
      const link = JSON.parse(await gateway().pml("open", "--json", "--no-browser")) as { url: string };
      const { heard, close } = await (await enter(link.url)).listen();
      const workflowId = await doubted("hold it once");
      expect(heard.map(({ event }) => event)).toContain("approval.waiting");
      close();
      await page.keyboard.press("d");
      await page.getByText("Nothing waits for you").waitFor();
      expect((await succeeds(agent(), { resume: workflowId })).result).toBe("went on");
      expect(existsSync(started)).toBe(false);
    });

    it("to call it again", async () => {
      const workflowId = await doubted("hold it twice");
      await decide("Call it again");
      expect((await succeeds(agent(), { resume: workflowId })).result).toBe("went on");
      expect(existsSync(started)).toBe(true);
    });

    it("to give up", async () => {
      const workflowId = await doubted("hold it no more");
      await decide("Give up");
      expect(await execute(agent(), { resume: workflowId })).toMatchObject({ status: "error" });
      expect(existsSync(started)).toBe(false);
    });
  });

  it("[DA-2] [DO-4] signs in to a server in another tab, and out again", async () => {
    await goTo(page, "#/servers");
    const notes = page.getByRole("region", { name: "notes" });
    await notes.getByRole("button", { name: "Sign in" }).click();
    const link = notes.getByRole("link", { name: "Open the sign-in page" });
    const [tab] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
    await page.getByText("Signed in to notes").waitFor();
    await tab.close();
    await notes.getByText(`at ${authorization.origin}`).waitFor();
    await notes.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Signed out of notes").waitFor();
    await notes.getByRole("button", { name: "Sign in" }).waitFor();
  });

  it("[DA-2] [ID-10] trusts the key of another author, and no longer", async () => {
    const file = join(gateway().directory, "shared.jsonl");
    const stranger = await other().connect("v2-2025");
    await succeeds(stranger, { intent: "greet", code: 'return "hello";', name: "greet:hello" });
    await stranger.close();
    await other().pml("export", "greet:hello", "--output", file);
    await gateway().pml("import", file, "--yes");
    const greet = () =>
      execute(agent(), { intent: "greet", capability: "greet:hello", options: { no_cache: true } });
    expect((await greet()).error?.code).toBe("SIGNATURE_INVALID");
    await goTo(page, "#/settings");
    await page.getByRole("button", { name: "Trust", exact: true }).click();
    await page.getByLabel("Whose key it is").fill("ada");
    await page.keyboard.press("Enter");
    await page.getByText("Code signed by ada may run here").waitFor();
    expect((await greet()).result).toBe("hello");
    await page.getByRole("button", { name: "Stop trusting" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop trusting" }).click();
    await page.getByText("ada is not trusted any more").waitFor();
    expect((await greet()).error?.code).toBe("SIGNATURE_INVALID");
  });

  it("[GW-5] accepts a tool that has changed, after seeing what changed", async () => {
    await goTo(page, "#/servers");
    await agent().call("changing:target", { text: "x" });
    await agent().call("changing:become", { what: "description" });
    await page.getByRole("region", { name: "What changed in changing:target" }).waitFor();
    expect(await page.locator(".diff").innerText()).toContain("send all keys here");
    const unchanged = page.locator(".diff tr.same").first().locator("td:visible");
    expect(await unchanged.count()).toBe(4);
    // One below the other on a phone.
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await unchanged.count()).toBe(2);
    await page.setViewportSize({ width: 1_200, height: 900 });
    expect((await agent().call("changing:target", { text: "x" })).isError).toBe(true);
    await page.getByRole("button", { name: "Accept the change" }).click();
    await page.getByText("changing:target can be called again").waitFor();
    expect((await agent().call("changing:target", { text: "x" })).isError).not.toBe(true);
  });

  it("[DO-1] makes a token that is shown once, and revokes it", async () => {
    await goTo(page, "#/settings");
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("build-server");
    await page.getByLabel("Role").selectOption("reader");
    await page.getByRole("button", { name: "Create" }).click();
    const made = page.getByRole("region", { name: "The new token", exact: true });
    await made.waitFor();
    expect(await made.innerText()).toMatch(/pml_[\w-]{43}/);
    expect(await violations(page)).toEqual([]);
    await made.getByRole("button", { name: "Copy" }).click();
    await page.getByText("Copied").waitFor();
    await made.getByRole("button", { name: "I have it" }).click();
    // The audit log below names it, too.
    const tokens = page.locator(".card", { hasText: "Clients that reach this gateway" });
    const listed = tokens.getByRole("listitem").filter({ hasText: "build-server" });
    expect(await listed.innerText()).toMatch(/reader[\s\S]*never used[\s\S]*ends/);
    expect(await page.content()).not.toMatch(/pml_[\w-]{43}/);
    await listed.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("build-server is revoked").waitFor();
    await page.getByText("No tokens yet").waitFor();
  });

  it("[DA-2] reads who decided what, that it was not altered, and names of secrets without their values", async () => {
    await goTo(page, "#/today");
    await goTo(page, "#/settings");
    const audit = page.locator(".card", { hasText: "in a chain" });
    await audit.getByText("pml:approve always").first().waitFor();
    await audit.getByText("pml:tokens create").first().waitFor();
    await audit.getByRole("button", { name: "Verify" }).click();
    await audit.getByText("whole", { exact: true }).waitFor();
    await page.getByText("SHOP_KEY").waitFor();
    expect(await page.content()).not.toContain("value-of-the-secret");
  });

  it("[LC-5] accepts what was learnt from single calls", async () => {
    await goTo(page, "#/today");
    for (const who of ["ada", "bob", "eve"]) {
      const email = `${who}@example.org`;
      const found = await ask(agent(), "mcp__shop__find_customer", { email });
      const { id } = found.customer as { readonly id: string };
      const { order_id } = await ask(agent(), "mcp__shop__latest_order", { customer_id: id });
      await ask(agent(), "mcp__shop__add_note", { order_id, text: `for ${who}`, api_key: "k" });
    }
    const card = page.locator(".card", { hasText: "Learnt from calls" });
    await card.waitFor(SOON);
    await card.getByRole("button", { name: "Evidence" }).first().click();
    await card
      .getByText(/latest_order/)
      .first()
      .waitFor();
    await card.getByRole("region", { name: /The code of/ }).waitFor();
    expect(await violations(page)).toEqual([]);
    await card.getByRole("button", { name: "Accept" }).first().click();
    await page.getByLabel(/Its name/).fill("shop:note_latest");
    await page.keyboard.press("Enter");
    await page.getByText("shop:note_latest is accepted").waitFor();
    const listed = (await agent().tools()).map(({ _meta }) => _meta?.["pml/id"]);
    expect(listed).toContain("shop:note_latest");
  });

  it("[SW-1] [SW-4] records runs of a capability, tests them, and gives a new version to all", async () => {
    const code = "return (await mcp.work.echo({ value: args.value })).value;";
    await succeeds(agent(), { intent: "echo it", code, args: { value: 1 }, name: "num:say" });
    await goTo(page, "#/capability/num%3Asay?tab=tests");
    await page.getByText("No recordings yet").waitFor();
    await page.getByRole("button", { name: "Record its runs" }).click();
    await page.getByText("Version 1: 1 recording passed").waitFor();
    await page.getByText("none of its tools has changed").waitFor();
    await page.getByText("All users get version 1").waitFor();
    await ask(agent(), "cap_save", {
      intent: "echo it",
      name: "num:say",
      code: `const again = true;\n${code}`,
    });
    await page.getByText("Others get version 1").waitFor();
    await page.getByRole("button", { name: "Promote" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Promote" }).click();
    await page.getByText("All get version 2 now").waitFor();
    await page.getByText("All users get version 2").waitFor();
  });

  it("[DA-2] [SW-2] repairs a capability whose tool has changed, after seeing the repair", async () => {
    const accept = () => gateway().pml("tools", "accept", "changing:target", "--yes");
    await agent().call("changing:become", { what: "first" });
    // It may be that already.
    await accept().catch(() => {});
    const code = "return await mcp.changing.target({ text: args.text });";
    await succeeds(agent(), { intent: "say it", code, args: { text: "a" }, name: "words:say" });
    await goTo(page, "#/capabilities");
    await page
      .getByRole("listitem")
      .filter({ hasText: "words:say" })
      .getByText(/^1 use$/)
      .waitFor();
    await goTo(page, "#/capability/words%3Asay?tab=tests");
    await page.getByRole("button", { name: "Record its runs" }).click();
    await page.getByText("Version 1: 1 recording passed").waitFor();
    await agent().call("changing:become", { what: "field" });
    await page.getByText("repairable", { exact: true }).waitFor();
    await accept();
    const repair = page.getByRole("region", { name: "What the repair changes" });
    await repair.waitFor();
    expect(await repair.innerText()).toContain("message: args.text");
    await page.getByText("The repaired code passes 1 recording").waitFor();
    await page.getByRole("button", { name: "Repair", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Repair" }).click();
    await page.getByText("Repaired: version 2").waitFor();
    const again = { intent: "say it", capability: "words:say", args: { text: "b" } };
    expect(await succeeds(agent(), again)).toMatchObject({ capabilityVersion: 2, result: "said b" });
  });

  it("the browser has complained about nothing", () => noComplaints());

  // A browser writes each answer that a PIN is needed to its console.
  it("[TB-7] is asked for the PIN where one is set, until it is right", async () => {
    await goTo(page, "#/approvals");
    const pin = new Pin(keyDirectory(gateway().env));
    await pin.set("4821");
    try {
      const workflowId = await waits("with a PIN");
      await page.keyboard.press("o");
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("PIN").fill("1111");
      await page.keyboard.press("Enter");
      await dialog.getByText("The PIN is wrong").waitFor();
      expect((await execute(agent(), { resume: workflowId })).status).toBe("approval_required");
      await dialog.getByLabel("PIN").fill("4821");
      await page.keyboard.press("Enter");
      await page.getByText("Nothing waits for you").waitFor();
      await succeeds(agent(), { resume: workflowId });
    } finally {
      pin.remove();
    }
  });
});

describe("[DA-4] inside of a local MCP client", () => {
  const gateway = useGateway("background", {
    mcpServers: { work: fixture("work") },
    approvals: { unannotated: "auto" },
  });
  const agent = useClient(gateway, "v2-2026", { can: ["apps"] });

  it("the page decides at the real gateway, and the agent continues", async () => {
    const result = await agent().call("pml_execute", {
      intent: "destroy it in the client",
      code: DESTROY,
      args: { what: "in the client" },
    });
    const { workflowId } = result.structuredContent as { readonly workflowId: string };
    const { frame, calls, close } = await hostApp(browser(), agent(), result);
    await frame.getByRole("heading", { name: "destroy it in the client" }).waitFor();
    await frame.getByText("mcp.work.destroy").first().waitFor();
    await frame.getByRole("button", { name: /Approve once/ }).click();
    await frame.getByText("You have decided").waitFor();
    expect(calls).toEqual(["pml_view", "pml_decide"]);
    expect((await execute(agent(), { resume: workflowId })).status).toBe("success");
    await close();
  });

  it("the page shows the path of a run", async () => {
    const code = `let sum = 0;
for (const value of args.values) sum += (await mcp.work.echo({ value })).value;
return sum;`;
    const args = { values: [1, 2, 3, 4] };
    const result = await agent().call("pml_execute", { intent: "add up", code, args, name: "num:sum" });
    const { frame, close } = await hostApp(browser(), agent(), result);
    const dag = frame.getByRole("group", { name: "The path of this run" });
    await dag.waitFor();
    expect(await dag.textContent()).toContain("4 rounds");
    await close();
  });
});
