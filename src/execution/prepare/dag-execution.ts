/**
 * A graph of tasks: made into code, and from there on run, approved, continued and remembered like any code.
 *
 * @module
 */
import type { StaticStructure } from "../../analysis/static-structure.js";
import { PmlError } from "../../base/pml-error.js";
import type { Dag } from "../../registry/definition.js";
import type { Scope } from "../../registry/scope.js";
import type { DryRunAnswer, ExecuteRequest } from "../ports/execute-answer.js";
import type { RunStart } from "../run/answer-run.js";
import type { RunCaller } from "../run/runner.js";
import { type CheckedDag, checkDag } from "./check-dag.js";
import type { CodeExecution } from "./code-execution.js";
import { atTasks, dagCode, dagProblems } from "./dag-code.js";
import { asDagRun, taskNamesOf } from "./dag-tasks.js";
import type { DryRun } from "./dry-run.js";
import type { PreparedRun } from "./prepared-run.js";

export class DagExecution {
  readonly #code: CodeExecution;
  readonly #dryRun: DryRun;

  constructor(code: CodeExecution, dryRun: DryRun) {
    this.#code = code;
    this.#dryRun = dryRun;
  }

  /** Everything that can be refused before a task runs. */
  async prepare(request: ExecuteRequest, dag: Dag, caller: RunCaller): Promise<PreparedRun> {
    const checked = checkDag(dag);
    const made = dagCode(checked);
    const prepared = await this.#code.prepare(request, made.code, caller, dag).catch((error: unknown) => {
      throw error instanceof PmlError ? dagProblems(error, made) : error;
    });
    const names = taskNamesOf(checked, prepared.plan.main.analysis);
    return names === undefined ? prepared : asDagRun(prepared, { dag: checked, names });
  }

  /** What is known before a run, with every problem at its task. */
  async dryRun(request: ExecuteRequest, dag: Dag, scope: Scope, start: RunStart): Promise<DryRunAnswer> {
    const checked = checkDag(dag);
    const made = dagCode(checked);
    const answer = await this.#dryRun.ofCode(request, made.code, scope, start);
    return { ...answer, ...nodeTasks(checked, answer.dag), problems: atTasks(answer.problems, made) };
  }
}

/** Nodes that call stand in the order of the tasks. */
function nodeTasks({ tasks }: CheckedDag, { nodes }: StaticStructure): Pick<DryRunAnswer, "taskIds"> {
  const calls = nodes.filter(({ type }) => type === "task" || type === "capability");
  if (calls.length !== tasks.length) return {};
  return { taskIds: Object.fromEntries(calls.map(({ id }, index) => [id, tasks[index]?.id ?? ""])) };
}
