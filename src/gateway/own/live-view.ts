/**
 * Runs that have not ended, in the form for agents and people.
 *
 * @module
 */
import { defined } from "../../base/defined.js";
import type { Scope } from "../../registry/scope.js";
import { canSee, creatorOf, HiddenNames, hiddenName, shownName } from "../../registry/visibility.js";
import type { LiveRun, LiveTask } from "../live-runs.js";
import type { RunningAnswer, RunningSummary } from "./run-view.js";

export function runningSummaryOf(run: LiveRun, scope: Scope): RunningSummary {
  const { workflowId, intent, scope: whose, startedAt, capability, version, tasks } = run;
  const isHidden = capability !== undefined && !canSee(capability, scope);
  return {
    workflowId,
    status: "running",
    ...defined({ capability: capability && shownName(capability, scope), version }),
    intent: isHidden && creatorOf(whose) !== creatorOf(scope) ? hiddenName : intent,
    by: creatorOf(whose),
    at: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    calls: tasks.size,
  };
}

/** A person also sees the code, if it is visible in the person's scope. */
export function runningAnswerOf(run: LiveRun, scope: Scope, isPerson: boolean): RunningAnswer {
  const { capability, tasks, code } = run;
  const isHidden = capability !== undefined && !canSee(capability, scope);
  const drawn = isPerson && !isHidden ? defined({ code, structure: run.structure() }) : {};
  const hidden = new HiddenNames(capability === undefined ? [] : [capability], scope);
  return hidden.everywhere({
    ...runningSummaryOf(run, scope),
    tasks: [...tasks.values()].map(taskOf),
    ...drawn,
  });
}

function taskOf({ taskId, tool, startMs, ended }: LiveTask): RunningAnswer["tasks"][number] {
  return { taskId, tool, startMs, ...ended };
}
