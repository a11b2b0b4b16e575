/**
 * Executes requests: runs code that an agent sent, remembers code that succeeded, and runs it again by name.
 *
 * @module
 */
import type { Json } from "../base/canonical-json.js";
import type { Emits } from "../base/event-stream.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import type { Capability } from "../registry/capability.js";
import type { FoundCapability } from "../registry/capability-registry.js";
import type { ResultShapeStore } from "../registry/capability-store.js";
import type { RecordingStore } from "../registry/recording.js";
import type { RolloutRules } from "../registry/rollout.js";
import type { Scope } from "../registry/scope.js";
import type { Signer } from "../registry/signature.js";
import type { Suggester } from "../registry/tool-graph.js";
import type { ToolId } from "../registry/tool-id.js";
import type { ToolStore } from "../registry/tool-store.js";
import type { ResultCache } from "./cache/run-cache.js";
import { Repairs } from "./drift/repairs.js";
import { CapabilitySaver, type SavesCapabilities } from "./learn/capability-saver.js";
import { Learning } from "./learn/learning.js";
import { ResultShapes } from "./learn/result-shapes.js";
import { RunRecorder } from "./learn/run-recorder.js";
import type { TokenCost } from "./learn/run-saving.js";
import {
  type DryRunAnswer,
  type ExecuteAnswer,
  type ExecuteMode,
  type ExecuteRequest,
  type RunStart,
  startNow,
} from "./ports/execute-answer.js";
import type { KnownTool, ToolBox } from "./ports/tool-box.js";
import { CapabilityLoader } from "./prepare/capability-loader.js";
import { DryRun } from "./prepare/dry-run.js";
import type { PreparedRun } from "./prepare/prepared-run.js";
import { Preparer, type PreparerOptions } from "./prepare/preparer.js";
import { type CurrentTools, LiveTools } from "./prepare/tool-index.js";
import { Promotions } from "./replay/promotions.js";
import { RecentRuns } from "./replay/recent-runs.js";
import { Recordings } from "./replay/recordings.js";
import { AfterAnswer } from "./run/after-answer.js";
import { type RunKeeper, unkept } from "./run/run-keeper.js";
import type { RunLoad } from "./run/run-lane.js";
import {
  answered,
  answerRun,
  type EndedRun,
  type RunCaller,
  type RunEnding,
  Runner,
  type RunnerEvents,
  type RunnerOptions,
} from "./run/runner.js";
import { type DrawnStructure, drawn, type StartedRun, startedRun } from "./run/started-run.js";
import { IntentExecution, type IntentOptions } from "./suggest/intent-execution.js";
import { type OffersFor, Related, usedIn } from "./suggest/related.js";
import { type ApprovalDesk, type ApprovalEvents, Approvals } from "./wait/approvals.js";
import {
  type DirectCall,
  type DirectResult,
  DurableRuns,
  type DurableRunsOptions,
} from "./wait/durable-runs.js";
import { StandingApprovals } from "./wait/standing-approvals.js";

export interface ExecutorOptions
  extends Omit<RunnerOptions, "box" | "tools" | "isApproved">,
    Omit<PreparerOptions, "loader" | "tools">,
    IntentOptions {
  readonly tools: ToolBox;
  readonly signer: Signer;
  readonly log: Log;
  readonly approvals: ApprovalOptions;
  /** Missing if nothing is cached. */
  readonly cache?: ResultCache | undefined;
  /** Suggests what is often used together with what was just done. */
  readonly suggester: Suggester;
  /** Whether a user is a tenant, who sees nothing of what others use. */
  readonly isTenant?: ((scope: Scope) => boolean) | undefined;
  /** Stores the result types of capabilities. */
  readonly resultShapes: ResultShapeStore;
  readonly recordings: RecordingStore;
  /** The current tools, and former versions of changed ones. */
  readonly toolStore: Pick<ToolStore, "list" | "before">;
  /** When versions are promoted. */
  readonly rules: RolloutRules;
  readonly events: Emits<ExecutorEvents>;
  readonly tokenCost: TokenCost;
  readonly offers?: OffersFor;
}

