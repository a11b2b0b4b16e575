/**
 * One program in the sandbox, and the bridge that answers its calls and records its events.
 *
 * @module
 */
import type { StaticStructure } from "../../analysis/static-structure.js";
import type { Json } from "../../base/canonical-json.js";
import { defined } from "../../base/defined.js";
import { LIMITS } from "../../base/limits.js";
import { type CapabilityRef, nameAt, splitCapabilityRef } from "../../registry/capability-ref.js";
import type { DecisionTaken, LoopPassed } from "../../registry/capability-store.js";
import { CHARS_PER_TOKEN } from "../../registry/savings.js";
import type { ToolId } from "../../registry/tool-id.js";
import { rounded, type TaskReport } from "../ports/execute-answer.js";
import type {
  OrderedCallAnswer,
  Sandbox,
  SandboxBridge,
  SandboxCall,
  SandboxCallAnswer,
  SandboxEvent,
  SandboxLimits,
  SandboxOutcome,
  SandboxProgram,
} from "../ports/sandbox.js";
import type { CallContext, KnownTool, ToolBox } from "../ports/tool-box.js";
import type { ShownUnit } from "../prepare/shown-calls.js";
import { GivenValues } from "./given-values.js";
import type { CapabilityRun } from "./nested-runs.js";
import type { RunOrigin } from "./run-keeper.js";
import { RunPath } from "./run-path.js";
import type { RunEvent, RunListener } from "./run-progress.js";
import { type CallPlace, OpenCalls, type OpenTask, type RacingUnit, TaskLog } from "./task-log.js";
import { callAnswerOf, keptFailure, refusal } from "./tool-value.js";

export interface ProgramRun extends RunOrigin {
  readonly workflowId: string;
  readonly program: SandboxProgram;
  /** Of the main code. */
  readonly structure: StaticStructure;
  readonly args: Readonly<Record<string, Json>>;
  readonly limits: SandboxLimits;
  readonly context: CallContext;
  /**
   * The tool that a path means; throws the error for the code if it does not exist or is not allowed. `shown` are the
   * calls of the unit that a person was shown.
   */
  readonly toolFor: (call: SandboxCall, shown: ShownUnit | undefined) => KnownTool;
  /** For code generated from a graph: the task of each node of the main code. */
  readonly taskNames?: ReadonlyMap<string, string> | undefined;
  /** Called with every result, as JSON, when its call has ended. */
  readonly onResult?: (taskId: string, text: string) => void;
  /** What the node of a unit calls, according to analysis: code can claim to be at any node. */
  readonly targetOf: (unit: CapabilityRef | undefined, node: string) => string | undefined;
  /** The structure of a called capability; without it, its path is not recorded. */
  readonly structureOf?: (unit: CapabilityRef) => StaticStructure | undefined;
  readonly onEvent: RunListener;
  /** Values that must not be in any stored text. */
  readonly secrets?: readonly string[] | undefined;
}

interface CapabilityCall {
  readonly ref: CapabilityRef;
  readonly task: OpenTask;
  readonly argsText: string | undefined;
  readonly path: RunPath;
  /** The tasks of its own calls. */
  readonly inside: Set<string>;
  /** Undefined for a call that no person was shown. */
  readonly shown: ShownUnit | undefined;
  ended?: { readonly success: boolean; readonly durationMs: number; readonly isUnfinished: boolean };
}

const FAILED_KEPT = 100;
const RESULT_CHARS = LIMITS.savedResultTokens * CHARS_PER_TOKEN;
const NO_STRUCTURE: StaticStructure = { nodes: [], edges: [] };

export interface RunReport {
  readonly outcome: SandboxOutcome;
  readonly tasks: readonly TaskReport[];
  /** The start time of each, in milliseconds after the start of the run. */
  readonly taskStarts: ReadonlyMap<string, number>;
  readonly executedPath: readonly string[];
  readonly decisions: readonly DecisionTaken[];
  readonly loops: readonly LoopPassed[];
  readonly toolsCalled: readonly ToolId[];
  /** The length of the tools' answers as JSON; each counts up to the size that a client would have accepted. */
  readonly resultChars: number;
  /** Since the start of the program, without waiting time before it; absent if it never started. */
  readonly programMs?: number;
  /** Some calls were answered from the journal, so the whole run took longer than this part. */
  readonly isReplayed?: boolean;
  /** Capability calls by the code and by its callees, in the order of their start. */
  readonly capabilityRuns: readonly CapabilityRun[];
  readonly logs: readonly string[];
  /** A message about calls that were cancelled because the code did not await them, such as `1 tool call was`. */
  readonly unawaited?: string | undefined;
  readonly hint: { readonly name?: string; readonly description?: string } | undefined;
  /** The arguments of the run and of its failed calls. */
  readonly given?: () => GivenValues;
}

