/**
 * Learns which tools and capabilities are used together: inside runs, and in successive requests of a client.
 *
 * A run that failed or was cancelled teaches nothing. A run that waits for a person teaches when it has ended. Each
 * pair counts once per run: a loop over a thousand files is one habit.
 *
 * @module
 */
import { keepNewest } from "../../base/keep-newest.js";
import { fqdnOfRef } from "../../registry/capability-ref.js";
import type { GraphNode } from "../../registry/tool-graph.js";
import { isOperationId, type ToolId } from "../../registry/tool-id.js";
import type { TaskReport } from "../ports/execute-answer.js";
import { sessionOf } from "../ports/tool-box.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { RunReport } from "../run/run-bridge.js";
import type { EndedRun, RunCaller } from "../run/runner.js";

/** Later uses count as unrelated. */
const SOON_MS = 600_000;
const SESSIONS_KEPT = 1_000;
const PER_SESSION = 16;

type Pairs = readonly (readonly [GraphNode, GraphNode])[];

interface Used {
  readonly node: GraphNode;
  readonly at: number;
}

export class UseLearning {
  readonly #followed: (pairs: Pairs) => void;
  readonly #now: () => number;
  readonly #used = new Map<string, readonly Used[]>();

  /** `followed` receives each pair of things that were used one after the other. */
  constructor(followed: (pairs: Pairs) => void, now: () => number = Date.now) {
    this.#followed = followed;
    this.#now = now;
  }

  ran(
    { request, of }: Pick<PreparedRun, "request" | "of">,
    { report, error }: Pick<EndedRun, "report" | "error">,
    caller: Pick<RunCaller, "connection" | "client">,
  ): void {
    if (error !== undefined) return;
    const { called, pairs } = runSequences(report);
    this.#followed(pairs);
    const isCode = request.code !== undefined || request.dag !== undefined;
    // A client that runs a capability has used that capability, not its parts.
    this.#add(sessionOf(caller), isCode || of === undefined ? called : [of.capability.fqdn]);
  }

  /** A client has called a tool itself, and it has answered. */
  called(session: string, tool: ToolId): void {
    this.#add(session, [tool]);
  }

  /** What a session has used recently, the last one last. */
  recent(session: string): readonly GraphNode[] {
    return this.#recent(session).map(({ node }) => node);
  }

  #add(session: string, nodes: readonly GraphNode[]): void {
    const [first] = nodes;
    if (first === undefined) return;
    const at = this.#now();
    const before = this.#recent(session);
    const all = [...before, ...nodes.map((node) => ({ node, at }))].slice(-PER_SESSION);
    keepNewest(this.#used, session, all, SESSIONS_KEPT);
    const last = before.at(-1)?.node;
    if (last !== undefined) this.#followed([[last, first]]);
  }

  #recent(session: string): readonly Used[] {
    const since = this.#now() - SOON_MS;
    return this.#used.get(session)?.filter(({ at }) => at >= since) ?? [];
  }
}

export interface RunSequences {
  /** The calls of the code itself, in order; a series of equal calls counts once. */
  readonly called: readonly GraphNode[];
  readonly pairs: Pairs;
}

const PAIRS_KEPT = 200;

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
      return tools.has(tool) && !isOperationId(tool) ? [tool as ToolId] : [];
    });
  const called = nodesOf(tasks.filter(({ taskId }) => !inside.has(taskId)));
  const pairs = new Map<string, readonly [GraphNode, GraphNode]>();
  for (const list of [called, ...capabilityRuns.map((run) => nodesOf(run.tasks))])
    for (const [index, to] of list.entries()) {
      const from = list[index - 1];
      if (from !== undefined && pairs.size < PAIRS_KEPT) pairs.set(JSON.stringify([from, to]), [from, to]);
    }
  return { called: called.filter((node, index) => node !== called[index - 1]), pairs: [...pairs.values()] };
}
