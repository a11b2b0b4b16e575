/** Graphs of tasks, and capabilities that are made of them. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ask, counted, execute, fails, succeeds, wireNames } from "../support/agent.js";
import { fixture, useClient, useGateway } from "../support/test-gateway.js";

type Fields = Readonly<Record<string, unknown>>;

const config = {
  mcpServers: { work: fixture("work"), meeting: fixture("meeting") },
  approvals: { unannotated: "auto", scripted: true },
};
/** No person can be asked. */
const ALONE = { can: [] } as const;
const task = (id: string, tool: string, more: Fields = {}) => ({ id, tool, ...more });
const endings = (tasks: unknown) =>
  (tasks as readonly Fields[]).map(({ taskId, status, success }) => `${taskId}: ${status} ${success}`).sort();

describe("a graph of tasks", () => {
  const gateway = useGateway("foreground", config);
  const client = useClient(gateway, "v2-2025", ALONE);
  const run = (tasks: readonly Fields[], more: Fields = {}) =>
    succeeds(client(), { dag: { tasks }, ...more });

  it("[EX-9] runs what depends on nothing at the same time, and each task as soon as what it needs has ended", async () => {
    // The server answers only if the calls come at the same time.
    const meet = (id: string, more: Fields = {}) =>
      task(id, "meeting:meet", { arguments: { id: "first", of: 3, who: id }, ...more });
    const answer = await run([
      meet("a"),
      meet("b"),
      task("early", "meeting:come", { arguments: { who: "early" } }),
      // It waits for what is early, and b for it.
      meet("c", { dependsOn: ["early"] }),
    ]);
    expect(answer.result).toEqual({
      a: { met: 3, who: "a" },
      b: { met: 3, who: "b" },
      c: { met: 3, who: "c" },
    });
    expect(endings(answer.tasks)).toEqual([
      "a: success true",
      "b: success true",
      "c: success true",
      "early: success true",
    ]);
  });

  it("[EX-9] [FP-17] fills in results, parts of them, and parameters", async () => {
    const { result } = await run(
      [
        task("come", "meeting:come", { arguments: { who: { $arg: "who" } } }),
        task("echo", "work:echo", {
          arguments: {
            value: {
              whole: { $ref: "come.list" },
              name: { $ref: "come.list[0].name" },
              tag: [{ $ref: "come.list.0.tags.1" }, { $arg: "who" }],
              itself: { $literal: { $ref: "come" } },
            },
          },
        }),
      ],
      { args: { who: "Ada" } },
    );
    const list = [{ name: "Ada", tags: ["x", "y"] }];
    expect(result).toEqual({
      echo: { value: { whole: list, name: "Ada", tag: ["y", "Ada"], itself: { $ref: "come" } } },
    });
  });

  it("[EX-9] brings any text to its task as it is", async () => {
    const value = {
      __proto__x: "a",
      "q\"'`": ["</script>", "$" + "{args}", "\\", "line\nline\u2028\u0000", "🎉"],
      n: [-1.5e-7, null],
    };
    const ids = ["__proto__", "naïve ünïcode", "class", "a-b", "a_b", "x".repeat(100), '"); throw 1; ("'];
    const { result } = await run(ids.map((id) => task(id, "work:echo", { arguments: { value } })));
    expect(result).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(ids.map((id) => [id, { value }])))));
  });

  it("[FP-10] has a failed task fail what depends on it, and only that", async () => {
    const tasks = [
      task("bad", "work:fail"),
      task("good", "meeting:come", { arguments: { who: "good" } }),
      task("lost", "work:count", { arguments: { id: "lost" }, dependsOn: ["bad", "good"] }),
      task("lost too", "work:count", { arguments: { id: "lost" }, dependsOn: ["lost"] }),
      task("empty", "work:count", { arguments: { id: { $ref: "good.list[3].name" } } }),
      task("after", "work:count", { arguments: { id: "after" }, dependsOn: ["good"] }),
    ];
    const answer = await execute(client(), { dag: { tasks }, name: "x:partly" });
    expect(answer).toMatchObject({
      status: "error",
      error: {
        code: "RUN_FAILED",
        message: [
          'Task "bad" failed: work:fail: broken on purpose',
          'Task "empty" failed: there is no list[3].name in the result of "good"',
          'Skipped, because they need what failed: "lost", "lost too"',
        ].join("\n"),
        failed: ["bad", "empty"],
        skipped: ["lost", "lost too"],
      },
    });
    expect(endings(answer.tasks)).toEqual([
      "after: success true",
      "bad: failed false",
      "empty: failed false",
      "good: success true",
      "lost too: skipped false",
      "lost: skipped false",
    ]);
    expect(answer.tasks).toContainEqual(
      expect.objectContaining({
        taskId: "empty",
        tool: "work:count",
        resultPreview: 'there is no list[3].name in the result of "good"',
      }),
    );
    expect([await counted(client(), "lost"), await counted(client(), "after")]).toEqual([0, 1]);
    expect(await fails(client(), { capability: "x:partly" })).toMatchObject({ code: "CAPABILITY_NOT_FOUND" });
  });

  it("[EX-9] [FP-10] is an error of the tool where nothing but a tool has failed", async () => {
    expect(await fails(client(), { dag: { tasks: [task("only", "work:fail")] } })).toMatchObject({
      code: "TOOL_FAILED",
      failed: ["only"],
      message: 'Task "only" failed: work:fail: broken on purpose',
    });
  });

  it("[EX-9] is remembered as a capability of source dag, and run by name with the names of its tasks", async () => {
    const dag = {
      tasks: [
        task("read", "work:read_file", { arguments: { path: { $arg: "path" } } }),
        task("say", "work:echo", { arguments: { value: { $ref: "read.content" } } }),
      ],
    };
    const first = await succeeds(client(), { dag, args: { path: "a.json" }, name: "d:read" });
    expect(first.capabilityName).toBe("d:read");
    expect(await ask(client(), "cap_whois", { name: "d:read" })).toMatchObject({
      source: "dag",
      dag,
      provenance: { source: "dag" },
      tools_used: ["work:read_file", "work:echo"],
      parameters: {
        properties: { path: { type: "string", description: "Path of the file" } },
        required: ["path"],
      },
    });
    const again = await succeeds(client(), {
      capability: "d:read",
      args: { path: "b.json" },
      options: { no_cache: true },
    });
    expect(again.result).toEqual({ say: { value: '{"name":"b","n":2}' } });
    expect(endings(again.tasks)).toEqual(["read: success true", "say: success true"]);
    const failed = await execute(client(), { capability: "d:read", args: { path: "none" } });
    expect(endings(failed.tasks)).toEqual(["read: failed false", "say: skipped false"]);
    expect(failed.error).toMatchObject({ code: "TOOL_FAILED", failed: ["read"], skipped: ["say"] });
    expect(await execute(client(), { capability: "d:read", options: { dry_run: true } })).toMatchObject({
      taskIds: { n1: "read", n2: "say" },
    });
    // As a tool, it answers like any.
    expect(await ask(client(), "d:read", { path: "a.json" })).toEqual({
      say: { value: '{"name":"a","n":1}' },
    });
    expect(await fails(client(), { capability: "d:read", args: { file: 1 } })).toMatchObject({
      code: "ARGUMENTS_INVALID",
    });
  });

  it("[EX-9] calls capabilities, and is called by code", async () => {
    await succeeds(client(), { code: "return { twice: args.n * 2 };", args: { n: 1 }, name: "d:twice" });
    const dag = {
      tasks: [
        { id: "two", capability: "d:twice", arguments: { n: { $arg: "n" } } },
        { id: "four", capability: "d:twice@v1", arguments: { n: { $ref: "two.twice" } } },
      ],
    };
    const { result, tasks } = await succeeds(client(), { dag, args: { n: 3 }, name: "d:four_times" });
    expect(result).toEqual({ four: { twice: 12 } });
    expect(endings(tasks)).toEqual(["four: success true", "two: success true"]);
    const nested = await succeeds(client(), {
      code: "const { four } = await mcp.d.four_times({ n: args.n });\nreturn four.twice + 1;",
      args: { n: 10 },
    });
    expect(nested.result).toBe(41);
    const broken = await succeeds(client(), {
      dag: { tasks: [task("a", "work:echo", { arguments: { value: 1 } })] },
      name: "d:inner",
    });
    expect(broken.result).toEqual({ a: { value: 1 } });
    await ask(client(), "cap_save", {
      intent: "fail inside",
      name: "d:failing",
      source: { type: "dag", tasks: [task("x", "work:fail")] },
    });
    const outer = { tasks: [{ id: "outer", capability: "d:failing" }] };
    expect(await execute(client(), { dag: outer })).toMatchObject({
      error: { code: "RUN_FAILED", failed: ["outer"] },
      tasks: [
        { taskId: "outer", status: "failed", resultPreview: expect.stringContaining('Task "x" failed') },
        { taskId: "outer.n1", tool: "work:fail", status: "failed" },
      ],
    });
    expect(await fails(client(), { code: "return await mcp.d.failing({});" })).toMatchObject({
      message: expect.stringContaining('Task "x" failed: work:fail: broken on purpose'),
    });
  });

  it("[EX-9] gets a version by other tasks, and may be code in another", async () => {
    const dag = (value: string) => ({
      tasks: [task("say", "work:echo", { arguments: { value: { v: value } } })],
    });
    await succeeds(client(), { dag: dag("one"), name: "d:versions" });
    expect(await fails(client(), { dag: dag("two"), name: "d:versions" })).toMatchObject({
      code: "NAME_TAKEN",
    });
    const update = { options: { update: true }, name: "d:versions" };
    expect(await succeeds(client(), { dag: dag("two"), ...update })).toMatchObject({ capabilityVersion: 2 });
    expect(await succeeds(client(), { code: "return 'three';", ...update })).toMatchObject({
      capabilityVersion: 3,
    });
    expect(await ask(client(), "cap_whois", { name: "d:versions" })).toMatchObject({ source: "code" });
    expect(await ask(client(), "cap_whois", { name: "d:versions" })).not.toHaveProperty("dag");
    expect(await ask(client(), "cap_whois", { name: "d:versions@v2" })).toMatchObject({
      source: "dag",
      dag: dag("two"),
    });
    expect(await succeeds(client(), { capability: "d:versions@v1" })).toMatchObject({
      result: { say: { value: { v: "one" } } },
      tasks: [{ taskId: "say", status: "success" }],
    });
    // The same graph is the same capability.
    const known = await succeeds(client(), { dag: dag("one"), options: { no_cache: true } });
    expect(known.capabilityName).toBe("d:versions");
    await ask(client(), "cap_fork", { source: "d:versions@v2", name: "d:forked" });
    expect(await ask(client(), "cap_whois", { name: "d:forked" })).toMatchObject({
      source: "dag",
      dag: dag("two"),
    });
  });

  it("[EX-9] [EX-12] tells in a dry run what there is, and what is wrong at which task", async () => {
    const dag = {
      tasks: [
        task("a", "work:read_file", { arguments: { path: "a.json" } }),
        task("b", "work:echo", { arguments: { value: { $ref: "a.content" } } }),
        task("c", "work:ecko", { dependsOn: ["b"] }),
        task("d", "work:read_file", { arguments: { path: 5 } }),
      ],
    };
    const answer = (await execute(client(), { dag, options: { dry_run: true } })) as unknown as Fields;
    expect(answer).toMatchObject({
      status: "dry_run",
      problems: [
        { code: "TOOL_NOT_FOUND", task: "c", nearest: expect.arrayContaining(["mcp.work.echo"]) },
        { code: "ARGUMENTS_INVALID", task: "d" },
      ],
    });
    const good = { tasks: dag.tasks.slice(0, 2) };
    const { dag: structure, taskIds } = (await execute(client(), {
      dag: good,
      options: { dry_run: true },
    })) as unknown as { dag: { nodes: readonly Fields[]; edges: readonly Fields[] }; taskIds: Fields };
    expect(structure.nodes.map(({ id, type }) => `${id} ${type}`)).toEqual([
      "f1 fork",
      "n1 task",
      "n2 task",
      "j1 join",
    ]);
    expect(structure.edges).toContainEqual(
      expect.objectContaining({ from: "n1", to: "n2", type: "provides" }),
    );
    expect(taskIds).toEqual({ n1: "a", n2: "b" });
    expect(await fails(client(), { dag })).toMatchObject({
      code: "TOOL_NOT_FOUND",
      message: expect.stringMatching(/^Task "c": .*\nTask "d": /),
    });
  });

  it.each<[string, unknown, string, string]>([
    ["no tasks", { tasks: [] }, "ARGUMENTS_INVALID", "dag.tasks"],
    [
      "a circle",
      {
        tasks: [task("a", "work:count", { dependsOn: ["b"] }), task("b", "work:count", { dependsOn: ["a"] })],
      },
      "DAG_INVALID",
      '"a" needs "b" needs "a"',
    ],
    [
      "an id twice",
      { tasks: [task("a", "work:count"), task("a", "work:count")] },
      "DAG_INVALID",
      'two tasks have the id "a"',
    ],
    [
      "an unknown capability",
      { tasks: [{ id: "a", capability: "no:such" }, task("b", "work:count")] },
      "CAPABILITY_NOT_FOUND",
      'Task "a"',
    ],
    [
      "both",
      { tasks: [task("a", "work:count", { capability: "x" })] },
      "DAG_INVALID",
      'task "a": give either',
    ],
    [
      "an unknown field",
      { tasks: [task("a", "work:count", { depends_on: [] })] },
      "ARGUMENTS_INVALID",
      "depends_on",
    ],
    [
      "a missing parameter",
      { tasks: [task("a", "work:count", { arguments: { id: { $arg: "id" } } })] },
      "ARGUMENTS_INVALID",
      'missing argument "id"',
    ],
  ])("[EX-9] [FP-7] refuses %s before anything runs", async (_, dag, code, message) => {
    const before = await counted(client(), "");
    const answer = await execute(client(), { dag });
    expect(await counted(client(), "")).toBe(before);
    expect(answer.error?.code).toBe(code);
    expect(`${answer.error?.message} ${answer.error?.hint}`).toContain(message);
  });

  it("[EX-9] refuses a name that is taken before anything runs", async () => {
    await succeeds(client(), { code: "return 'mine';", name: "d:mine" });
    const dag = { tasks: [task("a", "work:count", { arguments: { id: "taken" } })] };
    expect(await fails(client(), { dag, name: "d:mine" })).toMatchObject({ code: "NAME_TAKEN" });
    expect(await counted(client(), "taken")).toBe(0);
  });

  it("[WIRE-4] is answered under the names of before, which are in no list", async () => {
    const old = ["pml_execute_dag", "pml_execute_code", "pml_list_capabilities"];
    const listed = await wireNames(client());
    for (const name of old) expect(listed).not.toContain(name);
    const dag = { tasks: [task("a", "work:echo", { arguments: { value: 1 } })] };
    for (const name of ["pml_execute_dag", "pml:execute_dag"])
      expect(await ask(client(), name, { intent: "an echo", dag })).toMatchObject({
        result: { a: { value: 1 } },
        warnings: expect.arrayContaining(["pml_execute_dag is deprecated: call pml_execute"]),
      });
    for (const given of [dag, { workflow: dag }])
      expect(await ask(client(), "pml_execute_dag", given)).toMatchObject({ result: { a: { value: 1 } } });
    for (const intent of [{ intent: "one" }, {}])
      expect(await ask(client(), "pml_execute_code", { ...intent, code: "return 1;" })).toMatchObject({
        result: 1,
        warnings: ["pml_execute_code is deprecated: call pml_execute"],
      });
    await ask(client(), "cap_save", { intent: "be listed", name: "d:listed", code: "return 'listed';" });
    await ask(client(), "cap_save", {
      intent: "not be listed",
      name: "other:listed",
      code: "return 'other';",
    });
    const list = await ask(client(), "pml_list_capabilities", { namespace: "d" });
    expect(list.warnings).toEqual(["pml_list_capabilities is deprecated: call cap_list"]);
    const names = (list.capabilities as readonly { name: string }[]).map(({ name }) => name);
    expect(names).toContain("d:listed");
    expect(names.every((name) => name.startsWith("d:"))).toBe(true);
  });
});

