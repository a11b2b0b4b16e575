/** The page of one run: its path through the code, its calls over time, and their results. */
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { RunningTrace, Trace, Whois } from "../answers.js";
import { call } from "../api.js";
import { type DrawnStructure, dagOfAllRuns, dagOfRun } from "../dag/dag-model.js";
import { nodeOfTask } from "../dag/run-facts.js";
import { useLoaded } from "../loaded.js";
import { Badge, Card, Choice, Loading, Name, Problem } from "../parts/bits.js";
import { TaskResult } from "../parts/task-result.js";
import { Time } from "../parts/time.js";
import { Timeline } from "../parts/timeline.js";
import { took } from "../parts/when.js";
import { href } from "../router.js";
import { Legend } from "./capability.js";
import { FlowPicture } from "./flow-picture.js";

const NO_STRUCTURE: DrawnStructure = { nodes: [], edges: [] };

async function load(workflowId: string) {
  const found = (await call("pml:trace", { workflow_id: workflowId })) as Trace | RunningTrace;
  const isRunning = "status" in found;
  const trace = "status" in found ? soFar(found) : found;
  const whois =
    trace.capability === undefined
      ? undefined
      : ((await call("cap:whois", { name: `${trace.capability}@${trace.version}` }).catch(() => undefined)) as
          | Whois
          | undefined);
  return { trace, whois, isRunning };
}

/** A run in progress, shown as if it ended now. */
function soFar(run: RunningTrace): Trace {
  const tasks = run.tasks.map(({ success = true, durationMs, ...task }) => ({
    ...task,
    success,
    durationMs: durationMs ?? run.durationMs - task.startMs,
  }));
  return {
    ...run,
    traceId: run.workflowId,
    success: true,
    executedPath: [...new Set(tasks.map(({ taskId }) => nodeOfTask(taskId)))],
    decisions: [],
    loops: [],
    tasks,
  };
}

export function RunPage({ workflowId }: { readonly workflowId: string }) {
  const { state, reload } = useLoaded(() => load(workflowId), [workflowId], ["run.progress", "run.ended"]);
  const { value, error } = state.value;
  if (value === undefined)
    return error === undefined ? <Loading what="the run" /> : <Problem error={error} retry={reload} />;
  return <RunView {...value} />;
}

function RunView({
  trace,
  whois,
  isRunning = false,
}: {
  readonly trace: Trace;
  readonly whois: Whois | undefined;
  readonly isRunning?: boolean;
}) {
  const chosen = useSignal<string | undefined>(undefined);
  const result = useSignal<string | undefined>(undefined);
  const which = useSignal<"this" | "all">("this");
  const structure = trace.structure ?? whois?.structure ?? NO_STRUCTURE;
  const learning = whois?.learning;
  const dag = useMemo(
    () =>
      which.value === "all" && learning !== undefined
        ? dagOfAllRuns(structure, learning)
        : dagOfRun(structure, trace),
    [structure, learning, trace, which.value],
  );
  return (
    <>
      <header class="page-head">
        <p class="crumb">
          <a href={href("runs")}>Runs</a>
        </p>
        <h1>
          {trace.capability === undefined ? (
            trace.intent
          ) : (
            <a href={href("capability", trace.capability)}>
              <Name name={trace.capability} />
            </a>
          )}{" "}
          {isRunning ? (
            <Badge tone="info">running</Badge>
          ) : trace.success ? (
            <Badge tone="good">worked</Badge>
          ) : (
            <Badge tone="bad">failed</Badge>
          )}
        </h1>
        <p class="lead">
          {trace.capability === undefined ? null : `${trace.intent}, `}
          by {trace.by}, <Time at={trace.at} />, {took(trace.durationMs)}
        </p>
      </header>
      {trace.error === undefined ? null : (
        <div class="problem" role="alert">
          <strong>{trace.error.message ?? "It failed"}</strong> <code class="muted">{trace.error.code}</code>
        </div>
      )}
      <Card
        title={
          learning === undefined ? (
            "The path it took"
          ) : (
            <Choice
              label="Which runs"
              value={which.value}
              onChange={(to) => {
                which.value = to === "all" ? "all" : "this";
              }}
              options={[
                { value: "this", label: "This run" },
                { value: "all", label: "All runs" },
              ]}
            />
          )
        }
        actions={which.value === "all" ? <Legend hasRuns /> : null}
      >
        <FlowPicture
          dag={dag}
          structure={structure}
          code={trace.code ?? whois?.code}
          label="The path of this run"
          chosen={chosen}
          onResult={(id) => {
            result.value = id;
          }}
        />
      </Card>
      <Card title="Calls in time">
        <Timeline
          trace={trace}
          onPick={(id) => {
            result.value = id;
          }}
        />
      </Card>
      {result.value === undefined ? null : (
        <TaskResult
          workflowId={trace.workflowId}
          taskId={result.value}
          onClose={() => {
            result.value = undefined;
          }}
        />
      )}
    </>
  );
}
