/** `pml analyze` as people and scripts meet it, on a real gateway with a real server. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { newPlace, type Outcome, pml } from "../faults/support/pml.js";
import { fixture } from "../support/test-gateway.js";

const place = newPlace();
const config = place.config({
  mcpServers: { work: fixture("work") },
  approvals: { unannotated: "auto" },
});
afterAll(() => pml(place, ["stop", "--config", config]));

const run = (command: string, args: readonly string[], input?: string): Promise<Outcome> =>
  pml(place, [command, ...args, "--config", config], input === undefined ? {} : { input });
const analyze = (...args: string[]): Promise<Outcome> => run("analyze", args);
const piped = (input: string, ...args: string[]): Promise<Outcome> => run("analyze", args, input);

const CODE = `// read a file, or say that there is none
const seen = await mcp.work.seen({ id: args.path });
if (seen.count > 0) {
  const file = await mcp.work.readFile({ path: args.path });
  return await mcp.work.echo({ value: file.content });
}
for (const id of ["a", "b"]) await mcp.work.destroy({});
return "none";
`;

function file(name: string, code: string): string {
  writeFileSync(join(place.directory, name), code);
  return name;
}

describe("[UX-1, EX-12] pml analyze", () => {
  it("prints what is known, and runs nothing", async () => {
    const { code, stdout, stderr } = await analyze(file("read.ts", CODE));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(REPORT);
    const { stdout: listed } = await run("cap", ["list", "--json"]);
    expect(JSON.parse(listed)).toMatchObject({ total: 0 });
  });

  it("prints a flowchart", async () => {
    const { code, stdout } = await analyze("read.ts", "--mermaid");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^flowchart TD\n {2}n1\["n1 · work:seen"\]\n/);
    expect(stdout).toContain('  d1{"d1 · if seen.count #62; 0"}\n');
    expect(stdout).toContain('  d1 -->|"true"| n2\n');
  });

  it.each([[["-"]], [[]]])("takes code from stdin, with %j, and prints the answer as JSON", async (more) => {
    const { code, stdout } = await piped("return await mcp.work.echo({ value: args.x });", ...more, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "dry_run",
      mode: "direct",
      dag: { nodes: [{ id: "n1", type: "task", tool: "work:echo" }] },
      parameters: { required: ["x"] },
      problems: [],
    });
  });

  it("ends with 1 where there are problems, and shows each at its place", async () => {
    const { code, stdout, stderr } = await piped("const a = 1;\n\treturn await mcp.work.ehco({ value: a });");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toContain(`1 problem
  2:15  Unknown tool "work:ehco" (mcp.work.ehco) [TOOL_NOT_FOUND]
    | \treturn await mcp.work.ehco({ value: a });
    | \t             ^
    Did you mean mcp.work.echo?
`);
    const drawn = await piped("return (;", "--mermaid");
    expect(drawn).toMatchObject({ code: 1, stdout: "flowchart TD\n" });
    expect(drawn.stderr).toMatch(/^1:9 {2}.*\[CODE_SYNTAX\]\n {2}\| return \(;\n {2}\| {9}\^\n/);
    expect((await piped("return (;", "--json")).code).toBe(1);
  });

  it("shows a capability with the path of its runs, and judges arguments that are given", async () => {
    await run(
      "exec",
      ["--name", "say:value", "--arg", "x=1"],
      "return await mcp.work.echo({ value: args.x });",
    );
    const { code, stdout } = await analyze("--capability", "say:value");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^say:value, version 1\n\nStructure\n {2}n1 {2}work:echo/);
    expect(stdout).toContain("Predicted path\n  n1\n  the most frequent path of earlier runs\n");
    const wrong = await analyze("--capability", "say:value", "--arg", "y=1");
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/1 problem\n {2}Wrong arguments: .*"y".* \[ARGUMENTS_INVALID\]\n/);
  });

  it("ends with 2 where it is asked for two forms", async () => {
    const { code, stderr } = await analyze("read.ts", "--json", "--mermaid");
    expect(code).toBe(2);
    expect(stderr).toContain("Expected either --json or --mermaid, found both [USAGE]");
  });

  it("ends with 1 where there is nothing to show, and says why", async () => {
    const { code, stdout, stderr } = await analyze("--capability", "say:nothing");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^pml: Capability not found: say:nothing \[CAPABILITY_NOT_FOUND\]\n/);
  });
});

const REPORT = `Structure
  n1  work:seen { id: ← path }
  d1  if seen.count > 0
      true  → n2  work:read_file { path: ← path }
              n3  work:echo { value: ⇐ n2.content }
      false → l1  for each of ["a", "b"]
                  n4  work:destroy

Data
  n2 ⇒ n3  optional  content → value

Parameters
  path  string  required

Permissions
  work:seen       allowed         local  its server declares it read-only
  work:read_file  allowed         local  its server declares it read-only
  work:echo       allowed         local  its server declares it read-only
  work:destroy    needs approval  local  its server declares it destructive
  runs on this machine

Predicted path
  n1 → d1 → …
  the path of every run up to the first branch
`;
