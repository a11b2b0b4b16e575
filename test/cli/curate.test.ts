/** `pml cap curate` as people and scripts meet it. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixture, newPlace, type Outcome, pml, ROOT } from "../faults/support/pml.js";

const place = newPlace();
const config = place.config({
  mcpServers: { healthy: fixture("healthy") },
  scope: { user: "tester" },
  approvals: { unannotated: "auto" },
  curation: { after: 1_000 },
});
const curate = (...args: string[]): Promise<Outcome> =>
  pml(place, ["cap", "curate", ...args, "--config", config]);
const named = async (): Promise<readonly string[]> => {
  const { stdout } = await pml(place, [
    "cap",
    "list",
    "--named",
    "--sort",
    "name",
    "--json",
    "--config",
    config,
  ]);
  return (JSON.parse(stdout) as { capabilities: { name: string }[] }).capabilities.map(({ name }) => name);
};

async function learn(what: string): Promise<string> {
  const code = `// Greet the ${what}
const greeting = await mcp.healthy.echo({ text: args.${what} });
return { ${what}: greeting, length: String(greeting).length };`;
  const { stdout } = await pml(place, ["exec", "--arg", `${what}=a`, "--json", "--config", config], {
    input: code,
  });
  return (JSON.parse(stdout) as { capabilityName: string }).capabilityName;
}

/** The command at a terminal, where a person types each key when the question for it is there. */
function atTerminal(
  keys: readonly string[],
  ...args: string[]
): Promise<{ code: number | null; shown: string }> {
  const words = [
    process.execPath,
    join(ROOT, "dist/cli/main.js"),
    "cap",
    "curate",
    ...args,
    "--config",
    config,
  ];
  const child = spawn("script", ["-qec", words.map((word) => `'${word}'`).join(" "), "/dev/null"], {
    cwd: place.directory,
    env: { ...place.env, TERM: "dumb" },
  });
  const typed = [...keys];
  let shown = "";
  let answered = 0;
  child.stdout.on("data", (chunk) => {
    shown += String(chunk);
    const questions = shown.match(/\[\?\] |Name \(Enter for [^)]*\): |Description \(Enter [^)]*\): /g) ?? [];
    while (answered < questions.length && typed.length > 0) {
      answered += 1;
      child.stdin.write(typed.shift() ?? "");
    }
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, shown })));
}

let unnamed: readonly string[] = [];

beforeAll(async () => {
  expect(await curate()).toEqual({ code: 0, stdout: "There are no unnamed capabilities\n", stderr: "" });
  for (const what of ["customer", "supplier", "neighbour", "visitor"])
    unnamed = [...unnamed, await learn(what)];
});
afterAll(() => pml(place, ["stop", "--config", config]));

describe("[CU-1, UX-1] pml cap curate", () => {
  it("is a table of suggestions where there is no terminal, and JSON for scripts", async () => {
    const { code, stdout, stderr } = await curate();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^NAME NOW +SUGGESTED +SURE +WHY\n/);
    for (const name of unnamed) expect(stdout).toContain(name);
    expect(stdout).toContain("`pml cap curate --auto` applies those with confidence over 0.8");
    const json = JSON.parse((await curate("--json", "--limit", "2")).stdout) as Record<string, unknown>;
    expect(json).toMatchObject({ mode: "suggest", total: 4, next_offset: 2 });
    expect(json.suggestions).toMatchObject([{ code: expect.stringContaining("mcp.healthy.echo") }, {}]);
    expect(await named()).toEqual([]);
    expect((await curate("--min-usage", "1000")).stdout).toBe("There are no unnamed capabilities\n");
    expect((await curate("--namespace", "nowhere")).stdout).toBe("There are no unnamed capabilities\n");
  });

  it("asks about each at a terminal: accepts, edits, skips and leaves with a key", async () => {
    const { code, shown } = await atTerminal(["?", "a", "e", "my:own_name\n", "\n", "s", "q"]);
    expect(shown).toContain("1 of 4  unnamed_");
    expect(shown).toContain("mcp.healthy.echo");
    expect(shown).toContain("a  accept the suggested name");
    expect(shown).toContain("is now called my:own_name");
    expect(shown).toContain("2 named, 1 skipped");
    expect(code).toBe(0);
    expect(await named()).toHaveLength(2);
    expect(await named()).toContain("my:own_name");
    const history = await pml(place, ["cap", "history", "my:own_name", "--config", config]);
    expect(history.stdout).toContain("tester@local (user)");
  });

  it("applies the names of a file, or of stdin, each by itself", async () => {
    const { stdout } = await curate("--json");
    const rows = (JSON.parse(stdout) as { suggestions: { id: string; suggestedName: string }[] }).suggestions;
    expect(rows).toHaveLength(2);
    const file = join(place.directory, "names.json");
    writeFileSync(
      file,
      JSON.stringify([
        { id: rows[0]?.id, name: "from:file" },
        { id: "no:such", name: "a:b" },
      ]),
    );
    const applied = await curate("--apply", file);
    expect(applied).toMatchObject({ code: 1, stderr: "" });
    expect(applied.stdout).toMatch(/^unnamed_\w+ is now called from:file\nno:such was not renamed: /);
    const input = JSON.stringify({ suggestions: [rows[1]] });
    const piped = await pml(place, ["cap", "curate", "--apply", "-", "--config", config], { input });
    expect(piped.code).toBe(0);
    expect(await named()).toEqual(expect.arrayContaining(["from:file", rows[1]?.suggestedName]));
    expect((await curate()).stdout).toBe("There are no unnamed capabilities\n");
  });

  it("applies by itself what is sure", async () => {
    const name = await learn("passenger");
    const { code, stdout } = await curate("--auto");
    expect(code).toBe(0);
    expect(stdout).toContain(name);
    expect(stdout).toMatch(/^(NAME BEFORE +NAME NOW +SURE|No name was applied)/);
    expect((await curate("--all")).stdout).toMatch(/my:own_name +healthy:/);
  });

  it.each([
    [["--auto", "--apply", "x"], "Expected either --auto or --apply, found both"],
    [["--apply", "nowhere.json"], 'Cannot read "nowhere.json": there is no such file'],
    [["--apply", "x", "--limit", "1"], "--apply takes the capabilities from its file"],
    [["--min-usage", "few"], '--min-usage is "few": expected a number from 0 on'],
    [["--diff"], "--diff cannot be combined with curate"],
    [["extra"], 'Unexpected argument "extra"'],
    [["--atuo"], "--atuo"],
  ])("says what is wrong with %j", async (args, message) => {
    const { code, stderr } = await curate(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it("has a help of its own, and doctor tells how many wait", async () => {
    const help = await pml(place, ["cap", "curate", "--help"]);
    expect(help.stdout).toContain("Usage: pml cap curate [OPTIONS]");
    expect(help.stdout).toContain("--min-usage N");
    const doctor = await pml(place, ["doctor", "--config", config]);
    expect(doctor.stdout).toMatch(/curation: .* for a name; curation starts automatically \(suggest\)/);
  });
});