describe("a capability that is a tool", () => {
  const gateway = useGateway("background", config);
  const client = useClient(gateway, "v2-2025", ALONE);
  const save = (name: string, source: Fields) =>
    ask(client(), "cap_save", { intent: "start work", name, source });

  it("[EX-9] passes calls on, with arguments of its own", async () => {
    const source = { type: "tool", tool: "meeting:start_workflow", arguments: { queue: "nightly" } };
    await save("jobs:nightly", source);
    // As it was written before.
    const daily = { toolId: "meeting:start_workflow", defaultArgs: { queue: "daily" } };
    await save("jobs:daily", { type: "tool", ...daily });
    expect(await ask(client(), "cap_whois", { name: "jobs:nightly" })).toMatchObject({
      source: "tool",
      delegates_to: { tool: "meeting:start_workflow", arguments: { queue: "nightly" } },
      parameters: {
        type: "object",
        properties: {
          workflow: { type: "string", description: "Which" },
          queue: { type: "string", default: "nightly" },
          input: { type: "object", properties: { n: { type: "number" } } },
        },
        required: ["workflow"],
        additionalProperties: false,
      },
    });
    const started = (name: string, args: Fields) => ask(client(), name, args);
    expect(await started("jobs:nightly", { workflow: "w" })).toEqual({
      started: { workflow: "w", queue: "nightly" },
    });
    expect(await started("jobs:daily", { workflow: "w", input: { n: 1 } })).toEqual({
      started: { workflow: "w", queue: "daily", input: { n: 1 } },
    });
    expect(await started("jobs:daily", { workflow: "w", queue: "other" })).toEqual({
      started: { workflow: "w", queue: "other" },
    });
    expect(
      (await succeeds(client(), { code: 'return await mcp.jobs.nightly({ workflow: "from code" });' }))
        .result,
    ).toEqual({ started: { workflow: "from code", queue: "nightly" } });
    expect(await fails(client(), { capability: "jobs:nightly", args: {} })).toMatchObject({
      code: "ARGUMENTS_INVALID",
      message: expect.stringContaining('missing argument "workflow"'),
    });
    expect(
      await fails(client(), { capability: "jobs:nightly", args: { workflow: "w", quue: 1 } }),
    ).toMatchObject({
      code: "ARGUMENTS_INVALID",
    });
  });

  it.each<[Fields, string, string]>([
    [{ type: "tool", tool: "meeting:start_workflo" }, "TOOL_NOT_FOUND", "meeting:start_workflow"],
    [{ type: "tool", tool: "meeting:start_workflow", arguments: { que: 1 } }, "ARGUMENTS_INVALID", "queue"],
    [{ type: "tool" }, "ARGUMENTS_INVALID", "source.tool is missing"],
    [{ type: "dag" }, "ARGUMENTS_INVALID", "source.tasks is missing"],
    [{ type: "dag", tasks: [{ id: "a" }] }, "DAG_INVALID", 'task "a"'],
    [{ type: "dag", tasks: [{ id: "a", tool: "work:ecko" }] }, "TOOL_NOT_FOUND", 'Task "a"'],
    [{ type: "dag", tasks: [{ id: 5 }] }, "ARGUMENTS_INVALID", "source.tasks.0.id"],
    [{ type: "shell" }, "ARGUMENTS_INVALID", "expected code, dag or tool"],
  ])("[EX-9] refuses %j", async (source, code, said) => {
    const { isError, structuredContent } = await client().call("cap_save", {
      intent: "i",
      name: "x:bad",
      source,
    });
    expect(isError).toBe(true);
    const { error } = structuredContent as { error: Fields };
    expect(error.code).toBe(code);
    expect(JSON.stringify(error).replaceAll("\\", "")).toContain(said);
  });

  it("[EX-9] [UX-1] is saved, run and handed on at the command line", async () => {
    const file = join(gateway().directory, "graph.json");
    const dag = {
      tasks: [
        task("come", "meeting:come", { arguments: { who: { $arg: "who" } } }),
        task("say", "work:echo", { arguments: { value: { $ref: "come.who" } } }),
      ],
    };
    writeFileSync(file, JSON.stringify(dag));
    const pml = gateway().pml;
    expect(JSON.parse(await pml("exec", "--dag", file, "--arg", "who=Bo", "--name", "cli:greet"))).toEqual({
      say: { value: "Bo" },
    });
    await pml("cap", "save", "--dag", file, "--intent", "greet", "--name", "cli:again");
    await pml(
      "cap",
      "save",
      "--tool",
      "meeting:come",
      "--arg",
      "who=Ann",
      "--intent",
      "come",
      "--name",
      "cli:come",
    );
    expect(await ask(client(), "cli:come")).toMatchObject({ who: "Ann" });
    const lines = (await pml("export", "cli:*")).trim().split("\n");
    const records = lines.slice(1).map((line) => JSON.parse(line) as Fields);
    expect(records.map(({ display_name, source }) => `${display_name} ${source}`).sort()).toEqual([
      "cli:come tool",
      "cli:greet dag",
    ]);
    expect(records.find(({ source }) => source === "dag")).toMatchObject({ versions: [{ definition: dag }] });
  });
});

