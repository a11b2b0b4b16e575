/** The calls of a run as bars on one time axis. */
import type { Trace } from "../answers.js";
import { Badge, Empty } from "./bits.js";
import { took } from "./when.js";

interface Row {
  readonly taskId: string;
  readonly tool: string;
  readonly success: boolean;
  readonly durationMs: number;
  readonly startMs: number;
  readonly depth: number;
}

type Task = Trace["tasks"][number] & { readonly startMs?: number };

/** If the start of a call is unknown, it is drawn where the previous call ended. */
function timelineRows(tasks: readonly Task[], depth = 0, from = 0): readonly Row[] {
  let at = from;
  return tasks.flatMap((task) => {
    const startMs = task.startMs ?? at;
    at = startMs + task.durationMs;
    const { taskId, tool, success, durationMs } = task;
    return [
      { taskId, tool, success, durationMs, startMs, depth },
      ...timelineRows((task.tasks ?? []) as readonly Task[], depth + 1, startMs),
    ];
  });
}

export function Timeline({
  trace,
  onPick,
}: {
  readonly trace: Trace;
  readonly onPick: (taskId: string) => void;
}) {
  const rows = timelineRows(trace.tasks);
  if (rows.length === 0) return <Empty title="It made no calls" />;
  const end = Math.max(trace.durationMs, ...rows.map(({ startMs, durationMs }) => startMs + durationMs), 1);
  return (
    <ol class="timeline" aria-label="Calls in the order in which they began">
      {rows.map(({ taskId, tool, success, durationMs, startMs, depth }) => (
        <li key={taskId}>
          <button type="button" onClick={() => onPick(taskId)} title={`Show the result of ${taskId}`}>
            <span class="timeline-name" style={{ paddingLeft: `${depth * 14}px` }}>
              {tool} <span class="muted">{taskId}</span>
            </span>
            <span class="timeline-bar" aria-hidden="true">
              <span
                class={success ? "good" : "bad"}
                style={{
                  left: `${(startMs / end) * 100}%`,
                  width: `${Math.max(0.4, (durationMs / end) * 100)}%`,
                }}
              />
            </span>
            <span class="timeline-took">{success ? took(durationMs) : <Badge tone="bad">failed</Badge>}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}
