import { describe, expect, it } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import type { ToolId } from "../registry/tool-id.js";
import {
  askedText,
  choiceOf,
  decidedText as decided,
  listText as listed,
  questionOf,
  type WaitingView,
} from "./approve-report.js";
import { localTime } from "./when.js";

const rm = "fs:rm" as ToolId;
const decidedText = loosely(decided);
const listText = loosely(listed);
const minute = (iso: string) => localTime(iso).slice(0, 16);

const run = (
  approval: Partial<WaitingView["approval"]> = {},
  more: Partial<WaitingView> = {},
): WaitingView => ({
  workflowId: "4f2c-1",
  askedBy: "ada@local",
  intent: "tidy up",
  createdAt: "2026-11-16T04:30:59.123Z",
  approval: {
    reason: "run",
    message: "May this code call fs:rm? Its purpose, as its sender says: tidy up",
    expiresAt: "2026-11-17T04:30:59.123Z",
    tools: [{ tool: rm, hash: "h", reason: "the server says that it is destructive" }],
    next: "",
    workflowId: "4f2c-1",
    calls: [
      { taskId: "n1", tool: "fs:list", needsApproval: false, arguments: { path: "." } },
      {
        taskId: "n2",
        tool: "fs:rm",
        needsApproval: true,
        arguments: {},
        unknown: [{ at: "/path", expression: "name" }],
        isRepeatable: true as const,
        via: "fs:clean",
      },
    ],
    ...approval,
  },
  ...more,
});
const doubt = run({ reason: "in_doubt" });

describe("[EX-6, UX-1] what a person is shown before deciding", () => {
  it("has the tools, their arguments as far as known, and the code", () => {
    const code = "const name = await mcp.fs.list({})\nawait mcp.fs.rm({ path: name })";
    expect(askedText(run({}, { code, args: { dir: "." } }))).toBe(`4f2c-1  run
  asked by ada@local, ${minute("2026-11-16T04:30:00.000Z")}; expires ${minute("2026-11-17T04:30:00.000Z")}

May this code call fs:rm? Its purpose, as its sender says: tidy up

Code:
  const name = await mcp.fs.list({})
  await mcp.fs.rm({ path: name })

Arguments: {"dir":"."}

Tools that need approval:
  fs:rm  the server says that it is destructive

Calls, as far as they are known before the run:
   n1  fs:list  {"path":"."}
!  n2  fs:rm    {}; any number of times; called by fs:clean; /path not known yet: name
`);
  });

  it("[EX-7] has what was done so far", () => {
    const done = [
      { taskId: "n1", tool: "fs:list", success: true },
      { taskId: "n1#2", tool: "fs:list", success: false },
    ];
    const text = askedText(run({ reason: "layer" }, { done, capability: "fs:tidy" }));
    expect(text).toContain("\nCapability: fs:tidy\n");
    expect(text).toContain("\nCalls:\n");
    expect(text).toContain("Done so far:\n  n1    fs:list  ok\n  n1#2  fs:list  failed\n");
  });

  it("says through which capability a tool is called", () => {
    const tools = [{ tool: rm, hash: "h", reason: "nothing says that it reads only", via: "fs:tidy" }];
    expect(askedText(run({ tools }))).toContain(
      "  fs:rm  nothing says that it reads only (through fs:tidy)\n",
    );
  });

  it("shows what a terminal would obey or hide", () => {
    const call = { taskId: "n1", tool: "fs:r\u202em", needsApproval: true, arguments: { a: "\u0007\u200b" } };
    const text = askedText(
      run({ message: "sure\u001b[2J", calls: [call] }, { code: "a()\u001b[8m\nb()", askedBy: "x\r" }),
    );
    expect(text).toContain("sure\\u{1b}[2J");
    expect(text).toContain('fs:r\\u{202e}m  {"a":"\\u0007\\u{200b}"}');
    expect(text).toContain("  a()\\u{1b}[8m\n  b()\n");
    for (const sign of "\u001b\r\u202e\u200b\u0007") expect(text).not.toContain(sign);
  });

  it("cuts what is endless, and says so", () => {
    const calls = [{ taskId: "n1", tool: "fs:rm", needsApproval: true, arguments: { a: "x".repeat(5_000) } }];
    const text = askedText(run({ calls }, { code: "a()\n".repeat(100) }));
    expect(text).toContain("x… (4502 more characters)} (pml approve --list ID --json shows all)");
    expect(text).toContain("… 40 more lines (pml approve --list ID --json shows all)");
  });

  it("[TB-2] has every argument by name, whatever the length of those before it", () => {
    const args = { content: "x".repeat(5_000), path: "/etc/passwd" };
    const calls = [{ taskId: "n1", tool: "fs:rm", needsApproval: true, arguments: args }];
    expect(askedText(run({ calls }))).toContain('"path":"/etc/passwd"}');
  });

  it("[TB-2] has no line that begins like one of its own and comes of a text that fills the line before", () => {
    const fake = '!  n9  fs:list  {"path":"."}';
    const code = `a(); //${" ".repeat(70)}${fake}`;
    const calls = [
      { taskId: "n1", tool: "fs:rm", needsApproval: true, arguments: { a: `${" ".repeat(62)}${fake}` } },
    ];
    for (const width of [60, 80, 100]) {
      const lines = askedText(run({ calls }, { code }), width).split("\n");
      expect(lines.filter((line) => line.startsWith("!"))).toHaveLength(1);
      expect(lines.filter((line) => line.length > width)).toEqual([]);
    }
  });

  it("[TB-2] has names of tasks in quotes that read like more than a name", () => {
    const calls = [
      { taskId: "a  fs:list  {}", tool: "fs:rm", needsApproval: true, arguments: {} },
      { taskId: "step-2.n1", tool: "fs:rm", needsApproval: true, arguments: {} },
    ];
    expect(askedText(run({ calls }))).toContain(
      '\n!  "a  fs:list  {}"  fs:rm  {}\n!  step-2.n1         fs:rm  {}\n',
    );
  });
});

