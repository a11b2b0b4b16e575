import { z } from "zod";
import { defined } from "../../base/defined.js";
import { PmlError } from "../../base/pml-error.js";
import type { Executor } from "../../execution/executor.js";
import type { Capability } from "../../registry/capability.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Scope } from "../../registry/scope.js";
import type { KeptTrace, RunsOf, TraceStore } from "../../registry/trace-store.js";
import { canSee, creatorOf, HiddenNames, hiddenName, shownName } from "../../registry/visibility.js";
import type { LiveRun, LiveRuns } from "../live-runs.js";
import { operation, UNLISTED } from "../operation.js";
import { runningAnswerOf, runningSummaryOf } from "./live-view.js";
import { type NameOf, type RunsAnswer, runSummaryOf, traceAnswerOf, traceAnswers } from "./run-view.js";

const RUNS_SHOWN = 20;
const RUNS_MOST = 200;
/** The limit for one run: itself, and the runs that it called. */
const TRACES_MOST = 2_000;

const schema = z.strictObject({
  workflow_id: z.string().min(1).max(200).optional().describe("default: list the last runs"),
  limit: z.int().min(1).max(RUNS_MOST).optional().describe(`Runs to list; default ${RUNS_SHOWN}`),
  capability: z.string().min(1).max(500).optional().describe("List runs of this capability").meta(UNLISTED),
  status: z
    .enum(["success", "error", "running"])
    .optional()
    .describe("Only runs with this status")
    .meta(UNLISTED),
  after: z.string().min(1).max(200).optional().describe("`next` of the page before").meta(UNLISTED),
});

type Wanted = z.infer<typeof schema>;

export interface TraceParts {
  readonly registry: Pick<CapabilityRegistry, "store" | "find">;
  readonly traces: Pick<TraceStore, "ofWorkflow" | "latest">;
  readonly executor: Pick<Executor, "written" | "structureOf">;
  readonly live: Pick<LiveRuns, "get" | "all">;
}

/** `pml_trace`: the events of a run. Agents see their own runs, a person all runs of the project. */
export const pmlTrace = operation({
  id: "pml:trace",
  who: "reader",
  title: "Trace of a run",
  summary: "Explain a run: path through the code, decisions, calls with their times, nested runs, errors.",
  input: schema,
  output: traceAnswers,
  run:
    (parts: TraceParts) =>
    async (wanted, scope, { byPerson }) => {
      const { registry, traces, executor } = parts;
      // Runs of this gateway are written first.
      await executor.written();
      const isPerson = byPerson === true;
      const { workflow_id: workflowId } = wanted;
      if (workflowId === undefined) return await listRuns(parts, wanted, scope, isPerson);
      const whose = runsOf(scope, isPerson);
      const all = await traces.ofWorkflow(workflowId, whose, TRACES_MOST);
      const [main, ...nested] = all;
      if (main === undefined) {
        const [running] = liveRuns(parts, whose).filter((run) => run.workflowId === workflowId);
        if (running === undefined) throw notFound(workflowId);
        return runningAnswerOf(running, scope, isPerson);
      }
      const seen = await seenOf(registry, all, scope);
      const answer = traceAnswerOf(seen.words(main), nested, seen.nameOf);
      const code = isPerson ? await codeOf(parts, main, scope) : {};
      return seen.hidden.everywhere({ ...answer, ...code });
    },
});

