/**
 * Runs a program after a person has said yes to the question about it, and compares every call with effects that reached
 * a server with that question, as it was written for the person.
 *
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import { analyse } from "../../src/analysis/analyse.js";
import type { Analysis } from "../../src/analysis/analysis.js";
import type { Json } from "../../src/base/canonical-json.js";
import type { ApprovalCall } from "../../src/execution/ports/execute-answer.js";
import type { Sandbox, SandboxCall } from "../../src/execution/ports/sandbox.js";
import type { KnownTool } from "../../src/execution/ports/tool-box.js";
import type { KnownObject, KnownValue } from "../../src/execution/prepare/known-value.js";
import {
  type CalledUnit,
  type ShownCall,
  ShownUnit,
  shownCalls,
} from "../../src/execution/prepare/shown-calls.js";
import { ToolIndex } from "../../src/execution/prepare/tool-index.js";
import { runProgram } from "../../src/execution/run/run-bridge.js";
import { unkept } from "../../src/execution/run/run-keeper.js";
import { isAsShown } from "../../src/execution/wait/approval-needs.js";
import { approvalCalls } from "../../src/execution/wait/ask-person.js";
import type { CapabilityRef } from "../../src/registry/capability-ref.js";
import type { ToolId } from "../../src/registry/tool-id.js";
import { testVocabulary } from "../support/vocabulary.js";
import { type ApprovalProgram, DERIVED, refOf } from "./program.js";

/** A defect that is put back on purpose, to see that the check finds it. */
export type Hole =
  /** H1: calls inside of capabilities are not compared. */
  | "nested-unchecked"
  /** H1: a call of a capability counts as shown whichever it is, and however often. */
  | "uncounted"
  /** H1: what a capability is given is not compared. */
  | "given-unchecked"
  /** H5: data that looks like a mark switches the comparison off. */
  | "marks-in-data"
  /** H5: an argument in the place of a lifted literal is not compared. */
  | "lifted-unchecked"
  /** H8: the question says nothing of what called capabilities do. */
  | "nested-unshown";

export interface Checked {
  readonly faults: readonly string[];
  /** Calls with effects that reached a server. */
  readonly sent: number;
  readonly refused: number;
}

interface SentCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, Json>>;
}

const WRITE = "fs:write" as ToolId;
const SEND = "mail:send" as ToolId;
const NEEDING: ReadonlySet<ToolId> = new Set([WRITE, SEND]);
const ANY = { inputSchema: { type: "object" } };
const TOOLS: readonly KnownTool[] = [WRITE, SEND, "fs:read" as ToolId].map((id) => ({
  id,
  server: id.split(":")[0] as KnownTool["server"],
  name: id.split(":")[1] ?? "",
  inputSchema: {},
  hash: "",
  transport: "stdio",
  trusted: true,
}));
const INDEX = new ToolIndex(TOOLS);
const SCHEMA = {
  type: "object",
  properties: { path: {}, content: {} },
  required: [],
  additionalProperties: true,
} as const;

export async function checkProgram(
  sandbox: Sandbox,
  program: ApprovalProgram,
  hole?: Hole,
): Promise<Checked> {
  const known = program.capabilities.map((_, index) => ({
    name: `cap:c${index}`,
    fqdn: refOf(index),
    parameters: SCHEMA as unknown as Json,
  }));
  const vocabulary = testVocabulary({ fs: { write: ANY, read: ANY }, mail: { send: ANY } }, known);
  const units = new Map<CapabilityRef, CalledUnit>();
  for (const [index, code] of program.capabilities.entries()) {
    const analysis = analyse(code, vocabulary);
    if (analysis.problems.length > 0) return { faults: [], sent: 0, refused: 0 };
    units.set(refOf(index) as CapabilityRef, { analysis, parameters: SCHEMA, name: `cap:c${index}` });
  }
  const main = analyse(program.main, vocabulary);
  // Refused before anything runs, so no person is asked.
  if (main.problems.length > 0) return { faults: [], sent: 0, refused: 0 };
  const calls = shownCalls({
    main,
    args: program.args,
    unitOf: (ref) => units.get(ref),
    needsApproval: NEEDING,
  });
  const question = calls.flatMap((call) => approvalCalls(call, NEEDING, (ref) => ref));
  const asked = hole === "nested-unshown" ? question.filter(({ via }) => via === undefined) : question;
  const ran = await run(sandbox, program, main, units, calls, hole);
  return {
    sent: ran.sent.length,
    refused: ran.refused,
    faults: [
      ...unasked(ran.sent, asked),
      ...(program.isHonest && ran.refused > 0 ? [`${ran.refused} honest calls were refused`] : []),
    ].map((fault) => `${fault}\n${JSON.stringify(program)}\n${JSON.stringify(asked)}`),
  };
}

