/** The tool on a real store: what it takes, refuses and answers. Through real clients: `test/e2e/curation.test.ts`. */
import { beforeEach, describe, expect, it } from "vitest";
import { name, newScope, sign, succeeded } from "../../../test/suites/capability-samples.js";
import {
  type CuratingGateway,
  countingModel,
  curatingGateway,
  learnReading,
  openCuratedStore,
} from "../../../test/support/curated-store.js";
import { PmlError } from "../../base/pml-error.js";
import type { Caller } from "../../mcp/real-servers.js";
import { SamplingModel } from "../../models/sampling-model.js";
import type { Scope } from "../../registry/scope.js";
import type { Operation } from "../operation.js";
import { type CurationModels, capCurate } from "./cap-curate.js";
import { capList } from "./cap-list.js";
import { formerTools } from "./former-names.js";

type Answer = Readonly<Record<string, unknown>>;
interface Row {
  readonly [key: string]: unknown;
  readonly id: string;
  readonly currentName: string;
  readonly suggestedName: string;
}

const agent: Caller = {
  connection: "c",
  capabilities: {},
  signal: new AbortController().signal,
  onLog() {},
};

let gateway: CuratingGateway;
let scope: Scope;

beforeEach(async () => {
  gateway = await curatingGateway(await openCuratedStore());
  scope = newScope();
});

const learn = (what: string, as = scope) => learnReading(gateway.registry, as, what);
const toolWith = (models: CurationModels = {}): Operation =>
  capCurate.with({ curate: { ...gateway, models } });

async function ask(input: Answer, caller = agent, tool = toolWith()): Promise<Answer> {
  const answer = await tool.answer(input, scope, caller);
  return answer.result.structuredContent as Answer;
}

async function rowsOf(input: Answer = {}): Promise<readonly Row[]> {
  return (await ask(input)).suggestions as readonly Row[];
}

async function refusal(input: Answer): Promise<string> {
  try {
    await ask(input);
    return "accepted";
  } catch (error) {
    return error instanceof PmlError ? `${error.code}: ${error.message}` : String(error);
  }
}

describe("[CU-1] cap_curate: what it takes", () => {
  const rename = { id: "a", name: "b:c" };
  it.each([
    [{ mode: "guess" }, /mode: .*"suggest"\|"auto"\|"apply"/],
    [{ mod: "auto" }, /unknown field "mod" \(did you mean "mode"\?\)/],
    [{ mode: "apply" }, /renames is missing/],
    [{ mode: "apply", renames: [] }, /renames: /],
    [{ mode: "apply", renames: "a:b" }, /renames: expected array, received string/],
    [{ mode: "apply", renames: [{ id: "a" }] }, /renames\.0\.name is missing/],
    [{ mode: "apply", renames: [{ ...rename, nmae: 1 }] }, /unknown field "renames\.0\.nmae"/],
    [{ mode: "apply", renames: [{ ...rename, tags: "a" }] }, /renames\.0\.tags: expected array/],
    [{ mode: "apply", renames: Array(10_000).fill(rename) }, /renames: Too big: .*<=500/],
    [{ mode: "apply", renames: [rename], filter: {} }, /filter cannot be combined with apply/],
    [{ mode: "auto", renames: [rename] }, /renames cannot be combined with auto/],
    [{ renames: [rename] }, /renames cannot be combined with suggest/],
    [{ filter: { unnamed: true } }, /unknown field "filter\.unnamed"/],
    [{ filter: { min_usage: -1 } }, /filter\.min_usage: /],
    [{ filter: { min_usage: "3" } }, /filter\.min_usage: expected (int|number), received string/],
    [{ limit: 201 }, /limit: suggest takes 200 at most/],
    [{ limit: 0 }, /limit: /],
    [{ mode: "auto", offset: 1 }, /offset cannot be combined with auto/],
  ])("%j is refused with what is wrong", async (input, problem) => {
    expect(await refusal(input)).toMatch(/^ARGUMENTS_INVALID: Cannot call cap_curate: /);
    expect(await refusal(input)).toMatch(problem);
  });

  it("[WIRE-4] is called by its former name too, with a strategy", async () => {
    await learn("config");
    const [former] = formerTools([toolWith()]);
    expect([former?.tool.name, former?.unlisted]).toEqual(["pml_curate_capabilities", true]);
    const answer = await ask({ strategy: "suggest" }, agent, former);
    expect(answer).toMatchObject({ mode: "suggest", total: 1 });
    expect(answer.warnings).toEqual(["pml_curate_capabilities is deprecated: call cap_curate"]);
  });

  it("says that it may reach beyond this machine where a model is asked", () => {
    const hint = (models: CurationModels) => toolWith(models).tool.annotations?.openWorldHint;
    expect([hint({}), hint({ model: countingModel([]) })]).toEqual([false, true]);
    expect(toolWith().tool.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false });
  });
});