export interface ExecutorEvents extends RunnerEvents, ApprovalEvents {
  readonly "run.started": StartedRun;
  /** The run has ended, or waits for a person. Without an answer if even that failed. */
  readonly "run.left": { readonly run: StartedRun; readonly answer: ExecuteAnswer | undefined };
  /** A request to execute something was answered. */
  readonly "run.answered": ExecuteAnswer | DryRunAnswer;
}

/** The options for asking people. */
type ApprovalOptions = Pick<
  DurableRunsOptions,
  "workflows" | "approveCommand" | "expiresMs" | "keptMs" | "isOnlyGateway"
>;

/** A text that is used for nothing else: its signature is never shown. */
const QUESTION_SECRET = "pml-question-v1";

export class Executor {
  /** The tools that code would find now. */
  readonly tools: CurrentTools;
  /** Makes capabilities without a run. */
  readonly saver: SavesCapabilities;
  /** How many programs run, and how many wait for their turn. */
  readonly load: () => RunLoad;
  /** Where a person decides about runs that wait. */
  readonly desk: ApprovalDesk;
  /** A suggestion: what is often used together with the given context. */
  readonly related: Related;
  /** Recordings of runs, and tests with them. */
  readonly recordings: Recordings;
  /** Finds which capabilities a changed tool affects, and repairs them. */
  readonly repairs: Repairs;
  readonly #promotions: Promotions;
  readonly #recent = new RecentRuns();
  readonly #options: ExecutorOptions;
  readonly #loader: CapabilityLoader;
  readonly #recorder: RunRecorder;
  readonly #learning: Learning;
  readonly #preparer: Preparer;
  readonly #intent: IntentExecution;
  readonly #durable: DurableRuns;
  readonly #dryRun: DryRun;
  readonly #runner: Runner;
  readonly #after: AfterAnswer;
  readonly #shapes: ResultShapes;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    const { registry, signer, log, usage, approvalOf, events } = options;
    this.#recorder = new RunRecorder(registry, log, usage, (capability) =>
      this.#promotions.counted(capability),
    );
    const standing = new StandingApprovals(options.approvals.workflows);
    const tools = new LiveTools(options.tools, approvalOf);
    this.tools = tools;
    const isApproved = (tool: KnownTool, scope: Scope) => standing.has(tool, scope);
    const after = new AfterAnswer((error) => log.warn("run.not_kept", { message: messageOf(error) }));
    this.#after = after;
    this.#runner = new Runner({ ...options, tools, box: options.tools, isApproved });
    this.load = () => this.#runner.load();
    const loader = new CapabilityLoader(registry, signer, tools, log);
    this.#loader = loader;
    this.#shapes = new ResultShapes({ store: options.resultShapes, registry, tools, log });
    this.recordings = new Recordings({
      registry,
      loader,
      sandbox: options.sandbox,
      store: options.recordings,
      recent: this.#recent,
      checkSchema: options.checkSchema,
      secrets: options.secrets ?? [],
    });
    this.#promotions = new Promotions({ registry, recordings: this.recordings, rules: options.rules, log });
    const parts = { ...options, tools, loader, recorder: this.#recorder, shapes: this.#shapes, after };
    this.#learning = new Learning(parts);
    this.#preparer = new Preparer({
      ...parts,
      refuseBroken: (found, scope) => this.repairs.refuseBroken(found, scope),
    });
    this.#dryRun = new DryRun(parts);
    const saver = new CapabilitySaver({ ...parts, learning: this.#learning });
    this.saver = saver;
    this.repairs = new Repairs({
      registry,
      loader,
      saver,
      recordings: this.recordings,
      recordingStore: options.recordings,
      tools: options.toolStore,
    });
    this.#intent = new IntentExecution(options, {
      registry,
      tools,
      loader,
      approvalOf,
      prepare: (found, request, scope, start) => this.#preparer.capability(found, request, scope, start),
      run: (prepared, caller, start) => this.#run(prepared, caller, start),
      served: (prepared, cached, scope, start) => this.#learning.served(prepared, cached, scope, start),
    });
    const { suggester, thresholds, wireNameOf, suggestionStats: stats } = options;
    this.related = new Related({
      isTenant: options.isTenant,
      suggester,
      thresholds,
      directory: registry.directory,
      tools: () => tools.tools(),
      approvalOf,
      wireNameOf,
      stats,
      offers: options.offers,
    });
    // Ed25519 signatures are deterministic, and only this key can create this one.
    const questionSecret = signer.sign(QUESTION_SECRET).signature;
    this.desk = new Approvals({ ...options.approvals, standing, events, questionSecret });
    this.#durable = new DurableRuns({
      ...options.approvals,
      standing,
      tools,
      approvalOf,
      ownFiles: options.ownFiles,
      log,
      prepare: (request, scope, start) => this.#preparer.prepare(request, scope, start),
      run: (prepared, caller, start, keeper) => this.#runKept(prepared, caller, start, keeper),
    });
  }

  /** Every failure becomes an answer with status `error`. */
  execute(request: ExecuteRequest, caller: RunCaller): Promise<ExecuteAnswer | DryRunAnswer> {
    return this.#tell(
      answered(modeOf(request), caller, async (start) => {
        await this.#options.registry.loaded();
        if (request.options?.dry_run === true) return this.#dryRun.look(request, caller.scope, start);
        if (request.resume !== undefined) return this.#durable.resume(request.resume, caller, start);
        if (start.mode === "speculation") return this.#intent.speculate(request, caller, start);
        if (start.mode === "suggestion") return this.#intent.suggest(request, caller, start);
        return this.#run(await this.#preparer.prepare(request, caller.scope, start), caller, start);
      }).then((answer) => this.#withRelated(answer, caller)),
      caller,
    );
  }

  /** Runs a capability that was called like a tool. */
  callCapability(
    found: FoundCapability,
    args: Readonly<Record<string, Json>>,
    caller: RunCaller,
  ): Promise<ExecuteAnswer> {
    const { intent } = found.capability;
    return this.#tell(
      answered("call_by_name", caller, async (start) =>
        this.#run(
          await this.#preparer.capability(found, { intent, args }, caller.scope, start),
          caller,
          start,
        ),
      ),
      caller,
    );
  }

  /** A call that a client made itself, of a tool that a person must approve. Uses `call` once it is approved. */
  async callTool<T>(
    tool: ToolId,
    args: Readonly<Record<string, Json>>,
    caller: RunCaller,
    call: () => Promise<DirectResult<T>>,
  ): Promise<DirectCall<T>> {
    const request: ExecuteRequest = { intent: `Call ${tool}`, tool, args };
    const start = startNow("direct", caller);
    const prepared = await this.#preparer.prepare(request, caller.scope, start);
    const called = await this.#durable.direct(prepared, caller, start, call);
    if (called.kind === "waits") this.#tellWaiting(called.answer, caller);
    return called;
  }

  /** The structure of a version with the lines of its calls; undefined if it cannot be loaded. */
  async structureOf(
    capability: Capability,
    version: number,
    scope: Scope,
  ): Promise<DrawnStructure | undefined> {
    const loaded = await this.#loader.load(capability, version, scope).catch(() => undefined);
    if (loaded === undefined) return undefined;
    return drawn(loaded.analysis);
  }

  /** Resolves when all ended runs are written, or their writes have failed. */
  async written(): Promise<void> {
    await this.#after.done();
    await this.#recorder.flush();
  }

  /** Stops, and writes what is not written yet. */
  async stop(): Promise<void> {
    this.#durable.stop();
    await this.#after.done();
    await this.#recorder.stop();
    await this.#promotions.settled();
    await this.#shapes.written();
  }

  /** Answers from a cache, after a person's approval, or by running at once. */
  async #run(prepared: PreparedRun, caller: RunCaller, start: RunStart): Promise<ExecuteAnswer> {
    const { cache } = this.#options;
    const { scope } = caller;
    // Waits for the previous run's writes: its result may answer this one.
    await this.#after.done();
    this.#intent.used(prepared, caller);
    const isFresh = prepared.request.options?.no_cache === true;
    if (isFresh) cache?.renew(prepared, caller);
    const cached = isFresh ? undefined : await cache?.find(prepared, caller);
    if (cached !== undefined)
      return answerRun(start, await this.#learning.served(prepared, cached, scope, start));
    if (await this.#durable.isNeeded(prepared, scope)) return this.#durable.start(prepared, caller, start);
    return this.#runKept(prepared, caller, start, unkept());
  }

  /** All runs that no cache has answered go through here. */
  async #runKept(
    prepared: PreparedRun,
    caller: RunCaller,
    start: RunStart,
    keeper: RunKeeper,
  ): Promise<ExecuteAnswer> {
    const { events } = this.#options;
    const run = startedRun(prepared, caller, start);
    let answer: ExecuteAnswer | undefined;
    events.emit("run.started", run);
    try {
      answer = await this.#runToItsEnd(prepared, caller, start, keeper);
      return answer;
    } finally {
      events.emit("run.left", { run, answer });
    }
  }

  async #runToItsEnd(
    prepared: PreparedRun,
    caller: RunCaller,
    start: RunStart,
    keeper: RunKeeper,
  ): Promise<ExecuteAnswer> {
    const running = this.#runner.run(prepared, caller, start, keeper);
    this.#learning.expect(prepared, caller.scope);
    const ended = await running;
    const waiting = await keeper.stopped(ended);
    const ending = waiting === undefined ? await this.#learn(prepared, ended, caller, keeper) : ended;
    await this.#options.results.settled(start.workflowId);
    if (waiting !== undefined) return waiting;
    return keeper.end(answerRun(start, ending));
  }

  async #learn(
    prepared: PreparedRun,
    ended: EndedRun,
    caller: RunCaller,
    keeper: RunKeeper,
  ): Promise<RunEnding> {
    const error = keeper.diverged(ended);
    if (error !== undefined) {
      this.#learning.diverged(ended, error);
      return { ...ended, error };
    }
    this.#after.add(() => this.#options.cache?.keep(prepared, ended, caller));
    const ending = await this.#learning.ended(prepared, ended, caller.scope);
    this.#recent.ended(prepared, ended, ending, caller.scope);
    return ending;
  }

  /** Adds suggestions of what may be wanted next, if the answer is a success. */
  async #withRelated<T extends ExecuteAnswer | DryRunAnswer>(answer: T, caller: RunCaller): Promise<T> {
    if (answer.status !== "success") return answer;
    const used = usedIn(answer, this.tools.tools(), this.#options.registry.directory, caller.scope);
    const related = await this.related.to(used, caller, answer.capabilityFqdn);
    return related.length === 0 ? answer : { ...answer, related };
  }

  async #tell<T extends ExecuteAnswer | DryRunAnswer>(answering: Promise<T>, caller: RunCaller): Promise<T> {
    const answer = await answering;
    this.#options.events.emit("run.answered", answer);
    // A call in doubt is an error for the agent, but waits for a person like any other.
    if (answer.status !== "dry_run") this.#tellWaiting(answer, caller);
    return answer;
  }

  #tellWaiting({ approval }: Pick<ExecuteAnswer, "approval">, { scope }: RunCaller): void {
    if (approval !== undefined) this.#options.events.emit("approval.waiting", { approval, scope });
  }
}

/** The mode of a request. A run that is continued has its own mode in the store, which replaces this one. */
function modeOf({ code, dag, capability, resume, args }: ExecuteRequest): ExecuteMode {
  if (code !== undefined || dag !== undefined || resume !== undefined) return "direct";
  if (capability !== undefined) return "call_by_name";
  return args === undefined ? "suggestion" : "speculation";
}