describe("[EX-6, UX-1] the list", () => {
  it("has every run that waits, and what is approved for good", () => {
    const standing = [{ tool: "fs:rm", approvedBy: "bob@local", approvedAt: "2026-11-15T10:00:00.000Z" }];
    expect(
      listText({ waiting: [run(), run({ tools: [] }, { workflowId: "77" })], standing }),
    ).toBe(`4f2c-1  run
  asked by ada@local, ${minute("2026-11-16T04:30:00.000Z")}; expires ${minute("2026-11-17T04:30:00.000Z")}
  May this code call fs:rm? Its purpose, as its sender says: tidy up
  tools: fs:rm
77  run
  asked by ada@local, ${minute("2026-11-16T04:30:00.000Z")}; expires ${minute("2026-11-17T04:30:00.000Z")}
  May this code call fs:rm? Its purpose, as its sender says: tidy up
Always approved:
  fs:rm  by bob@local, ${minute("2026-11-15T10:00:00.000Z")}`);
  });

  it("says that nothing waits", () => {
    expect(listText({ waiting: [], standing: [] })).toBe("Nothing waits for approval");
  });
});

describe("[EX-6, EX-8] what a person types", () => {
  it.each([
    ["o", "once"],
    [" Once ", "once"],
    ["y", "once"],
    ["YES", "once"],
    ["a", "always"],
    ["always", "always"],
    ["n", "reject"],
    ["no", "reject"],
    ["", undefined],
    ["okay", undefined],
    ["d", undefined],
    ["constructor", undefined],
    [undefined, undefined],
  ])("%j is %s", (typed, decision) => expect(choiceOf(typed, run())).toBe(decision));

  it.each([
    ["d", "done"],
    ["done", "done"],
    ["r", "repeat"],
    ["no", "reject"],
    ["y", undefined],
    ["once", undefined],
    ["always", undefined],
  ])("%j is %s of a call in doubt", (typed, decision) => expect(choiceOf(typed, doubt)).toBe(decision));

  it("is asked for what there is to answer", () => {
    expect(questionOf(run())).toBe("Approve? [o]nce, [a]lways for these tools, [n]o: ");
    expect(questionOf(doubt)).toContain("[d]one, [r]epeat the call");
  });
});

describe("[EX-6, EX-8] what was decided", () => {
  it.each([
    [{ state: "approved", decision: "once" }, "Approved, this once: 4f2c\n"],
    [
      { state: "approved", decision: "always", always: ["fs:rm", "fs:mv"] },
      "Approved: 4f2c, and always: fs:rm, fs:mv\n",
    ],
    [{ state: "approved", decision: "done", always: [] }, "Marked as done: 4f2c\n"],
    [{ state: "approved", decision: "repeat" }, "Will be called again: 4f2c\n"],
  ])("%j", (answer, text) => {
    const told = decidedText({ workflowId: "4f2c", ...answer }, "pml exec --resume 4f2c");
    expect(told).toBe(
      `${text}To continue it, tell the agent to resume the run 4f2c.\nA run of pml exec continues with \`pml exec --resume 4f2c\`.`,
    );
  });

  it("ends with a no", () => {
    const no = { workflowId: "4f2c", state: "rejected", decision: "reject" };
    expect(decidedText(no, "pml exec --resume 4f2c")).toBe("Rejected: 4f2c");
  });
});