describe("[CU-1] cap_curate: what it answers", () => {
  it("suggests with everything that apply needs", async () => {
    const { id, displayName } = await learn("config");
    const answer = await ask({ mode: "suggest" });
    expect(answer).toEqual({
      mode: "suggest",
      suggestions: [
        {
          id,
          currentName: displayName,
          suggestedName: expect.stringMatching(/^fs:[a-z0-9_]+$/),
          confidence: expect.any(Number),
          reasoning: expect.stringMatching(/\w/),
          description: expect.stringMatching(/\w/),
          tags: expect.any(Array),
        },
      ],
      total: 1,
      hint: expect.stringContaining('"mode": "apply"'),
    });
  });

  it("shows code where a name is unsure, and of all where that is asked for, cut", async () => {
    const long = `return [${"1, ".repeat(2_000)}];`;
    const bare = { toolsUsed: [], inferredNamespace: "util" };
    await gateway.registry.learn(succeeded(scope, long, { intent: "do it", ...bare }), sign);
    await learn("config");
    const byIntent = (rows: readonly Row[]) =>
      new Map(rows.map((row) => [(row.confidence as number) > 0.8, row]));
    const compact = byIntent(await rowsOf());
    expect(compact.get(true)).not.toHaveProperty("code");
    expect(compact.get(false)).toMatchObject({ intent: "do it", tools: [] });
    expect(compact.get(false)?.code).toHaveLength(401);
    const full = byIntent(await rowsOf({ detail: "full" }));
    expect(full.get(true)).toMatchObject({
      code: expect.stringContaining("mcp.filesystem.read_file"),
      tools: ["filesystem:read_file"],
      usageCount: 1,
      parts: { tools: expect.any(Number), intent: expect.any(Number), uniqueness: expect.any(Number) },
    });
    expect(full.get(false)?.code).toHaveLength(4_001);
  });

  it("[ID-14] tells of near ones what the session may see", async () => {
    const near = (table: string, user: string) =>
      gateway.registry.learn(
        succeeded(
          { ...scope, user },
          `const { content } = await mcp.filesystem.read_file({ path: "/data/${table}.csv" });
const lines = content.split("\\n").filter((line) => line.length > 0);
return { count: lines.length, first: lines[0] };`,
          { intent: `count the lines of the ${table}` },
        ),
        sign,
      );
    const { capability: orders } = await near("orders", "ada");
    const { capability: bobs } = await near("invoices", "bob");
    const { capability: users } = await near("users", "ada");
    // What bob may see is near to what is his own, and that is kept.
    const visibility = { fqdn: orders.fqdn, scope, actor: "user", visibility: "project" } as const;
    await gateway.registry.rename(visibility);
    const toBob = await toolWith().answer({}, { ...scope, user: "bob" }, agent);
    expect(JSON.stringify(toBob.result.structuredContent)).toContain(`"near":["${bobs.displayName}"]`);
    const rows = await rowsOf();
    expect(new Set(rows.map(({ currentName, near: others }) => [currentName, others]))).toEqual(
      new Set([
        [orders.displayName, [users.displayName]],
        [users.displayName, [orders.displayName]],
      ]),
    );
    expect(JSON.stringify(rows)).not.toContain(bobs.displayName);
  });

  it("pages", async () => {
    for (const what of ["a", "b", "c"]) await learn(what);
    const first = await ask({ limit: 2 });
    expect([first.total, first.next_offset]).toEqual([3, 2]);
    const second = await ask({ limit: 2, offset: 2 });
    expect(second).not.toHaveProperty("next_offset");
    const ids = [first, second].flatMap(({ suggestions }) =>
      (suggestions as readonly Row[]).map(({ id }) => id),
    );
    expect(new Set(ids).size).toBe(3);
    expect(await ask({ filter: { namespace: "db" } })).toEqual({
      mode: "suggest",
      suggestions: [],
      total: 0,
    });
  });

  it("applies what was suggested, and each row has its own outcome", async () => {
    for (const what of ["config", "settings"]) await learn(what);
    const [one, two] = await rowsOf();
    const answer = await ask({
      mode: "apply",
      renames: [
        { id: one?.id, name: one?.suggestedName },
        { id: "unnamed_00000000", name: "fs:x" },
        { id: two?.currentName, name: "mine:own", description: "Mine.", tags: ["t"] },
        { id: "mcp:filesystem", name: "fs:y" },
      ],
    });
    expect(answer).toMatchObject({ mode: "apply", applied: 2, failed: 2 });
    expect(answer.results).toMatchObject([
      { id: one?.id, ok: true, from: one?.currentName, name: one?.suggestedName },
      { id: "unnamed_00000000", ok: false, error: { code: "CAPABILITY_NOT_FOUND" } },
      { id: two?.currentName, ok: true, name: "mine:own" },
      { id: "mcp:filesystem", ok: false, error: { code: "CAPABILITY_NOT_FOUND" } },
    ]);
    const named = gateway.registry.directory.resolve("mine:own", scope)?.capability;
    expect([named?.description, named?.tags, named?.visibility]).toEqual(["Mine.", ["t"], "project"]);
  });

  it("is an error where no name could be given, with the reasons", async () => {
    const failed = await toolWith().answer(
      { mode: "apply", renames: [{ id: "no:such", name: "a:b" }] },
      scope,
      agent,
    );
    expect(failed.result.isError).toBe(true);
    expect(failed.result.structuredContent).toMatchObject({ applied: 0, failed: 1 });
  });

  it("says who gave a name: a person, an agent", async () => {
    const { fqdn, id } = await learn("config");
    await ask({ mode: "apply", renames: [{ id, name: "a:one" }] });
    await ask({ mode: "apply", renames: [{ id, name: "a:two" }] }, { ...agent, byPerson: true });
    const renames = await gateway.registry.store.renames(fqdn, 5);
    expect(renames.map(({ actor }) => actor)).toEqual(["user", "agent"]);
  });

  it("applies what is sure, in batches of which the caller is told, and says what was left", async () => {
    for (let at = 0; at < 6; at += 1) await learn(`thing${at}`);
    await gateway.registry.learn(
      succeeded(scope, "return 1", { intent: "do it", toolsUsed: [], inferredNamespace: "util" }),
      sign,
    );
    const progress: string[] = [];
    const answer = await ask(
      { mode: "auto" },
      { ...agent, onProgress: ({ progress: done, total }) => void progress.push(`${done}/${total}`) },
    );
    expect(progress).toEqual(["5/7", "7/7"]);
    expect(answer).toMatchObject({ mode: "auto", left_total: 1 });
    expect(answer.applied).toHaveLength(6);
    expect(answer.left).toEqual([
      expect.objectContaining({
        why: expect.stringMatching(/is not over 0\.8$/),
        currentName: expect.any(String),
      }),
    ]);
    expect(await ask({ mode: "auto", limit: 1 })).toMatchObject({ applied: [], left_total: 1 });
    await learn("thing9");
    expect(await ask({ mode: "auto", limit: 1 })).toMatchObject({ others: 1 });
  });
});