export async function runProgram(sandbox: Sandbox, tools: ToolBox, run: ProgramRun): Promise<RunReport> {
  const bridge = new RunBridge(tools, run);
  const { args, limits, seed, startedAt = Date.now(), clock, context } = run;
  const sent = { program: telling(run), args, limits, seed, startedAt, clock };
  return bridge.report(await sandbox.run(sent, bridge, context.signal));
}

/** The program; capabilities whose arguments a person was shown are marked to send theirs. */
function telling({ program, shown }: ProgramRun): SandboxProgram {
  const compared = shown?.compared();
  if (compared === undefined || compared.size === 0) return program;
  return {
    ...program,
    capabilities: program.capabilities.map((one) =>
      compared.has(one.ref) ? { ...one, tellsArguments: true } : one,
    ),
  };
}

class RunBridge implements SandboxBridge {
  readonly #tools: ToolBox;
  readonly #run: ProgramRun;
  readonly #tasks = new TaskLog(() => performance.now());
  readonly #path: RunPath;
  /** Capability calls by their number in the run; calls that they have started continue after their end. */
  readonly #capabilities = new Map<number, CapabilityCall>();
  readonly #names: ReadonlyMap<string, string>;
  readonly #toolsCalled = new Set<ToolId>();
  readonly #logs: string[] = [];
  #logBytes = 0;
  #progress = Number.NEGATIVE_INFINITY;
  #hint: RunReport["hint"];
  #refused = 0;
  #resultChars = 0;
  #isReplayed = false;
  #startedAt: number | undefined;
  readonly #failedArgs: Json[] = [];
  readonly #open = new OpenCalls<CapabilityRef>();

  constructor(tools: ToolBox, run: ProgramRun) {
    this.#tools = tools;
    this.#run = run;
    this.#path = new RunPath(run.structure);
    this.#names = new Map(run.program.capabilities.map(({ ref, displayName }) => [ref, displayName]));
  }

