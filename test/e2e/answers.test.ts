/** Every operation answers what its output schema says, and nothing beside it. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerOf } from "../../src/app/call-operation.js";
import { withGateway } from "../../src/app/gateway-client.js";
import { OPERATIONS, type OperationId } from "../../src/app/operations.js";
import { readSettings } from "../../src/app/settings.js";
import { scratchDirectory } from "../support/databases.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

/** They need an authorization server, or a page that a client shows: `sign-ins.test.ts` and `mcp-app.test.ts` call them. */
const ELSEWHERE = ["pml:login", "pml:login_finish", "pml:logout", "pml:view", "pml:decide"];

type Fields = Readonly<Record<string, unknown>>;

describe("[FP-15] the answer of each operation", () => {
  const gateway = useGateway("background", {
    mcpServers: { work: fixture("work"), shop: fixture("changing", join(scratchDirectory(), "state")) },
    approvals: { unannotated: "auto", scripted: true },
  });
  const agent = useClient(gateway, "v2-2025");

  it("is what its schema says", { timeout: 120_000 }, async () => {
    const asked = new Set<OperationId>();
    const { config, dataDir, env } = gateway();
    await agent().call("shop:target", { text: "a" });
    await withGateway(readSettings({ config, dataDir }, env), async (client) => {
      const ask = async (id: OperationId, input: Fields = {}): Promise<Fields> => {
        asked.add(id);
        const answer = await client.callTool(id, input, { person: { terminal: false } });
        expect(answer.isError, `${id}: ${answer.content[0]?.text}`).toBe(false);
        const schema = OPERATIONS.find((one) => one.id === id)?.output;
        const content = answerOf<Fields>(answer);
        expect(schema?.safeParse(content).error?.message, id).toBeUndefined();
        return content;
      };
      const run = (code: string, more: Fields = {}) =>
        ask("pml:execute", { intent: "count something", code, ...more });

      const counting = "for (const id of ['a', 'b']) if (id !== args.no) await mcp.work.count({ id });";
      const { workflowId, tasks } = await run(counting, { args: { no: "c" }, name: "cnt:both" });
      await run(`${counting} return 1;`, { options: { dry_run: true } });
      await run("return { n: 1 };", { name: "num:one" });
      await run("return 'unnamed';");
      await ask("pml:execute", { intent: "count something" });
      await run("return await mcp.cnt.both({ no: 'a' });", { name: "cnt:again" });
      await ask("pml:discover", { intent: "count", detail: "full", include_suggestions: true });
      const [{ taskId }] = tasks as [{ readonly taskId: string }];
      await ask("pml:get_task_result", { workflow_id: workflowId, task_id: taskId });
      await ask("pml:stats");
      await ask("pml:servers");
      await ask("pml:secrets");
      await ask("pml:trace");
      await ask("pml:trace", { workflow_id: workflowId });

      for (const name of ["cnt:both", "mcp:work"]) {
        await ask("cap:lookup", { name });
        await ask("cap:whois", { name });
        await ask("cap:history", { name });
      }
      await ask("cap:list");
      await ask("cap:list", { type: "mcp-server" });
      await ask("cap:rename", { name: "num:one", new_name: "num:uno", ttl: 5, cache_policy: "memoize" });
      await ask("cap:history", { name: "num:one" });
      await ask("cap:save", { intent: "two", code: "return 2;", name: "num:two", version_tag: "v1.0.0" });
      await ask("cap:fork", { source: "num:two", name: "num:copy" });
      await ask("cap:merge", { sources: ["num:uno", "num:two"], name: "num:both" });
      await ask("cap:verify", { name: "num:two" });
      const { suggestions } = await ask("cap:curate", { detail: "full" });
      const [{ id }] = suggestions as [{ readonly id: string }];
      await ask("cap:curate", { mode: "apply", renames: [{ id, name: "word:unnamed" }] });
      await ask("cap:curate", { mode: "auto" });

      const { header, fqdns } = await ask("pml:export");
      const { lines } = await ask("pml:export", { fqdns });
      const records = (lines as readonly string[]).map((line, at) => ({
        line: at + 2,
        record: JSON.parse(line) as unknown,
      }));
      await ask("pml:import", { header: JSON.parse(String(header)), lines: records, dry_run: true });
      await ask("pml:keys", { action: "list" });
      await ask("pml:keys", { action: "show", key: "own" });
      await ask("pml:cache", { action: "stats" });
      await ask("pml:cache", { action: "clear", name: "num:uno" });
      await ask("pml:cache", { action: "log" });
      await ask("cap:delete", { name: "cnt:both" });
      await ask("cap:delete", { name: "cnt:both", undelete: true });

      await client.callTool("shop:become", { what: "description" });
      const changed = async () => (await ask("pml:tools_changed")).tools as readonly Fields[];
      await expect.poll(async () => (await changed()).length, { timeout: 20_000 }).toBe(1);
      const [{ tool, hash } = {}] = await changed();
      await ask("pml:tools_accept", { tools: [{ tool, hash }] });

      const waiting = await run("return await mcp.work.destroy({ what: 'x' });");
      expect(waiting.status).toBe("approval_required");
      await ask("pml:approvals");
      await ask("pml:approvals", { workflow_id: waiting.workflowId });
      await ask("pml:approve", { workflow_id: waiting.workflowId, decision: "always" });
      await ask("pml:approvals", { revoke: "work:destroy" });
      await ask("pml:backup", { file: join(gateway().directory, "backup") });
      await ask("pml:prune", { dry_run: true });

      await ask("cap:promote", { name: "num:two" });
      await ask("pml:test_record", { name: "num:uno", args: {} });
      await ask("pml:test");
      await ask("pml:test_export");
      await ask("pml:repair");
      await ask("pml:graph");
      await ask("pml:open");
      await ask("pml:tokens", { action: "create", name: "ci", role: "reader", expires: "1h" });
      await ask("pml:tokens", { action: "list" });
      await ask("pml:tokens", { action: "revoke", name: "ci" });
      await ask("pml:audit", { verify: true });
      await ask("pml:servers", { server: "work" });
      await ask("pml:learn", { action: "list" });
      const calls = [1, 2, 3].map((n) => ({
        id: `s${n}`,
        calls: [
          { tool: "work:count", arguments: { id: `session-${n}` }, result: { ticket: `ticket-${n}-long` } },
          { tool: "work:keep", arguments: { what: `ticket-${n}-long` }, result: { ok: true } },
        ],
      }));
      await ask("pml:learn", { action: "from", sessions: calls, batch: "b", last: true });
      await ask("pml:prune");
    });
    expect(OPERATIONS.map(({ id }) => id).filter((id) => !asked.has(id))).toEqual(ELSEWHERE);
  });
});