describe("a graph that needs approval", () => {
  const gateway = useGateway("background", config);
  const client = useClient(gateway, "v2-2025", ALONE);

  it("[FP-7] [EX-9] waits for a person before anything runs, and goes on under the names of its tasks", async () => {
    const dag = {
      tasks: [
        task("count", "work:count", { arguments: { id: "approved" } }),
        task("destroy", "work:destroy", { dependsOn: ["count"] }),
      ],
    };
    const asked = (await execute(client(), { dag, name: "d:dangerous" })) as unknown as Fields & {
      readonly workflowId: string;
    };
    expect(asked).toMatchObject({
      status: "approval_required",
      approval: { tools: [{ tool: "work:destroy" }], calls: [{ taskId: "count" }, { taskId: "destroy" }] },
    });
    expect(await counted(client(), "approved")).toBe(0);
    await gateway().pml("approve", asked.workflowId);
    const answer = await succeeds(client(), { resume: asked.workflowId });
    expect(answer).toMatchObject({ result: { destroy: { count: 1 } }, capabilityName: "d:dangerous" });
    expect(endings(answer.tasks)).toEqual(["count: success true", "destroy: success true"]);
    // By name it asks again.
    expect(await execute(client(), { capability: "d:dangerous" })).toMatchObject({
      status: "approval_required",
    });
    await ask(client(), "cap_save", {
      intent: "destroy",
      name: "d:delegate",
      source: { type: "tool", tool: "work:destroy" },
    });
    expect(await execute(client(), { capability: "d:delegate" })).toMatchObject({
      status: "approval_required",
    });
  });
});