async function run(
  sandbox: Sandbox,
  program: ApprovalProgram,
  main: Analysis,
  units: ReadonlyMap<CapabilityRef, CalledUnit>,
  calls: readonly ShownCall[],
  hole: Hole | undefined,
): Promise<{ readonly sent: readonly SentCall[]; readonly refused: number }> {
  const sent: SentCall[] = [];
  let refused = 0;
  const shownMain = new ShownUnit(withHole(calls, program, hole));
  const toolFor = (call: SandboxCall, shown: ShownUnit | undefined): KnownTool => {
    const tool = call.object === "mcp" ? INDEX.find(call.path) : undefined;
    if (tool === undefined) throw new Error("Unknown tool");
    if (!NEEDING.has(tool.id) || isOpen(call, hole)) return tool;
    try {
      isAsShown(tool, call, shown);
    } catch (error) {
      refused += 1;
      throw error;
    }
    return tool;
  };
  await runProgram(
    sandbox,
    {
      tools: () => TOOLS,
      settled: async () => {},
      async call({ id }, args) {
        if (NEEDING.has(id)) sent.push({ tool: id, args });
        return { content: [{ type: "text", text: JSON.stringify({ text: "content" }) }], isError: false };
      },
    },
    {
      ...unkept(),
      workflowId: "w",
      program: {
        main: {
          code: main.runnableCode,
          parameters: main.freeParameters,
          lifted: main.liftedParameters,
          calls: main.dependencies,
        },
        capabilities: [...units].map(([ref, { analysis, name }]) => ({
          ref,
          displayName: name,
          version: 1,
          code: analysis.runnableCode,
          parameters: analysis.freeParameters,
          lifted: analysis.liftedParameters,
          calls: analysis.dependencies,
          schema: SCHEMA as unknown as Json,
        })),
      },
      structure: main.structure,
      args: program.args,
      limits: { timeMs: 20_000, memoryMb: 64, toolCalls: 1_000 },
      context: {
        scope: { org: "o", project: "p", user: "u" },
        connection: "c",
        signal: AbortSignal.timeout(60_000),
      },
      toolFor,
      shown: shownMain,
      targetOf(unit, node) {
        const analysis = unit === undefined ? main : units.get(unit)?.analysis;
        const target = analysis?.calls.find((call) => call.node === node)?.target;
        return target?.kind === "tool" ? target.id : target?.ref;
      },
      structureOf: (unit) => units.get(unit)?.analysis.structure,
      onEvent() {},
    },
  );
  return { sent, refused };
}

/** Whether a hole lets the call through without comparing it. */
function isOpen({ parent, args }: SandboxCall, hole: Hole | undefined): boolean {
  if (hole === "nested-unchecked") return parent !== undefined;
  return hole === "marks-in-data" && /\$expression|\$more/.test(JSON.stringify(args));
}

