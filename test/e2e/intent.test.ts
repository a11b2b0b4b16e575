/** An intent without code: what fits is run where that is certain and safe, and suggested where it is not. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ask, counted, errorOf, execute, fails, succeeds, wireNames } from "../support/agent.js";
import { SCOPES, usePeople } from "../support/people.js";
import type { TestClient } from "../support/test-client.js";

const { gateway, of } = usePeople();

const PROGRAM = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const SOON = { timeout: 5_000 };

const READ = "const f = await mcp.work.read_file({ path: args.path });\nreturn JSON.parse(f.content)";
const COUNT = "const c = await mcp.work.count({ id: args.id });\nreturn c";

interface Suggested {
  readonly name: string;
  readonly fqdn: string;
  readonly score: number;
  readonly trust: string;
  readonly parameters: { readonly properties: object };
  readonly notRun?: string;
  readonly missing?: readonly string[];
}

interface Suggestions {
  readonly tools: readonly { readonly id: string; readonly name: string; readonly inputSchema: object }[];
  readonly capabilities: readonly Suggested[];
  readonly chains: readonly object[];
}

/** Expects suggestions, and answers with them. */
async function suggested(client: TestClient, input: Readonly<Record<string, unknown>>): Promise<Suggestions> {
  const answer = await execute(client, input);
  expect(answer).toMatchObject({ status: "suggestions", tasks: [] });
  expect(answer.mode).toBe(input.context === undefined ? "suggestion" : "speculation");
  return (answer as unknown as { suggestions: Suggestions }).suggestions;
}

async function best(client: TestClient, intent: string, context: object): Promise<Suggested | undefined> {
  return (await suggested(client, { intent, context })).capabilities[0];
}

async function becomes(client: TestClient, name: string, trust: string): Promise<void> {
  const state = async () => {
    const { trust: told } = await ask(client, "cap_whois", { name });
    return typeof told === "string" ? told : (told as { state: string }).state;
  };
  await expect.poll(state, SOON).toBe(trust);
}

describe("an intent alone", () => {
  it("[DI-1] is answered with tools and their schemas, capabilities, and how they go together", async () => {
    const ada = of("ada");
    const intent = "read a file and answer with what it holds";
    const code =
      "const f = await mcp.work.read_file({ path: args.path });\nreturn mcp.work.echo({ value: f.content });";
    await succeeds(ada, { intent, code, args: { path: "a.json" }, name: "show:file" });
    const { tools, capabilities, chains } = await suggested(ada, {
      intent: "read a file, and answer with it",
    });
    const read = tools.find(({ id }) => id === "work:read_file");
    expect(read?.inputSchema).toEqual({
      type: "object",
      properties: { path: { type: "string", description: "Path of the file" } },
      required: ["path"],
    });
    expect(await wireNames(ada)).toContain(read?.name);
    expect(capabilities[0]).toMatchObject({
      name: "show:file",
      trust: "provisional",
      parameters: { required: ["path"] },
    });
    expect(capabilities[0]).not.toHaveProperty("notRun");
    expect(chains).toContainEqual({ from: "work:read_file", to: "work:echo", fields: ["content → value"] });
  });

  it("[GW-5] shows nothing that a person would not see", async () => {
    const ada = of("ada");
    await succeeds(ada, { intent: "peel an orange", code: "return 'peel';", name: "orange:peel" });
    await ask(ada, "cap_rename", {
      name: "orange:peel",
      description: "Peel\u{E0041}s\u202E an\u200B orange",
    });
    const { capabilities } = await suggested(ada, { intent: "peel an orange" });
    expect(capabilities[0]).toMatchObject({ name: "orange:peel", description: "Peels an orange" });
  });

  it("[DI-1] that nothing fits is answered with nothing", async () => {
    expect(await suggested(of("ada"), { intent: "zzyzx qwerty" })).toEqual({
      tools: [],
      capabilities: [],
      chains: [],
      note: "Nothing matches this intent.",
    });
  });

  it.each([
    ["signs", "¿?!…"],
    ["control characters", "\u0000\u0001\u0002 read \u200B file"],
    ["half a character", "\uD800 read"],
    ["as much as there may be", `read ${"x y z ".repeat(660)}`],
    ["one word of it", "r".repeat(4_000)],
    ["another script", "ファイルを読む"],
  ])("[DI-1] may be anything: %s", async (_what, intent) => {
    await suggested(of("ada"), { intent });
    await suggested(of("ada"), { intent, context: {} });
  });

  it("[EX-5] is refused where it is empty or too long", async () => {
    for (const intent of ["", "x".repeat(4_001)]) {
      const result = await of("ada").call("pml_execute", { intent });
      expect(errorOf(result)).toMatchObject({ code: "ARGUMENTS_INVALID" });
    }
  });
});

