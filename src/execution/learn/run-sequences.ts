/**
 * What a run shows of what follows what: the calls of its code in the order in which they began, and those of every
 * capability that it called.
 *
 * A run says each thing once: a loop over a thousand files is one habit, not a thousand. What failed says nothing.
 *
 * @module
 */
import { fqdnOfRef } from "../../registry/capability-ref.js";
import type { GraphNode } from "../../registry/tool-graph.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { TaskReport } from "../ports/execute-answer.js";
import type { RunReport } from "../run/run-program.js";

export interface RunSequences {
  /** What the code itself called, in order, each once for a row of the same. */
  readonly called: readonly GraphNode[];
  readonly pairs: readonly (readonly [GraphNode, GraphNode])[];
}

const PAIRS = 200;

export function runSequences({
  tasks,
  capabilityRuns,
  toolsCalled,
}: Pick<RunReport, "tasks" | "capabilityRuns" | "toolsCalled">): RunSequences {
  const tools = new Set<string>(toolsCalled);
  const capabilities = new Map(capabilityRuns.map(({ taskId, ref }) => [taskId, fqdnOfRef(ref)]));
  const inside = new Set(capabilityRuns.flatMap((run) => run.tasks.map(({ taskId }) => taskId)));
  const nodesOf = (list: readonly TaskReport[]) =>
    list.flatMap(({ taskId, tool, success }): readonly GraphNode[] => {
      if (!success) return [];
      const fqdn = capabilities.get(taskId);
      if (fqdn !== undefined) return [fqdn];
      return tools.has(tool) ? [tool as ToolId] : [];
    });
  const called = nodesOf(tasks.filter(({ taskId }) => !inside.has(taskId)));
  const pairs = new Map<string, readonly [GraphNode, GraphNode]>();
  for (const list of [called, ...capabilityRuns.map((run) => nodesOf(run.tasks))])
    for (const [index, to] of list.entries()) {
      const from = list[index - 1];
      if (from !== undefined && pairs.size < PAIRS) pairs.set(JSON.stringify([from, to]), [from, to]);
    }
  return { called: called.filter((node, index) => node !== called[index - 1]), pairs: [...pairs.values()] };
}
