import { z } from "zod";
import { PmlError } from "../../base/pml-error.js";
import type { Executor } from "../../execution/executor.js";
import type { Capability } from "../../registry/capability.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Scope } from "../../registry/scope.js";
import type { KeptTrace, RunsOf, TraceStore } from "../../registry/trace-store.js";
import { canSee, creatorOf, HiddenNames, hiddenName, shownName } from "../../registry/visibility.js";
import { operation } from "../operation.js";
import { type NameOf, type RunsAnswer, runSummaryOf, traceAnswerOf, traceAnswers } from "./run-view.js";

const RUNS_SHOWN = 20;
const RUNS_MOST = 200;
/** Of one run: itself, and what it called. */
const TRACES_MOST = 2_000;

const schema = z.strictObject({
  workflow_id: z.string().min(1).max(200).optional().describe("default: list the last runs"),
  limit: z.int().min(1).max(RUNS_MOST).optional().describe(`Runs to list; default ${RUNS_SHOWN}`),
});

export interface TraceParts {
  readonly registry: Pick<CapabilityRegistry, "store">;
  readonly traces: Pick<TraceStore, "ofWorkflow" | "latest">;
  readonly executor: Pick<Executor, "written">;
}

/** `pml_trace`: what happened in a run. Agents see their own, a person all of the project. */
export const pmlTrace = operation({
  id: "pml:trace",
  who: "reader",
  title: "Trace of a run",
  summary: "Explain a run: path through the code, decisions, calls with their times, nested runs, errors.",
  input: schema,
  output: traceAnswers,
  run:
    ({ registry, traces, executor }: TraceParts) =>
    async ({ workflow_id: workflowId, limit = RUNS_SHOWN }, scope, { byPerson }) => {
      // What has run here is written first.
      await executor.written();
      const isPerson = byPerson === true;
      const whose = runsOf(scope, isPerson);
      if (workflowId === undefined) {
        const latest = await traces.latest(whose, limit);
        const seen = await seenOf(registry, latest, scope);
        const answer: RunsAnswer = {
          runs: latest.map((trace) => seen.hidden.everywhere(runSummaryOf(seen.words(trace), seen.nameOf))),
        };
        return answer;
      }
      const all = await traces.ofWorkflow(workflowId, whose, TRACES_MOST);
      const [main, ...nested] = all;
      if (main === undefined) throw notFound(workflowId);
      const seen = await seenOf(registry, all, scope);
      return seen.hidden.everywhere(traceAnswerOf(seen.words(main), nested, seen.nameOf));
    },
});

/** Which runs somebody may see. */
export function runsOf({ org, project, user }: Scope, isPerson: boolean): RunsOf {
  return isPerson ? { org, project } : { org, project, user };
}

interface Seen {
  readonly nameOf: NameOf;
  readonly hidden: HiddenNames;
  /** Of a run of somebody else's private capability, what it was run for is theirs too. */
  words(trace: KeptTrace): KeptTrace;
}

/** What the asker may see of what has run. */
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
