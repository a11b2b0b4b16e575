/** `pml cap` as people and scripts meet it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixture, newPlace, type Outcome, pml, until } from "../faults/support/pml.js";

const place = newPlace();
const config = place.config({
  mcpServers: { healthy: fixture("healthy") },
  approvals: { unannotated: "auto" },
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
    expect((await cap("list", "--offset", "5")).stdout).toBe("Nothing from 5 on: there are 3 capabilities\n");
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
    expect(stdout).toMatch(/^display name +num:eight$/m);
    expect(stdout).toMatch(/^description +Give eight$/m);
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