async function listRuns(
  parts: TraceParts,
  { limit = RUNS_SHOWN, capability, status, after }: Wanted,
  scope: Scope,
  isPerson: boolean,
): Promise<RunsAnswer> {
  const { registry, traces } = parts;
  const whose = runsOf(scope, isPerson);
  const of = capability === undefined ? undefined : (await registry.find(capability, scope)).capability;
  const showsRunning = after === undefined && (status === undefined || status === "running");
  const running = showsRunning ? liveRuns(parts, whose) : [];
  const now = running
    .filter((run) => of === undefined || run.capability?.fqdn === of.fqdn)
    .map((run) => runningSummaryOf(run, scope));
  const beside = now.length === 0 ? {} : { running: now };
  if (status === "running") return { runs: [], ...beside };
  const isFiltered = of !== undefined || status !== undefined || after !== undefined;
  const filter = {
    fqdn: of?.fqdn,
    success: status === undefined ? undefined : status === "success",
    after: after === undefined ? undefined : placeOf(after),
  };
  // One more item shows whether there is another page.
  const found = await traces.latest(whose, limit + 1, isFiltered ? filter : undefined);
  const latest = found.slice(0, limit);
  const last = found.length > limit ? latest.at(-1) : undefined;
  const seen = await seenOf(registry, latest, scope);
  return {
    runs: latest.map((trace) => seen.hidden.everywhere(runSummaryOf(seen.words(trace), seen.nameOf))),
    ...beside,
    // Agents get no cursor: the newest runs are sufficient for them.
    ...(last === undefined || !isPerson ? {} : { next: `${last.executedAt.toISOString()}~${last.traceId}` }),
  };
}

const PLACE = /^(\d{4}-\d\d-\d\dT[\d:.]+Z)~([0-9a-f-]{36})$/;

function placeOf(after: string): { readonly executedAt: Date; readonly traceId: string } {
  const [, at = "", traceId = ""] = PLACE.exec(after) ?? [];
  const executedAt = new Date(at);
  if (traceId === "" || Number.isNaN(executedAt.getTime()))
    throw new PmlError(
      "ARGUMENTS_INVALID",
      "Cannot call pml_trace: after must be the next of an earlier page",
    );
  return { executedAt, traceId };
}

/** Newest first. */
function liveRuns({ live }: TraceParts, { org, project, user }: RunsOf): readonly LiveRun[] {
  return [...live.all()]
    .filter(({ scope: of }) => of.org === org && of.project === project && (user ?? of.user) === of.user)
    .reverse();
}

/** The code that ran, with its graph; undefined for code that did not become a capability. */
async function codeOf({ registry, executor }: TraceParts, { fqdn, version }: KeptTrace, scope: Scope) {
  if (fqdn === undefined || version === undefined) return {};
  const [capability] = await registry.store.getAll([fqdn]);
  if (capability === undefined || !canSee(capability, scope)) return {};
  const [stored, structure] = await Promise.all([
    registry.store.version(fqdn, version),
    executor.structureOf(capability, version, scope),
  ]);
  return defined({ code: stored?.code, structure });
}

/** Which runs the caller may see. */
export function runsOf({ org, project, user }: Scope, isPerson: boolean): RunsOf {
  return isPerson ? { org, project } : { org, project, user };
}

interface Seen {
  readonly nameOf: NameOf;
  readonly hidden: HiddenNames;
  /** Hides the intent of a run of another user's private capability. */
  words(trace: KeptTrace): KeptTrace;
}

/** What the caller may see of the runs. */
async function seenOf(
  { store }: Pick<CapabilityRegistry, "store">,
  traces: readonly KeptTrace[],
  scope: Scope,
): Promise<Seen> {
  const fqdns = [...new Set(traces.flatMap(({ fqdn }) => (fqdn === undefined ? [] : [fqdn])))];
  const known = new Map<string, Capability>();
  for (const capability of await store.getAll(fqdns)) known.set(capability.fqdn, capability);
  const isHidden = (fqdn: string | undefined) => {
    const capability = fqdn === undefined ? undefined : known.get(fqdn);
    return capability !== undefined && !canSee(capability, scope);
  };
  return {
    nameOf: (fqdn) => {
      const capability = known.get(fqdn);
      return capability === undefined ? fqdn : shownName(capability, scope);
    },
    hidden: new HiddenNames(known.values(), scope),
    words: (trace) =>
      isHidden(trace.fqdn) && creatorOf(trace.scope) !== creatorOf(scope)
        ? { ...trace, intent: hiddenName }
        : trace,
  };
}

function notFound(workflowId: string): PmlError {
  return new PmlError("RUN_NOT_FOUND", `No trace of the run ${workflowId}`, {
    hint: "Runs that have not ended and results from a cache have no trace, and old traces are deleted. `pml trace` lists the last runs.",
    data: { workflowId },
  });
}
