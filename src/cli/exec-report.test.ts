import { describe, expect, it } from "vitest";
import { loosely } from "../../test/support/loosely.js";
import { execReport as reportOf } from "./exec-report.js";

const execReport = (answer: object, readable: boolean, args: Readonly<Record<string, unknown>> = {}) =>
  loosely(reportOf)(
    answer,
    readable,
    {
      approve: (id) => `pml approve ${id} --config /work/pml.json`,
      resume: (id) => `pml exec --resume ${id} --config /work/pml.json`,
    },
    args,
  );

const success = { status: "success", mode: "direct", workflowId: "w", executionTimeMs: 1, tasks: [] };

describe("[UX-1] what pml exec prints of a success", () => {
  it.each([
    [{ a: [1] }, '{\n  "a": [\n    1\n  ]\n}'],
    ["text\nof two lines", "text\nof two lines"],
    ["\u001b[2Jgone\r\tx", "\\u{1b}[2Jgone\\u{d}\tx"],
    [null, "null"],
    [undefined, "null"],
    [0, "0"],
  ])("is the result, in a terminal: %j", (result, text) =>
    expect(execReport({ ...success, result }, true)).toEqual({ result: text, notes: [], code: 0 }),
  );

  it("is JSON for a pipe, a text too", () =>
    expect(execReport({ ...success, result: "a\nb" }, false).result).toBe('"a\\nb"'));

  it("is what was logged, what it warns of, and how to run it again", () =>
    expect(
      execReport(
        {
          ...success,
          result: 1,
          logs: ["one", "\u001btwo"],
          warnings: ["three"],
          capabilityName: "fs:read",
          capabilityVersion: 2,
        },
        true,
      ).notes,
    ).toEqual([
      "one",
      "\\u{1b}two",
      "Warning: three",
      "Remembered as fs:read, version 2",
      "  again:  pml exec --capability fs:read",
    ]));

  it.each([
    [{ path: "a.json", many: 3 }, " --arg path=a.json --arg many=3"],
    [{ text: "it's", like: "7" }, " --arg text='it'\\''s' --arg like='\"7\"'"],
    [{ text: "x".repeat(200) }, " --arg text=…"],
  ])("is how to run it again with %j", (args, words) =>
    expect(execReport({ ...success, capabilityName: "fs:read" }, true, args).notes).toEqual([
      "Remembered as fs:read",
      `  again:  pml exec --capability fs:read${words}`,
    ]),
  );

  it("is how to name it, where it has no name", () =>
    expect(execReport({ ...success, capabilityName: "unnamed_1a2b3c4d" }, true).notes).toEqual([
      "Remembered as unnamed_1a2b3c4d",
      "  again:  pml exec --capability unnamed_1a2b3c4d",
      "  name:   pml cap rename unnamed_1a2b3c4d NAMESPACE:ACTION",
    ]));

  it("says nothing more of a capability that was named to run", () =>
    expect(execReport({ ...success, mode: "call_by_name", capabilityName: "fs:read" }, true).notes).toEqual(
      [],
    ));

  it("is the whole answer where there is no result to be had", () =>
    expect(execReport({ status: "dry_run", dag: {} }, true)).toEqual({
      result: '{\n  "status": "dry_run",\n  "dag": {}\n}',
      notes: [],
      code: 0,
    }));
});

describe("[EX-14, UX-1] what pml exec prints of a result that was used again", () => {
  it.each([
    ["execution", "an earlier run with the same code and arguments"],
    ["capability", "an earlier run of this capability with the same arguments"],
    ["intent", "an earlier run for nearly the same intent"],
  ])("is where it comes from: %s", (cacheHit, from) =>
    expect(execReport({ ...success, mode: "call_by_name", result: 1, cacheHit }, true).notes).toEqual([
      `From the cache: the result of ${from}; --no-cache runs it`,
    ]),
  );
});

describe("[UX-1] the exit code of pml exec", () => {
  const failed = (code: string) => ({
    status: "error",
    logs: ["before"],
    error: { code, message: "No", hint: "Do" },
  });

  it.each([
    ["RUN_FAILED", 1],
    ["TOOL_DENIED", 1],
    ["APPROVAL_REQUIRED", 3],
  ])("after %s is %i", (code, exit) => {
    const report = execReport(failed(code), true);
    expect(report).toMatchObject({
      notes: ["before"],
      code: exit,
      error: { code, message: "No", hint: "Do" },
    });
    expect(report).not.toHaveProperty("result");
  });

  it("is 3 for a run that waits", () => {
    const report = execReport(
      {
        status: "approval_required",
        workflowId: "w1",
        approval: { message: "May it?", tools: [{ tool: "fs:rm", reason: "it says so" }] },
      },
      true,
    );
    expect(report).toMatchObject({ code: 3, error: { message: "The run w1 waits for approval" } });
    expect(report.notes.join("\n")).toContain("fs:rm");
  });

  it("is 1 for an error that says nothing", () =>
    expect(execReport({ status: "error" }, true)).toMatchObject({ code: 1, error: { code: "RUN_FAILED" } }));
});

describe("[UX-1] what pml exec prints of suggestions", () => {
  const suggestions = {
    tools: [
      {
        id: "files:read",
        score: 0.8,
        description: "Reads a file\nand more",
        inputSchema: { properties: { path: {}, depth: {} }, required: ["path"] },
      },
    ],
    capabilities: [
      { name: "fs:read_json", score: 0.9, trust: "verified", parameters: {}, description: "read JSON" },
    ],
    chains: [{ from: "files:read", to: "fs:read_json", fields: ["content → text"] }],
  };
  const answer = { ...success, status: "suggestions", mode: "suggestion", suggestions };

  it("is a table of each kind", () =>
    expect(execReport(answer, true)).toEqual({
      notes: [],
      code: 0,
      result: [
        "CAPABILITY    SCORE  TRUST     TAKES  DESCRIPTION",
        "fs:read_json  0.9    verified         read JSON",
        "",
        "TOOL        SCORE  TAKES         DESCRIPTION",
        "files:read  0.8    path, depth?  Reads a file",
        "",
        "FROM        TO            FIELDS",
        "files:read  fs:read_json  content → text",
      ].join("\n"),
    }));

  it("is that nothing fits", () =>
    expect(
      execReport({ ...answer, suggestions: { tools: [], capabilities: [], chains: [] } }, true).result,
    ).toBe("Nothing matches this intent"));

  it("is why nothing was run, where something was to be", () => {
    const [one] = suggestions.capabilities;
    const capabilities = [{ ...one, notRun: "it is suspect" }];
    const told = execReport({ ...answer, mode: "speculation", suggestions: { capabilities } }, true);
    expect(told).toMatchObject({ code: 1, notes: ["Nothing was run: fs:read_json: it is suspect"] });
    expect(told.result).toContain("fs:read_json was not run: it is suspect");
    const none = execReport({ ...answer, mode: "speculation", suggestions: {} }, true);
    expect(none).toMatchObject({ code: 1, notes: ["Nothing was run: no capability matches this intent"] });
  });

  it("is which capability was run", () =>
    expect(
      execReport({ ...success, mode: "speculation", result: 1, capabilityName: "fs:read" }, true).notes,
    ).toEqual(["Ran fs:read, which matches the intent"]));
});