describe("an intent with arguments", () => {
  it("[ID-10] runs what was learnt for it, where that only reads", async () => {
    const ada = of("ada");
    const intent = "read and parse a JSON file";
    await succeeds(ada, { intent, code: READ, args: { path: "a.json" }, name: "fs:read_json" });
    const asked = { intent: "Read and parse the given JSON file.", context: { path: "b.json" } };
    expect(await succeeds(ada, asked)).toMatchObject({
      status: "success",
      mode: "speculation",
      result: { name: "b", n: 2 },
      capabilityName: "fs:read_json",
      tasks: [{ tool: "work:read_file", success: true }],
    });
  });

  it("[ID-10] runs also what has no name", async () => {
    const ada = of("ada");
    const intent = "tell the number in a document";
    const learnt = await succeeds(ada, { intent, code: `${READ}.n;`, args: { path: "a.json" } });
    expect(await succeeds(ada, { intent, context: { path: "b.json" } })).toMatchObject({
      result: 2,
      capabilityId: learnt.capabilityId,
    });
  });

  it("[ID-10] does not run what may change things before it is verified, and runs it then", async () => {
    const ada = of("ada");
    const intent = "raise the counter of a visitor";
    await succeeds(ada, { intent, code: `${COUNT};`, args: { id: "v1" }, name: "visit:count" });
    expect(await best(ada, intent, { id: "v1" })).toMatchObject({
      name: "visit:count",
      trust: "provisional",
      notRun: "it is not verified yet, and work:count may change things",
    });
    expect(await counted(ada, "v1")).toBe(1);
    await succeeds(ada, { capability: "visit:count", args: { id: "v2" } });
    await becomes(ada, "visit:count", "verified");
    expect(await succeeds(ada, { intent, context: { id: "v1" } })).toMatchObject({ result: { count: 2 } });
    expect(await counted(ada, "v1")).toBe(2);
  });

  it("[ID-10] does not run what is unproven or suspect", async () => {
    const ada = of("ada");
    await ask(ada, "cap_save", {
      intent: "look into the drawer",
      code: `${READ}.name;`,
      name: "drawer:look",
    });
    expect(await best(ada, "look into the drawer", { path: "a.json" })).toMatchObject({
      notRun: "it is unproven",
    });
    const intent = "look into the box";
    await succeeds(ada, { intent, code: `${READ}.name + "!";`, args: { path: "a.json" }, name: "box:look" });
    for (const path of ["x", "y", "z"]) await fails(ada, { capability: "box:look", args: { path } });
    await becomes(ada, "box:look", "suspect");
    expect(await best(ada, intent, { path: "a.json" })).toMatchObject({ notRun: "it is suspect" });
  });

  it("[EX-6] asks a person where what it runs needs that", async () => {
    const ada = await gateway().connect("v2-2025", { can: [], scope: SCOPES.ada });
    const intent = "tear down the old shed";
    await ask(ada, "cap_save", { intent, code: "return mcp.work.destroy({});", name: "shed:tear_down" });
    await gateway().pml("cap", "verify", "shed:tear_down", "--scope", SCOPES.ada);
    expect(await execute(ada, { intent, context: {} })).toMatchObject({
      status: "approval_required",
      mode: "speculation",
      approval: { tools: [{ tool: "work:destroy" }] },
    });
    expect(await counted(ada, "destroyed")).toBe(0);
  });

  it("[EX-5] says which parameter is missing, and runs once it is given", async () => {
    const ada = of("ada");
    const intent = "compare two pages";
    const code = `const [a, b] = await Promise.all([args.one, args.two].map((path) => mcp.work.read_file({ path })));
return a.content === b.content;`;
    await succeeds(ada, { intent, code, args: { one: "a.json", two: "b.json" }, name: "page:compare" });
    expect(await best(ada, intent, { one: "a.json" })).toMatchObject({
      notRun: 'it needs "two"',
      missing: ["two"],
    });
    expect(await succeeds(ada, { intent, context: { one: "a.json", two: "a.json" } })).toMatchObject({
      result: true,
    });
  });

  it("[EX-5] does not run with an argument that is unknown or of the wrong type", async () => {
    const ada = of("ada");
    const intent = "say how long a page is";
    const code = "const f = await mcp.work.read_file({ path: args.path });\nreturn f.content.length;";
    await succeeds(ada, { intent, code, args: { path: "a.json" }, name: "page:length" });
    const both = await best(ada, intent, { path: "a.json", paht: "b.json" });
    expect(both).toMatchObject({ notRun: 'it takes no "paht"' });
    expect(both).not.toHaveProperty("missing");
    expect((await best(ada, intent, { path: 5 }))?.notRun).toMatch(/^Wrong arguments: .*path/);
    const { usage_count } = await ask(ada, "cap_whois", { name: "page:length" });
    expect(usage_count).toBe(1);
  });

  it("[DI-4] does not run what is only like it, or one of two that fit as well", async () => {
    const ada = of("ada");
    const code = (mark: string) => `return "${mark}" + (args.x ?? "");`;
    await succeeds(ada, {
      intent: "open the garden door",
      code: code("garden"),
      args: { x: "1" },
      name: "door:garden",
    });
    expect((await best(ada, "open the cellar door", { x: "1" }))?.notRun).toBe(
      'not certain enough: the intent says "cellar", which the capability does not say',
    );
    await succeeds(ada, {
      intent: "open the garden door",
      code: code("other"),
      args: { x: "1" },
      name: "door:other",
    });
    const { capabilities } = await suggested(ada, { intent: "open the garden door", context: { x: "1" } });
    expect(capabilities.map(({ notRun }) => notRun).slice(0, 2)).toEqual(
      expect.arrayContaining(["door:garden is an equally good match", "door:other is an equally good match"]),
    );
  });

  it("[LP-7] runs what is asked for in other words, and not what is nearly the same", async () => {
    const ada = of("ada");
    const intent = "count the pages of a PDF document";
    await succeeds(ada, {
      intent,
      code: "return args.path.length;",
      args: { path: "a.pdf" },
      name: "pdf:count_pages",
    });
    const run = (said: string) => execute(ada, { intent: said, context: { path: "ab.pdf" } });
    for (const said of [intent, "how many pages does this PDF have", "nombre de pages du document PDF"])
      expect(await run(said), said).toMatchObject({
        status: "success",
        result: 6,
        capabilityName: "pdf:count_pages",
      });
    for (const said of [
      "count the words of a PDF document",
      "delete the pages of a PDF document",
      "count the pages of every PDF document",
      "count the pages of a PDF document and mail them",
    ])
      expect(await run(said), said).toMatchObject({ status: "suggestions" });
  });

  it("[LP-7] the intent that it was made with still runs it after a rename", async () => {
    const ada = of("ada");
    const intent = "sharpen the blue pencil";
    await succeeds(ada, { intent, code: "return 'sharp' + args.n;", args: { n: 1 }, name: "pencil:sharpen" });
    await ask(ada, "cap_rename", { name: "pencil:sharpen", new_name: "pencil:make_sharp" });
    const again = await execute(ada, { intent, context: { n: 2 } });
    expect(again).toMatchObject({ status: "success", capabilityName: "pencil:make_sharp", result: "sharp2" });
  });

  it("[ID-9] never shows or runs what the session may not see, and runs nothing of another project", async () => {
    const ada = of("ada");
    const intent = "unlock the treasure chest";
    const made = { intent, code: "return 'gold' + (args.n ?? '');", args: { n: 1 }, name: "chest:unlock_99" };
    await succeeds(ada, made);
    const seenBy = async (who: "ada" | "bob" | "dan") => {
      const shown = [
        await execute(of(who), { intent }),
        await execute(of(who), { intent, context: { n: 2, wrong: 1 } }),
      ];
      return JSON.stringify(shown).includes("unlock_99");
    };
    await ask(ada, "cap_rename", { name: "chest:unlock_99", visibility: "private" });
    expect([await seenBy("ada"), await seenBy("bob"), await seenBy("dan")]).toEqual([true, false, false]);
    expect(await best(of("bob"), intent, { n: 2 })).toBeUndefined();
    await ask(ada, "cap_rename", { name: "chest:unlock_99", visibility: "public" });
    expect([await seenBy("bob"), await seenBy("dan")]).toEqual([true, true]);
    expect(await succeeds(of("bob"), { intent, context: { n: 2 } })).toMatchObject({ result: "gold2" });
    expect((await best(of("dan"), intent, { n: 2 }))?.notRun).toBe("it belongs to another project, acme.web");
    await ask(ada, "cap_delete", { name: "chest:unlock_99" });
    expect([await seenBy("ada"), await seenBy("dan")]).toEqual([false, false]);
  });
});