  report(outcome: SandboxOutcome): RunReport {
    const tasks = this.#tasks.reports();
    const unawaited = this.#open.unawaited((unit) => this.#racing(unit));
    const warning = `${unawaited} not awaited and ${unawaited?.startsWith("1 ") ? "has" : "have"} been cancelled`;
    return {
      outcome: unawaited === undefined ? outcome : { ...outcome, warnings: [warning, ...outcome.warnings] },
      unawaited,
      tasks,
      taskStarts: this.#tasks.starts(),
      executedPath: this.#path.path(),
      decisions: this.#path.decisions(),
      loops: this.#path.loops(),
      toolsCalled: [...this.#toolsCalled],
      resultChars: this.#resultChars,
      isReplayed: this.#isReplayed,
      ...(this.#startedAt !== undefined && { programMs: rounded(performance.now() - this.#startedAt) }),
      capabilityRuns: this.#capabilityRuns(tasks),
      logs: this.#logs,
      hint: this.#hint,
      given: () => this.#given(),
    };
  }

  started(): void {
    this.#startedAt ??= performance.now();
  }

  async call(call: SandboxCall, signal: AbortSignal): Promise<OrderedCallAnswer> {
    this.#open.started("tool", call.id, this.#place(call));
    const answer = await this.#answer(call, signal);
    if (!signal.aborted) this.#open.ended("tool", call.id);
    return answer;
  }

  async #answer(call: SandboxCall, signal: AbortSignal): Promise<OrderedCallAnswer> {
    let tool: KnownTool;
    try {
      tool = this.#run.toolFor(call, this.#shownOf(call.parent));
    } catch (error) {
      this.#failed({ path: [...call.path], args: call.args });
      return this.#refuse(call, refusal(error, call.path.join(":")));
    }
    const task = this.#start("tool_start", this.#node(call, tool.id), call.parent, tool.id);
    this.#toolsCalled.add(tool.id);
    const { taskId } = task;
    const { args, seen, clock } = call;
    const step = await this.#run.journal.begin({ taskId, tool, args, seen, clock });
    if (step.kind === "answer") {
      this.#isReplayed = true;
      this.#endCall(task, args, step.answer, step.durationMs);
      return { ...step.answer, order: step.order };
    }
    const startedAt = performance.now();
    const answer = await this.#send(tool, call, signal);
    const durationMs = rounded(performance.now() - startedAt);
    const order = await this.#run.journal.answered(taskId, answer, durationMs);
    this.#endCall(task, args, answer, durationMs);
    return { ...answer, order };
  }

  /** A call that reaches no tool is not a task, but the code receives its answer like any other. */
  async #refuse({ args, seen, clock }: SandboxCall, answer: SandboxCallAnswer): Promise<OrderedCallAnswer> {
    this.#refused += 1;
    const taskId = `refused#${this.#refused}`;
    const step = await this.#run.journal.begin({ taskId, tool: undefined, args, seen, clock });
    if (step.kind === "answer") return { ...step.answer, order: step.order };
    return { ...answer, order: await this.#run.journal.answered(taskId, answer, 0) };
  }

  async #send(tool: KnownTool, { args }: SandboxCall, signal: AbortSignal): Promise<SandboxCallAnswer> {
    try {
      const result = await this.#tools.call(tool, args, { ...this.#run.context, signal });
      return callAnswerOf(result, tool.id);
    } catch (error) {
      return refusal(error, tool.id);
    }
  }