it("[CU-5] cap_list tells of curation where many have no name", async () => {
  const list = capList.with({ registry: gateway.registry });
  for (let at = 0; at < 9; at += 1) await learn(`thing${at}`);
  expect(await ask({}, agent, list)).not.toHaveProperty("hint");
  await learn("last");
  const hint = "10 of these have no name: cap_curate suggests names";
  expect(await ask({}, agent, list)).toMatchObject({ total: 10, hint });
});

describe("[CU-3] cap_curate with the client's own model", () => {
  const models: CurationModels = { sampling: (sample) => new SamplingModel(sample) };
  const canSample: Caller = { ...agent, capabilities: { sampling: {} } };

  async function asked(input: Answer): Promise<Readonly<Record<string, unknown>>> {
    const answer = await toolWith(models).answer(input, scope, canSample);
    expect(answer.kind).toBe("input-required");
    return (answer.result as { inputRequests: Readonly<Record<string, unknown>> }).inputRequests;
  }

  const answerAll = (questions: object, text: string): Caller => ({
    ...canSample,
    input: {
      responses: Object.fromEntries(
        Object.keys(questions).map((key) => [
          key,
          { role: "assistant", model: "theirs", content: { type: "text", text } },
        ]),
      ),
    },
  });

  it("asks it first, changing nothing, and takes its names in the second round", async () => {
    const { displayName } = await learn("config");
    const questions = await asked({ mode: "auto" });
    expect(Object.values(questions)).toEqual([expect.objectContaining({ method: "sampling/createMessage" })]);
    expect(JSON.stringify(questions)).not.toContain(displayName);
    expect(gateway.registry.directory.resolve(displayName, scope)?.viaAlias).toBe(undefined);
    const said = JSON.stringify({ names: [{ key: "1", name: "fs:load_settings_document" }] });
    const answer = await ask({ mode: "suggest" }, answerAll(questions, said), toolWith(models));
    expect(answer.suggestions).toMatchObject([
      { suggestedName: "fs:load_settings_document", by: "sampling" },
    ]);
    // What it has named it is not asked about again.
    expect((await ask({}, canSample, toolWith(models))).suggestions).toEqual(answer.suggestions);
  });

  it.each(["", "no", '{"names":[{"key":"1","name":"cap:evil"}]}'])(
    "lets heuristics stand where it answers %j, and asks no second time",
    async (text) => {
      await learn("config");
      const before = await rowsOf();
      const questions = await asked({});
      const answer = await ask({}, answerAll(questions, text), toolWith(models));
      expect((answer.suggestions as readonly Row[]).map(({ suggestedName }) => suggestedName)).toEqual(
        before.map(({ suggestedName }) => suggestedName),
      );
      expect(answer.warnings).toEqual([expect.stringContaining("sampling: ")]);
      const declined = await ask({}, { ...canSample, input: { responses: {} } }, toolWith(models));
      expect(declined.suggestions).toHaveLength(1);
    },
  );

  it("asks no more than four questions, of five capabilities each", async () => {
    for (let at = 0; at < 23; at += 1) await learn(`thing${at}`);
    expect(Object.keys(await asked({ limit: 200 }))).toHaveLength(4);
  });

  it("asks no client that cannot answer", async () => {
    await learn("config");
    expect((await ask({}, agent, toolWith(models))).suggestions).toHaveLength(1);
  });
});

it("[CU-1] names of the session's own choice are taken where they are free", async () => {
  const { id } = await learn("config");
  await gateway.registry.learn(succeeded(scope, "return 'x'", { name: name("fs:taken") }), sign);
  const renames = [{ id, name: "fs:Taken" }];
  expect((await ask({ mode: "apply", renames })).results).toMatchObject([{ error: { code: "NAME_TAKEN" } }]);
});
