/**
 * What runs did in the code, in the same form for all runs and for a single one.
 *
 * @module
 */

/** Statistics of all runs, from `learning` of `cap:whois`. */
export interface Learning {
  readonly paths: readonly { readonly path: readonly string[]; readonly count: number }[];
  readonly dominantPath?: readonly string[];
  readonly decisionStats: readonly {
    readonly nodeId: string;
    readonly outcomes: Readonly<Record<string, { readonly count: number }>>;
  }[];
  readonly loopStats?: readonly {
    readonly nodeId: string;
    readonly min: number;
    readonly max: number;
    readonly average: number;
  }[];
}

/** The flow of one run, from `pml:trace`. */
export interface RunFlow {
  readonly executedPath: readonly string[];
  readonly success: boolean;
  readonly decisions: readonly {
    readonly nodeId: string;
    readonly outcome: string;
    readonly count?: number;
  }[];
  readonly loops: readonly { readonly nodeId: string; readonly iterations: number }[];
  readonly tasks: readonly RunTask[];
}

export interface RunTask {
  readonly taskId: string;
  readonly tool: string;
  readonly success: boolean;
  readonly durationMs: number;
  readonly startMs?: number;
}

/** Facts about runs, in the same form for all of them and for a single one. */
export interface Facts {
  /** True if nothing has run: all edges look alike then. */
  readonly isEmpty: boolean;
  share(node: string): number | undefined;
  isTaken(node: string): boolean;
  isDominant(node: string): boolean;
  /** How often a decision had this outcome, and how often it was made; undefined if never. */
  outcome(node: string, outcome: string): { readonly count: number; readonly of: number } | undefined;
  outcomes(node: string): readonly string[];
  /** The most frequent outcome of a decision, over all iterations and runs. */
  usual?(node: string): string | undefined;
  /** The text beside an outcome: how often it was taken. */
  times(made: { readonly count: number; readonly of: number }): string;
  loopNote(node: string): string | undefined;
  /** The marked path. */
  readonly path: readonly string[];
  readonly calls: ReadonlyMap<string, readonly RunTask[]>;
  readonly failedAt?: string;
}

export function factsOfAll({ paths, dominantPath = [], decisionStats, loopStats = [] }: Learning): Facts {
  const runs = paths.reduce((all, { count }) => all + count, 0);
  const passed = new Map<string, number>();
  for (const { path, count } of paths)
    for (const id of new Set(path)) passed.set(id, (passed.get(id) ?? 0) + count);
  const dominant = new Set(dominantPath);
  const decided = new Map(decisionStats.map(({ nodeId, outcomes }) => [nodeId, outcomes]));
  return {
    isEmpty: runs === 0,
    share: (id) => (runs === 0 ? undefined : (passed.get(id) ?? 0) / runs),
    isTaken: (id) => runs === 0 || passed.has(id),
    isDominant: (id) => dominant.has(id),
    outcome: (id, outcome) => {
      const outcomes = decided.get(id);
      if (outcomes === undefined) return undefined;
      const of = Object.values(outcomes).reduce((all, { count }) => all + count, 0);
      return { count: Object.hasOwn(outcomes, outcome) ? (outcomes[outcome]?.count ?? 0) : 0, of };
    },
    outcomes: (id) => Object.keys(decided.get(id) ?? {}),
    usual: (id) =>
      Object.entries(decided.get(id) ?? {}).toSorted(([, a], [, b]) => b.count - a.count)[0]?.[0],
    times: ({ count, of }) => percent(count / of),
    loopNote: (id) => {
      const loop = loopStats.find(({ nodeId }) => nodeId === id);
      if (loop === undefined) return undefined;
      const { min, max, average } = loop;
      return min === max
        ? `${average} rounds in every run`
        : `${min} to ${max} rounds, ${average} on average`;
    },
    path: dominantPath,
    calls: new Map(),
  };
}

export function factsOfRun({ executedPath, success, decisions, loops, tasks }: RunFlow): Facts {
  const passed = new Set(executedPath);
  const calls = new Map<string, RunTask[]>();
  for (const task of tasks) {
    const id = nodeOfTask(task.taskId);
    calls.set(id, [...(calls.get(id) ?? []), task]);
  }
  const failedAt = success
    ? undefined
    : (tasks.findLast((task) => !task.success)?.taskId ?? executedPath.at(-1));
  return {
    isEmpty: false,
    share: (id) => (passed.has(id) ? 1 : 0),
    isTaken: (id) => passed.has(id),
    isDominant: (id) => passed.has(id),
    outcome: (id, outcome) => {
      const made = decisions.filter(({ nodeId }) => nodeId === id);
      if (made.length === 0) return undefined;
      const times = (one: { readonly count?: number }) => one.count ?? 1;
      const of = made.reduce((all, one) => all + times(one), 0);
      const chosen = made.find((one) => one.outcome === outcome);
      return { count: chosen === undefined ? 0 : times(chosen), of };
    },
    outcomes: (id) => decisions.filter(({ nodeId }) => nodeId === id).map(({ outcome }) => outcome),
    times: ({ count, of }) => (of === 1 || count === 0 ? "" : `${count} of ${of}`),
    loopNote: (id) => {
      const loop = loops.find(({ nodeId }) => nodeId === id);
      if (loop === undefined) return undefined;
      return loop.iterations === 1 ? "1 round" : `${loop.iterations} rounds`;
    },
    path: executedPath,
    calls,
    ...(failedAt === undefined ? {} : { failedAt: nodeOfTask(failedAt) }),
  };
}

/** `n2#3` is the third call of `n2`; `n2.n1` is a call inside of what `n2` called. */
export function nodeOfTask(taskId: string): string {
  return taskId.split(/[.#]/, 1)[0] ?? taskId;
}

/** Whole percents. 0 % and 100 % are shown only if they are exact. */
export function percent(part: number): string {
  if (part > 0 && part < 0.01) return "<1%";
  if (part < 1 && part > 0.99) return ">99%";
  return `${Math.round(part * 100)}%`;
}
