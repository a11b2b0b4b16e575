import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../app/operations.js";
import type { ToolBox } from "../execution/ports/tool-box.js";
import { isRepeatable } from "../execution/wait/run-journal.js";
import { withOperations } from "./gateway-tool-box.js";
import type { ToolInvoker } from "./invoke-tool.js";

const none: ToolBox = {
  tools: () => [],
  settled: async () => {},
  call: async () => ({ content: [], isError: false }),
};

describe("[LP-3] operations as code knows them", () => {
  const tools = withOperations(none, OPERATIONS, {} as ToolInvoker, () => undefined).tools();
  const use = (wanted: string) =>
    tools.flatMap(({ id, operation }) =>
      (typeof operation === "object" ? "refused" : operation) === wanted ? [id] : [],
    );

  it("read, write, or are refused", () => {
    expect(use("reads").join(" ")).toBe(
      "pml:discover pml:get_task_result pml:trace cap:lookup cap:list cap:whois cap:history",
    );
    expect(use("writes").join(" ")).toBe("cap:rename cap:curate cap:save cap:fork cap:merge cap:delete");
    expect(use("refused").join(" ")).toBe(
      "pml:execute pml:stats cap:verify cap:promote pml:export pml:import pml:learn pml:keys pml:tokens pml:audit pml:cache pml:tools_changed pml:tools_accept pml:approvals pml:approve pml:servers pml:secrets pml:login pml:login_finish pml:logout pml:test pml:test_record pml:test_export pml:repair pml:view pml:decide pml:graph pml:open pml:backup pml:prune",
    );
  });

  it("[EX-8] may be called again in doubt only if they are read-only", () => {
    expect(tools.filter(isRepeatable).map(({ id }) => id)).toEqual(use("reads"));
  });

  it("say what they take and answer", () => {
    const lookup = tools.find(({ id }) => id === "cap:lookup");
    expect(lookup?.inputSchema).toMatchObject({ required: ["name"], additionalProperties: false });
    expect(JSON.stringify(lookup?.outputSchema)).toContain('"fqdn"');
  });
});