describe("a graph from another installation", () => {
  const there = useGateway("background", config);
  const here = useGateway("background", config);

  it("[EX-9] keeps what it was made of, and is refused where its code does something else", async () => {
    const from = await there().connect("v2-2025");
    const dag = { tasks: [task("a", "work:echo", { arguments: { value: { $arg: "v" } } })] };
    await succeeds(from, { dag, args: { v: 1 }, name: "d:shared" });
    const [header = "", line = ""] = (await there().pml("export", "d:shared")).trim().split("\n");
    const record = JSON.parse(line) as { versions: readonly [Fields] } & Fields;
    const [version] = record.versions;
    const file = join(here().directory, "in.jsonl");
    const imported = async (changed: unknown) => {
      writeFileSync(file, `${header}\n${JSON.stringify(changed)}\n`);
      return here()
        .pml("import", file, "--yes", "--json")
        .catch((error: { stdout: string; stderr: string }) => error.stdout + error.stderr);
    };
    const other = { tasks: [task("a", "work:destroy")] };
    expect(await imported({ ...record, versions: [{ ...version, definition: other }] })).toContain(
      "version 1 does not match its signature",
    );
    expect(await imported({ ...record, source: "code" })).toContain(
      "its source does not match its newest version",
    );
    await imported(record);
    const client = await here().connect("v2-2025");
    expect(await ask(client, "cap_whois", { name: "d:shared" })).toMatchObject({ source: "dag", dag });
  });
});