  #endCall(task: OpenTask, args: Json, answer: SandboxCallAnswer, durationMs?: number): void {
    const isValue = answer.kind === "value";
    this.#end("tool_end", task, isValue, isValue ? answer.text : answer.message, durationMs);
    if (isValue) this.#resultChars += Math.min(answer.text.length, RESULT_CHARS);
    else this.#failed(args);
    const { args: runArgs, onResult, secrets = [] } = this.#run;
    onResult?.(task.taskId, isValue ? answer.text : keptFailure(answer, runArgs, args, [...secrets]));
  }

  /** A run may make any number of failing calls; only the last ones can matter for its error. */
  #failed(args: Json): void {
    this.#failedArgs.push(args);
    if (this.#failedArgs.length > FAILED_KEPT) this.#failedArgs.shift();
  }

  #given(): GivenValues {
    const given = new GivenValues().note(this.#run.args).note(this.#run.secrets);
    for (const args of this.#failedArgs) given.note(args);
    for (const { argsText, ended } of [...this.#capabilities.values()].slice(-FAILED_KEPT))
      if (argsText !== undefined && ended?.success !== true) given.noteText(argsText);
    return given;
  }

  event(event: SandboxEvent): void {
    switch (event.kind) {
      case "log":
        this.#addLog(event.level, event.text);
        this.#tell({ ...event, kind: "log" });
        return;
      case "progress":
        // MCP requires increasing values, and people expect them.
        if (event.done <= this.#progress) return;
        this.#progress = event.done;
        this.#tell({ ...event, kind: "progress" });
        return;
      case "hint": {
        const { kind: _, ...hint } = event;
        this.#hint = hint;
        this.#tell({ ...hint, kind: "capability_hint" });
        return;
      }
      case "passed":
        this.#pathOf(event.parent)?.passed(event.marks);
        return;
      case "capability-start": {
        const { ref, argsText, args } = event;
        const name = nameAt(this.#names.get(ref) ?? ref, splitCapabilityRef(ref).version);
        const task = this.#start("capability_start", this.#node(event, ref), event.parent, name);
        const path = new RunPath(this.#run.structureOf?.(ref) ?? NO_STRUCTURE);
        const shown = this.#shownOf(event.parent)?.starts(ref, event.node, args);
        this.#open.started("capability", event.id, this.#place(event));
        this.#capabilities.set(event.id, { ref, task, argsText, path, inside: new Set(), shown });
        return;
      }
      case "capability-end": {
        const { id, success, isUnfinished = false, text = "" } = event;
        const call = this.#capabilities.get(id);
        if (call === undefined || call.ended !== undefined) return;
        if (!isUnfinished) this.#open.ended("capability", id);
        const { durationMs } = this.#end("capability_end", call.task, success, text);
        if (text !== "") this.#run.onResult?.(call.task.taskId, text);
        call.ended = { success, durationMs, isUnfinished };
      }
    }
  }

  #capabilityRuns(tasks: readonly TaskReport[]): readonly CapabilityRun[] {
    const reports = new Map(tasks.map((task) => [task.taskId, task]));
    return Array.from(this.#capabilities.values(), ({ ref, task, argsText, path, inside, ended }) => ({
      ref,
      taskId: task.taskId,
      ...defined({ parentTaskId: task.parent, argsText }),
      success: ended?.success ?? false,
      ...(ended?.isUnfinished !== false && { isUnfinished: true }),
      durationMs: ended?.durationMs ?? reports.get(task.taskId)?.durationMs ?? 0,
      executedPath: path.path(),
      decisions: path.decisions(),
      loops: path.loops(),
      tasks: Array.from(inside, (id) => reports.get(id)).filter((report) => report !== undefined),
    }));
  }

  #place({ node, parent }: Pick<SandboxCall, "node" | "parent">): CallPlace<CapabilityRef> {
    return { node, parent, unit: parent === undefined ? undefined : this.#capabilities.get(parent)?.ref };
  }

  #racing(unit: CapabilityRef | undefined): RacingUnit {
    const { program, structure, structureOf } = this.#run;
    if (unit === undefined) return { structure, code: program.main.code };
    const { code = "" } = program.capabilities.find(({ ref }) => ref === unit) ?? {};
    return { structure: structureOf?.(unit) ?? NO_STRUCTURE, code };
  }

  #pathOf(parent: number | undefined): RunPath | undefined {
    return parent === undefined ? this.#path : this.#capabilities.get(parent)?.path;
  }

  #shownOf(parent: number | undefined): ShownUnit | undefined {
    return parent === undefined ? this.#run.shown : this.#capabilities.get(parent)?.shown;
  }

  /** The calling node, if analysis says that it calls this target. */
  #node(
    { node, parent }: { readonly node?: string; readonly parent?: number },
    target: string,
  ): string | undefined {
    if (node === undefined) return undefined;
    const unit = parent === undefined ? undefined : this.#capabilities.get(parent)?.ref;
    return this.#run.targetOf(unit, node) === target ? node : undefined;
  }

  #start(
    kind: "tool_start" | "capability_start",
    node: string | undefined,
    parent: number | undefined,
    name: string,
  ): OpenTask {
    const outer = parent === undefined ? undefined : this.#capabilities.get(parent);
    const caller = outer?.task.taskId;
    if (node !== undefined) this.#pathOf(parent)?.call(node);
    const label = parent === undefined && node !== undefined ? this.#run.taskNames?.get(node) : undefined;
    const task = this.#tasks.start(label ?? node, caller, name);
    outer?.inside.add(task.taskId);
    this.#tell({ kind, id: task.taskId, name, ...(caller !== undefined && { parent: caller }) });
    return task;
  }

  #end(
    kind: "tool_end" | "capability_end",
    task: OpenTask,
    success: boolean,
    outcome: string,
    took?: number,
  ): TaskReport {
    const report = this.#tasks.end(task, success, outcome, took);
    const { taskId: id, tool: name, durationMs } = report;
    const { parent } = task;
    this.#tell({ kind, id, name, success, durationMs, ...(parent !== undefined && { parent }) });
    return report;
  }

  #addLog(level: string, text: string): void {
    if (this.#logBytes > LIMITS.runLogBytes) return;
    this.#logBytes += text.length;
    this.#logs.push(level === "info" ? text : `[${level}] ${text}`);
  }

  #tell(event: WithoutBase<RunEvent>): void {
    this.#run.onEvent({ ...event, workflowId: this.#run.workflowId, at: Date.now() } as RunEvent);
  }
}

type WithoutBase<T> = T extends unknown ? Omit<T, "workflowId" | "at"> : never;
