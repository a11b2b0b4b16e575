import { describe, expect, it } from "vitest";
import type { State } from "../app/state.js";
import { VERSION } from "../base/version.js";
import { stateText } from "./state-report.js";

const WORKING: State = {
  config: "/home/ada/pml.json",
  gateway: { pid: 42, version: VERSION, uptimeSeconds: 185 },
  servers: [
    { name: "files", state: "ready", tools: 14 },
    { name: "git", state: "ready", tools: 12 },
  ],
  waiting: { runs: [], changedTools: [] },
  capabilities: { total: 7, unnamed: 2 },
  saved: {
    since: "2026-11-10",
    runs: 4,
    tokens: 1_200,
    tokens_measured: 1_000,
    tokens_estimated: 200,
    ms: 9_000,
    by_capability: [],
  },
};
const NOTHING_SAVED = { ...WORKING.saved, runs: 0 } as NonNullable<State["saved"]>;
const next = (state: State) =>
  stateText(state)
    .split("\n")
    .filter((line) => line.startsWith("Next:"));

describe("[FH-5] pml alone", () => {
  it("shows the state of what works", () =>
    expect(stateText(WORKING)).toBe(`PML ${VERSION}
configuration  /home/ada/pml.json
gateway        running, process 42, up 3 min 5 s
servers        2 ready, 26 tools
waiting        nothing waits for you
memory         7 capabilities, 2 without a name
this week      4 runs from memory saved about 1,200 tokens (1,000 measured, 200 estimated) and 9 s.

Next: \`pml cap list\` shows what PML remembers
\`pml help\` lists all commands.`));

  it("says what to do first where there is no configuration", () => {
    const problem = { code: "CONFIG_INVALID", message: "Cannot find a configuration", hint: "Write one." };
    expect(stateText({ problem, servers: [] })).toBe(`PML ${VERSION}
configuration  none yet

Next: \`pml init\` imports the servers that your MCP clients have, and asks first
Next: \`pml add files -- npx -y @modelcontextprotocol/server-filesystem .\` adds a server, here one for the files of this directory
\`pml help\` lists all commands.`);
  });

  it("shows a configuration that cannot be used, and nothing that it does not know", () => {
    const problem = { code: "CONFIG_MISMATCH", message: "It runs with\u001b other settings" };
    expect(stateText({ config: "/pml.json", problem, servers: [{ name: "a", state: "idle" }] })).toContain(
      "configuration  /pml.json\nproblem        CONFIG_MISMATCH\n\nIt runs with\\u{1b} other settings\n",
    );
  });

  it("names the servers that are down", () =>
    expect(
      stateText({
        ...WORKING,
        saved: NOTHING_SAVED,
        servers: [
          { name: "files", state: "ready", tools: 14 },
          { name: "git", state: "unavailable", tools: 0, problem: "it exited\nwith code 7" },
        ],
      }),
    ).toMatch(
      /\nservers {8}1 ready, 1 unavailable, 14 tools\n {15}git: it exited\\u\{a\}with code 7\nwaiting.*\n.*\nthis week {6}no runs from memory\n/,
    ));

  it.each([
    [{ waiting: { runs: ["4f2c9a1b-77"], changedTools: ["a:b"] } }, ["pml approve 4f2c9a1b"]],
    [{ waiting: { runs: ["a", "b"], changedTools: [] } }, ["pml approve --list"]],
    [{ waiting: { runs: [], changedTools: ["a:b"] } }, ["pml tools changed"]],
    [{ servers: [{ name: "git", state: "unavailable" as const }] }, ["pml logs git"]],
    [{ capabilities: { total: 0, unnamed: 0 } }, ["pml connect CLIENT", "pml tools list"]],
    [{ capabilities: { total: 0, unnamed: 0 }, connected: ["cursor"] }, ["pml tools list"]],
    [{ servers: [] }, ["pml add files -- npx -y @modelcontextprotocol/server-filesystem ."]],
    [{ capabilities: { total: 60, unnamed: 50 } }, ["pml cap curate"]],
  ])("with %j the next command is %j", (more, commands) =>
    expect(next({ ...WORKING, ...more }).map((line) => /`(.*)`/.exec(line)?.[1])).toEqual(commands),
  );

  it("counts one thing as one", () =>
    expect(
      stateText({
        ...WORKING,
        servers: [{ name: "files", state: "ready", tools: 1 }],
        waiting: { runs: [], changedTools: ["a:b"] },
        capabilities: { total: 1, unnamed: 0 },
      }),
    ).toMatch(/1 ready, 1 tool\nwaiting.*1 changed tool for .*\nmemory {9}1 capability\n/));

  it("is idle before a gateway was ever started", () =>
    expect(stateText({ config: "/pml.json", servers: [{ name: "a", state: "idle" }] })).toContain(
      "gateway        not running; a client or a command starts it\nservers        1 idle\n\nNext: `pml connect CLIENT`",
    ));
});
