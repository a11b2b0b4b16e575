import { z } from "zod";
import { PmlError } from "../../base/pml-error.js";
import type { Capability } from "../../registry/capability.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { Scope } from "../../registry/scope.js";
import type { KeptTrace, RunsOf, TraceStore } from "../../registry/trace-store.js";
import { shownName } from "../../registry/visibility.js";
import type { OwnTool } from "../own-tool.js";
import { ownAnswer } from "./own-answer.js";
import { inputSchemaOf, readInput } from "./own-input.js";
import { type NameOf, type RunsAnswer, runSummaryOf, traceAnswerOf } from "./run-view.js";

const RUNS = 20;
const RUNS_MOST = 200;
/** Of one run: itself, and what it called. */
const TRACES_MOST = 2_000;

const schema = z.strictObject({
  workflow_id: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("workflowId of an answer; the last runs when left out"),
  limit: z.int().min(1).max(RUNS_MOST).optional().describe(`Runs of the list; ${RUNS} by default`),
});

export interface TraceParts {
  readonly registry: Pick<CapabilityRegistry, "store">;
  readonly traces: Pick<TraceStore, "ofWorkflow" | "latest">;
  /** Resolves when what has run here is written. */
  readonly written: () => Promise<void>;
}

/** `pml_trace`: what happened in a run. Agents see their own, a person all of the project. */
export function traceTool({ registry, traces, written }: TraceParts): OwnTool {
  return {
    id: "pml:trace",
    tool: {
      name: "pml_trace",
      title: "Trace of a run",
      description:
        "What happened in a run: its path through the code, decisions, every call with its time, what it called inside, and why it failed. Without workflow_id the last runs.",
      inputSchema: inputSchemaOf(schema),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async run(input, scope, { byPerson }) {
      const { workflow_id: workflowId, limit = RUNS } = readInput("pml_trace", schema, input);
      await written();
      const isPerson = byPerson === true;
      const whose = runsOf(scope, isPerson);
      if (workflowId === undefined) {
        const latest = await traces.latest(whose, limit);
        const nameOf = await namesOf(registry, latest, scope, isPerson);
        const answer: RunsAnswer = { runs: latest.map((trace) => runSummaryOf(trace, nameOf)) };
        return ownAnswer(answer);
      }
      const all = await traces.ofWorkflow(workflowId, whose, TRACES_MOST);
      const [main, ...nested] = all;
      if (main === undefined) throw notFound(workflowId);
      return ownAnswer(traceAnswerOf(main, nested, await namesOf(registry, [main], scope, isPerson)));
    },
  };
}

/** Which runs somebody may see. */
export function runsOf({ org, project, user }: Scope, isPerson: boolean): RunsOf {
  return isPerson ? { org, project } : { org, project, user };
}

/** Who runs the gateway sees every name. */
async function namesOf(
  { store }: Pick<CapabilityRegistry, "store">,
  traces: readonly KeptTrace[],
  scope: Scope,
  isPerson: boolean,
): Promise<NameOf> {
  const fqdns = [...new Set(traces.flatMap(({ fqdn }) => (fqdn === undefined ? [] : [fqdn])))];
  const known = new Map<string, Capability>();
  for (const capability of await store.getAll(fqdns)) known.set(capability.fqdn, capability);
  return (fqdn) => {
    const capability = known.get(fqdn);
    if (capability === undefined) return fqdn;
    return isPerson ? capability.displayName : shownName(capability, scope);
  };
}

function notFound(workflowId: string): PmlError {
  return new PmlError("RUN_NOT_FOUND", `No trace of the run ${workflowId}`, {
    hint: "A run has a trace once it has ended; what a cache has answered has none, and old ones are deleted. `pml trace` lists the last runs.",
    data: { workflowId },
  });
}
