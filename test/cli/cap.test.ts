/** `pml cap` as people and scripts meet it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixture, newPlace, type Outcome, pml, until } from "../faults/support/pml.js";

const place = newPlace();
const config = place.config({
  mcpServers: { healthy: fixture("healthy") },
  approvals: { unannotated: "auto", scripted: true },
});
const cap = (...args: string[]): Promise<Outcome> => pml(place, ["cap", ...args, "--config", config]);
const names = async (...args: string[]): Promise<readonly string[]> => {
  const { code, stdout, stderr } = await cap("list", ...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return (JSON.parse(stdout) as { capabilities: { name: string }[] }).capabilities.map(({ name }) => name);
};
let unnamed = "";

beforeAll(async () => {
  expect(await cap("list")).toEqual({ code: 0, stdout: "No capabilities\n", stderr: "" });
  const exec = (input: string, ...args: string[]) =>
    pml(place, ["exec", ...args, "--json", "--config", config], { input });
  const SAY = "// Say a text\nreturn await mcp.healthy.echo({ text: args.text });";
  await exec(SAY, "--name", "say:text", "--arg", "text=a");
  await exec("// Give seven\nreturn 7;", "--name", "num:seven");
  await pml(place, ["exec", "--capability", "num:seven", "--config", config]);
  const answer = JSON.parse((await exec("return 8;")).stdout) as { capabilityName: string };
  unnamed = answer.capabilityName;
  // Counters may lag by a second.
  await until("the use is counted", async () => /num:seven +2 /.test((await cap("list")).stdout));
});
afterAll(() => pml(place, ["stop", "--config", config]));

describe("[UX-1, 13.5 AC1] pml cap list", () => {
  it("is a table, most used first", async () => {
    const { code, stdout, stderr } = await cap("list");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [head, first, ...rest] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^NAME +USED +SUCCESS +DESCRIPTION$/);
    expect(first).toMatch(/^num:seven +2 +100 % +Give seven$/);
    expect(rest).toHaveLength(2);
  });

  it("[13.5 AC2, 13.5 AC3] takes a pattern, and those with or without a name", async () => {
    expect(await names("say:*")).toEqual(["say:text"]);
    expect(await names("--named", "--sort", "name")).toEqual(["num:seven", "say:text"]);
    expect(await names("--unnamed")).toEqual([unnamed]);
    expect(await names("--tags", "none,such")).toEqual([]);
  });

  it("[13.5 AC5] comes in pages", async () => {
    expect(await names("--sort", "name", "--limit", "1", "--offset", "1")).toEqual(["say:text"]);
    expect((await cap("list", "--limit", "1")).stdout).toMatch(/\n\n1 to 1 of 3; next: --offset 1\n$/);
    expect((await cap("list", "--offset", "5")).stdout).toBe(
      "No entry at offset 5: there are 3 capabilities\n",
    );
  });
});

describe("[UX-1, 13.5 AC6] pml cap lookup", () => {
  it("shows a capability and its parameters", async () => {
    const { code, stdout, stderr } = await cap("lookup", "say:text");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^display name +say:text$/m);
    expect(stdout).toMatch(/^fqdn +local\.default\.say\.text\.[0-9a-f]{4}$/m);
    expect(stdout).toMatch(/^success rate +100 %$/m);
    expect(stdout).toMatch(/\n\nparameters\n {2}text +\S+ +required\n$/);
  });

  it("ends with 1 where there is none, and says so to scripts too", async () => {
    const missing = await cap("lookup", "say:txt");
    expect(missing).toMatchObject({ code: 1, stdout: "" });
    expect(missing.stderr).toMatch(/^pml: Capability not found: say:txt.* \[CAPABILITY_NOT_FOUND\]\n/);
    expect(JSON.parse((await cap("lookup", "say:txt", "--json")).stdout)).toMatchObject({
      error: { code: "CAPABILITY_NOT_FOUND" },
    });
  });
});

describe("[UX-1, ID-5] pml cap rename", () => {
  it("names what has no name, and changes what is said about it", async () => {
    const { code, stdout, stderr } = await cap(
      "rename",
      unnamed,
      "num:eight",
      "--description",
      "Give eight",
      "--tags",
      "a, b",
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(
      `Renamed ${unnamed} to num:eight; the old name stays as an alias; also changed: description, tags\n`,
    );
    expect((await cap("lookup", "num:eight")).stdout).toMatch(/^description +Give eight$/m);
    expect(await names("--tags", "a,b")).toEqual(["num:eight"]);
    expect(await names("--unnamed")).toEqual([]);
  });

  it("leaves the former name working, with a warning", async () => {
    await cap("rename", "num:eight", "num:acht");
    const { code, stdout, stderr } = await cap("lookup", "num:eight");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^display name +num:acht$/m);
    expect(stderr).toMatch(/^Warning: Deprecated: Using alias "num:eight" for capability "num:acht"/);
    expect(await pml(place, ["exec", "--capability", "num:eight", "--config", config])).toMatchObject({
      code: 0,
      stdout: "8\n",
      stderr: expect.stringContaining('Warning: Deprecated: Using alias "num:eight"'),
    });
  });

  it.each([
    [["num:acht", "say:text"], "NAME_TAKEN"],
    [["num:acht", "not a name"], "NAME_INVALID"],
    [["num:none", "num:one"], "CAPABILITY_NOT_FOUND"],
  ])("%j fails with %s", async (args, code) => {
    const refused = await cap("rename", ...args);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(new RegExp(`^pml: .* \\[${code}\\]\\n`));
  });
});

describe("[UX-1] pml cap save, history and whois", () => {
  const input = (text: string, ...args: string[]): Promise<Outcome> =>
    pml(place, ["cap", ...args, "--config", config], { input: text });

  it("[ID-11] saves code from stdin, and the next version of it", async () => {
    const first = await input("// Give nine\nconst a = 9;\nreturn a;", "save", "-", "--name", "num:nine");
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toMatch(/^Saved: num:nine@1\n {2}run it: `pml exec --capability num:nine`\n$/);
    const second = await input(
      "const a = 10 - 1;\nreturn a;",
      ...["save", "-", "--name", "num:nine", "--intent", "nine", "--tag", "v1.1.0", "--summary", "longer"],
    );
    expect(second.stdout).toMatch(/^Saved as a new version: num:nine@2\n/);
    expect(await pml(place, ["exec", "--capability", "num:nine", "--config", config])).toMatchObject({
      code: 0,
      stdout: "9\n",
    });
  });

  it("[ID-11] shows the history, with diffs where they are asked for", async () => {
    const { code, stdout } = await cap("history", "num:nine");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^VERSION +TAG +DATE +AUTHOR +SUMMARY\n2 +v1\.1\.0 +\S+ \S+ +\S+ +longer\n1 /);
    expect(stdout).not.toContain("@@");
    expect((await cap("history", "num:nine", "--diff", "--limit", "1")).stdout).toMatch(
      /\n@@ -1,3 \+1,2 @@\n-\/\/ Give nine\n-const a = 9;\n\+const a = 10 - 1;\n return a;\n$/,
    );
  });

  it("[ID-10] shows who made and signed it", async () => {
    const { stdout } = await cap("whois", "num:nine");
    expect(stdout).toMatch(/^made by +\S+@local, /m);
    expect(stdout).toMatch(/^trust +\S+; signed by this installation$/m);
  });

  it("[FH-5] shows its code, its signature and its tools", async () => {
    const { code, stdout } = await cap("show", "num:nine@1");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^num:nine, version 1\n/);
    expect(stdout).toMatch(/^signature +mcp\.num\.nine\(/m);
    expect(stdout).toMatch(/\n\ncode\n {2}\/\/ Give nine\n {2}const a = 9;\n {2}return a;\n$/);
    expect(JSON.parse((await cap("show", "num:nine", "--json")).stdout)).toMatchObject({
      code: "const a = 10 - 1;\nreturn a;",
    });
  });

  it("[ID-10] verifies it at a person's word", async () => {
    const { code, stdout } = await cap("verify", "num:nine@v1.1");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Verified num:nine@2\n$/);
    expect((await cap("whois", "num:nine")).stdout).toMatch(/^trust +verified;/m);
  });
});

describe("[UX-1, ID-13] pml cap fork and merge", () => {
  it("copies one, and joins several", async () => {
    expect((await cap("fork", "num:seven", "num:sept")).stdout).toMatch(/^Forked num:seven as num:sept@1; /);
    const merge = ["merge", "num:seven", "say:text", "--name", "say:seven"];
    // A number is no text: how they are joined is for a person to say.
    expect((await cap(...merge)).stderr).toContain("[MERGE_UNCLEAR]");
    const merged = await pml(place, ["cap", ...merge, "--code", "-", "--config", config], {
      input: "return await capabilities.say.text({ text: String(await capabilities.num.seven()) });",
    });
    expect(merged.code).toBe(0);
    expect(merged.stdout).toMatch(/^Merged num:seven and say:text into say:seven@1\n[\s\S]*\n\ncode\n {2}/);
  });
});

describe("[UX-1, ID-12] pml cap delete and undelete", () => {
  it("deletes without a question if no person can answer, and restores", async () => {
    const deleted = await cap("delete", "num:seven");
    expect(deleted.code).toBe(0);
    expect(deleted.stdout).toMatch(
      /^Deleted num:seven; until \d{4}-\d\d-\d\d `pml cap undelete num:seven` restores it\n$/,
    );
    expect(deleted.stderr).toMatch(/^Warning: say:seven calls it and fails from now on/);
    expect((await cap("lookup", "num:seven")).stderr).toContain("was deleted on");
    expect(await cap("undelete", "num:seven")).toEqual({
      code: 0,
      stdout: "Restored num:seven\n",
      stderr: "",
    });
    expect((await cap("lookup", "num:seven")).code).toBe(0);
  });
});

describe("[UX-1] pml cap as a command", () => {
  it("[ID-14] lists servers where they are asked for", async () =>
    expect((await cap("list", "--type", "mcp-server")).stdout).toMatch(
      /^NAME +VERSION +ROUTING +VISIBILITY +DESCRIPTION\n[\s\S]*^mcp:healthy /m,
    ));

  it.each(["save", "history", "merge"])("has help of its own for %s", async (action) => {
    const { code, stdout } = await cap(action, "--help");
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: pml cap ${action} `));
    expect(stdout).toMatch(/\nExamples:\n {2}pml cap /);
  });

  it.each([
    [["save"], "The code is missing: expected FILE"],
    [["fork", "a:b"], "The argument is missing: expected NAME"],
    [["merge", "--name", "a:b"], "The capability is missing: expected SOURCE…"],
    [["whois", "a:b", "c:d"], 'Unexpected argument "c:d"'],
    [["lookup", "a:b", "--yes"], "--yes cannot be combined with lookup"],
    [["delet", "a:b"], 'did you mean "delete"?'],
  ])("%j is wrong usage", async (args, message) => {
    const wrong = await cap(...args);
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain(message);
  });
});