describe("pml exec with an intent", () => {
  /** Without anything on stdin. */
  async function exec(...args: readonly string[]) {
    const { config, dataDir } = gateway();
    const where = ["--config", config, "--data-dir", dataDir, "--scope", SCOPES.ada];
    const child = spawn(process.execPath, [PROGRAM, "exec", ...args, ...where], {
      stdio: ["ignore", "pipe", "pipe"],
      env: gateway().env,
    });
    const [out, err, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    return { out, err, code };
  }

  it("[UX-1] shows what fits, and runs nothing", async () => {
    const { out, code } = await exec("--intent", "read a file");
    expect(out).toMatch(/^TOOL +SCORE +TAKES +DESCRIPTION$/m);
    expect(out).toMatch(/^work:read_file +0\.\d+ +path +Reads a file$/m);
    expect(code).toBe(0);
  });

  it("[UX-1] runs what fits with arguments, or says why not", async () => {
    await succeeds(of("ada"), {
      intent: "wind the clock",
      code: "return args.turns * 2;",
      args: { turns: 1 },
      name: "clock:wind",
    });
    const ran = await exec("--intent", "wind the clock", "--arg", "turns=4");
    expect(ran).toMatchObject({ out: "8\n", code: 0 });
    expect(ran.err).toContain("Ran clock:wind, which matches the intent");
    const not = await exec("--intent", "wind the clock", "--args", "{}");
    expect(not.code).toBe(1);
    expect(not.err).toContain('Nothing was run: clock:wind: it needs "turns"');
  });
});

describe("the intent of a run that made or named a capability", () => {
  it("[DI-4] runs it when it is said again, whatever else was said of it since", async () => {
    const ada = of("ada");
    const code = "return { title: args.text.trim().slice(0, 3) };";
    const context = { text: "  abcdef" };
    const made = "shorten the heading of a newsletter";
    const named = "abbreviate the title of an article";
    await succeeds(ada, { code, args: { text: "first" }, intent: made });
    await succeeds(ada, { code, args: { text: "second" }, intent: named, name: "text:short_title" });
    await succeeds(ada, {
      code: "return { title: args.text.trim().slice(0, 3), isShort: true };",
      args: { text: "third" },
      intent: "cut a caption to three letters",
      name: "text:short_title",
      options: { update: true },
    });
    for (const intent of [made, named]) {
      const answer = await succeeds(ada, { intent, context });
      expect(answer, intent).toMatchObject({ status: "success", capabilityName: "text:short_title" });
    }
  });
});
