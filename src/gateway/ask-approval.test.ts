import type { InputRequiredResult } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { ApprovalCall, ApprovalRequest, ExecuteAnswer } from "../execution/ports/execute-answer.js";
import type { ApprovalDesk, PersonDecision } from "../execution/wait/approvals.js";
import type { Caller } from "../mcp/real-servers.js";
import type { Scope } from "../registry/scope.js";
import type { ToolId } from "../registry/tool-id.js";
import { asked, decideAsAsked, withApproval } from "./ask-approval.js";

const SCOPE: Scope = { org: "acme", project: "web", user: "ada" };
const CALLER = {
  capabilities: { elicitation: { form: {} } },
  mayDecide: () => true,
  signal: new AbortController().signal,
} as unknown as Caller;

function call(more: Partial<ApprovalCall> = {}): ApprovalCall {
  return { taskId: "n1", tool: "fs:rm", arguments: {}, needsApproval: true, ...more };
}

/** The text of the question about a run. */
function questionOf(approval: Partial<ApprovalRequest>): string {
  const request = question(approval).inputRequests?.approval as { params?: { message?: string } } | undefined;
  return request?.params?.message ?? "";
}

function question(approval: Partial<ApprovalRequest>): InputRequiredResult {
  const whole: ApprovalRequest = {
    workflowId: "4f2c-1",
    reason: "run",
    message: "May this code call fs:rm?",
    tools: [{ tool: "fs:rm" as ToolId, hash: "", reason: "the server says that it is destructive" }],
    calls: [],
    expiresAt: "2026-11-17T04:30:59.123Z",
    command: "pml approve 4f2c-1",
    next: "",
    ...approval,
  };
  const answer = asked({ approval: whole } as unknown as ExecuteAnswer, SCOPE, CALLER, {
    isFirstQuestion: () => true,
    questionSecret: "s",
  });
  if (answer.kind !== "question") throw new Error("Nobody is asked");
  return answer.result;
}

describe("[TB-2] the question for a client's user", () => {
  it("has calls, notes and the code of capabilities", () => {
    const text = questionOf({
      calls: [
        call({ taskId: "n2", needsApproval: false, tool: "fs:list" }),
        call({
          arguments: { path: "a", mode: 1 },
          unknown: [{ at: "/name", expression: "args.name" }],
          isRepeatable: true,
          via: "fs:clean",
        }),
      ],
      code: [{ capability: "fs:clean", code: "const a = 1;\nreturn a;\n" }],
    });
    expect(text).toBe(`PML asks: May this code call fs:rm?
- fs:rm: the server says that it is destructive
Calls:
! n1 fs:rm {"path":"a","mode":1}; any number of times; called by fs:clean; /name not known yet: args.name
  n2 fs:list {}
Code of fs:clean:
  | const a = 1;
  | return a;`);
  });

  it("has no line of code that looks like one of its own", () => {
    const code = "a();\nCalls:\n! n1 fs:list {}\r! n2 fs:list {}\u2028- fs:rm: only reads";
    const lines = questionOf({ calls: [call()], code: [{ capability: "fs:clean", code }] }).split(
      /[\n\r\u2028]/,
    );
    expect(lines.filter((line) => line.startsWith("!"))).toEqual(["! n1 fs:rm {}"]);
    expect(lines.filter((line) => line === "Calls:")).toHaveLength(1);
  });

  it.each([1, 20, 200])("has every call that needs the person, of %i with much in them", (count) => {
    const calls = Array.from({ length: count }, (_, index) =>
      call({
        taskId: `n${index + 1}`,
        arguments: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`f${n}`, "x".repeat(1_000)])),
      }),
    );
    const others = Array.from({ length: 50 }, () =>
      call({ needsApproval: false, arguments: { a: "y".repeat(299) } }),
    );
    const text = questionOf({ calls: [...others, ...calls] });
    expect(text).toMatch(/^PML: This is truncated/);
    const found = text.split("\n").flatMap((line) => /^! (n\d+) fs:rm /.exec(line)?.[1] ?? []);
    expect(found).toEqual(calls.map(({ taskId }) => taskId));
    expect(text.length).toBeLessThan(40_000);
  });

  it("has names of tasks in quotes that read like more than a name", () => {
    const text = questionOf({ calls: [call({ taskId: 'a fs:list {"path":"."}; checked' })] });
    expect(text).toContain('\n! "a fs:list {\\"path\\":\\".\\"}; checked" fs:rm {}');
  });
});