/** The calls as they are compared where a hole is there. */
function withHole(
  calls: readonly ShownCall[],
  program: ApprovalProgram,
  hole: Hole | undefined,
): readonly ShownCall[] {
  const given = Object.entries(program.args).flatMap(([name, value]) => (name === "p" ? [] : [value]));
  return calls.map(({ received, ...call }) => ({
    ...call,
    ...(received === undefined || hole === "given-unchecked" ? {} : { received }),
    isRepeatable: call.isRepeatable || hole === "uncounted",
    args: hole === "lifted-unchecked" ? withoutValues(call.args, given) : call.args,
    inside: withHole(call.inside, program, hole),
  }));
}

function withoutValues(known: KnownObject, values: readonly Json[]): KnownObject {
  const fields = [...known.fields].map(([name, value]): [string, KnownValue] =>
    value.kind === "value" && values.some((one) => isDeepStrictEqual(one, value.value))
      ? [name, { kind: "unknown", expression: name }]
      : [name, value],
  );
  return { ...known, fields: new Map(fields) };
}

/** Calls that the question does not have, or not so often. */
function unasked(sent: readonly SentCall[], asked: readonly ApprovalCall[]): readonly string[] {
  const needing = asked.filter(({ needsApproval, tool }) => needsApproval && NEEDING.has(tool as ToolId));
  const taken = new Map<ApprovalCall, number>();
  /** Gives the call one of the question, and moves others for it where it must. */
  const place = (index: number, tried: Set<ApprovalCall>): boolean => {
    const call = sent[index] as SentCall;
    for (const one of needing) {
      if (tried.has(one) || one.tool !== call.tool || !isSaid(call.args, one, asked)) continue;
      tried.add(one);
      const holder = taken.get(one);
      if (isRepeated(one, asked) || holder === undefined || place(holder, tried)) {
        taken.set(one, index);
        return true;
      }
    }
    return false;
  };
  return sent.flatMap((call, index) =>
    place(index, new Set()) ? [] : [`called without having been asked: ${JSON.stringify(call)}`],
  );
}

/** It, or a capability call that it is part of, can be made any number of times. */
function isRepeated({ taskId }: ApprovalCall, asked: readonly ApprovalCall[]): boolean {
  return asked.some(
    (one) => one.isRepeatable === true && (one.taskId === taskId || taskId.startsWith(`${one.taskId}.`)),
  );
}

/** Whether a person who read this line has read of these arguments. */
function isSaid(args: Json, call: ApprovalCall, asked: readonly ApprovalCall[]): boolean {
  const { arguments: known, unknown = [] } = call;
  const derived = unknown.some(({ expression }) => expression === DERIVED)
    ? derivedPath(call, asked)
    : undefined;
  if (derived !== undefined && isObject(args) && args.path !== derived) return false;
  const open = new Set(unknown.filter(({ isRest }) => isRest !== true).map(({ at }) => at));
  const rest = new Set(unknown.filter(({ isRest }) => isRest === true).map(({ at }) => at));
  const same = (is: Json | undefined, said: Json | undefined, at: string): boolean => {
    if (open.has(at)) return true;
    if (!isObject(is) || !isObject(said)) return isDeepStrictEqual(is, said);
    const names = new Set([...Object.keys(is), ...Object.keys(said)]);
    return [...names].every((name) => {
      const below = `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      if (!Object.hasOwn(said, name) && rest.has(at)) return true;
      return same(is[name], said[name], below);
    });
  };
  return same(args, known, "");
}

/** The path that a person works out who has read what the capability is given; nothing where that is not known. */
function derivedPath({ taskId }: ApprovalCall, asked: readonly ApprovalCall[]): string | undefined {
  const outer = taskId.slice(0, taskId.lastIndexOf("."));
  const caller = asked.find((one) => one.taskId === outer);
  if (caller === undefined || (caller.unknown ?? []).some(({ at }) => at === "" || at.startsWith("/path")))
    return undefined;
  return Object.hasOwn(caller.arguments, "path") ? `${String(caller.arguments.path)}.txt` : "undefined.txt";
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