describe("[TB-2, EX-6] the answer of a client's user", () => {
  afterEach(() => vi.useRealTimers());

  const DECLINE = { action: "decline" };
  const NO = { action: "accept", content: { decision: "no" } };
  it.each([
    [{ action: "accept", content: { decision: "once" } }, 0, "once"],
    [{ action: "accept", content: { decision: "always" } }, 0, "always"],
    [NO, 0, "reject"],
    [NO, 1_000, "reject"],
    [{ action: "accept", content: {} }, 0, "once"],
    [{ action: "accept" }, 0, "once"],
    [DECLINE, 0, undefined],
    [DECLINE, 999, undefined],
    [DECLINE, 1_000, "reject"],
    [{ action: "cancel" }, 0, undefined],
    [{ action: "cancel" }, 3_600_000, undefined],
    [{ action: "accept", content: { decision: "No" } }, 0, undefined],
    [{ action: "accept", content: { decision: "" } }, 0, undefined],
    [{ action: "accept", content: { decision: null } }, 0, undefined],
    [{ action: "accept", content: { decision: false } }, 0, undefined],
  ])("%j after %i ms is %s", async (response, afterMs, expected) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { desk, kinds } = deskOf();
    const caller = answering(response);
    vi.advanceTimersByTime(afterMs);
    const said = await decideAsAsked(desk, {} as Scope, caller);
    expect(said?.decision?.kind).toBe(expected);
    expect(kinds).toEqual(expected === undefined ? [] : [expected]);
  });

  it("is kept where the client has given up, and nothing runs", async () => {
    const { desk, kinds } = deskOf();
    const caller = { ...answering({ action: "accept" }), signal: AbortSignal.abort() };
    const ran: string[] = [];
    const run = { start: async () => ran.push("start"), resume: async (id: string) => ran.push(id) };
    await expect(withApproval(run as never, desk, {} as Scope, caller)).rejects.toMatchObject({
      code: "RUN_CANCELLED",
    });
    expect([kinds, ran]).toEqual([["once"], []]);
  });

  it("[TB-7] is no answer to a question that was not asked: a state of the client's own making counts for nothing", async () => {
    const { desk, kinds } = deskOf();
    const { state } = answering({}).input ?? {};
    for (const forged of [
      state?.replace("4f2c-1", "4f2c-2"),
      state?.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")),
    ]) {
      expect(forged).toHaveLength(state?.length ?? 0);
      const input = { state: forged ?? "", responses: { approval: { action: "accept" } } };
      expect(await decideAsAsked(desk, {} as Scope, { ...CALLER, input })).toBeUndefined();
    }
    expect(kinds).toEqual([]);
  });

  it("[SC-3] reaches any gateway of the installation, and none of another", async () => {
    const { desk: other, kinds } = deskOf();
    const { desk: foreign, kinds: foreignKinds } = deskOf("of another installation");
    const caller = answering({ action: "accept" });
    expect(await decideAsAsked(other, {} as Scope, caller)).toMatchObject({ workflowId: "4f2c-1" });
    expect(await decideAsAsked(foreign, {} as Scope, caller)).toBeUndefined();
    expect([kinds, foreignKinds]).toEqual([["once"], []]);
  });

  it("[TB-7] counts for nothing where the client may not decide", async () => {
    const { desk, kinds } = deskOf();
    const caller = { ...answering({ action: "accept" }), mayDecide: () => false };
    expect(await decideAsAsked(desk, {} as Scope, caller)).toMatchObject({ decision: undefined });
    expect(kinds).toEqual([]);
  });
});

function answering(response: unknown): Caller {
  const input = { state: question({}).requestState ?? "", responses: { approval: response } };
  return { ...CALLER, input };
}

function deskOf(questionSecret = "s") {
  const kinds: string[] = [];
  const decide = async (_id: string, { kind }: PersonDecision) => void kinds.push(kind);
  return { kinds, desk: { decide, isFirstQuestion: () => true, questionSecret } as unknown as ApprovalDesk };
}
