/**
 * What is wrong with the code of a graph, told of its tasks: whoever sent the graph has never seen the code.
 *
 * @module
 */
import { PmlError } from "../../base/pml-error.js";
import type { DryRunProblem } from "../ports/execute-answer.js";
import type { DagCode } from "./dag-code.js";

export function atTasks(problems: readonly DryRunProblem[], made: DagCode): readonly DryRunProblem[] {
  return problems.map(({ line, column: _, text: __, ...problem }) => {
    const task = line === undefined ? undefined : made.taskAt(line);
    return task === undefined ? problem : { ...problem, task };
  });
}

/** The same error, with the tasks instead of lines; one that has no place in the code as it is. */
export function dagProblems(error: PmlError, made: DagCode): PmlError {
  const { problems } = (error.data ?? {}) as { readonly problems?: readonly DryRunProblem[] };
  if (problems === undefined) return error;
  const told = atTasks(problems, made);
  const message = told
    .map((problem) =>
      problem.task === undefined
        ? problem.message
        : `Task ${JSON.stringify(problem.task)}: ${problem.message}`,
    )
    .join("\n");
  return new PmlError(error.code, message, {
    hint: error.hint,
    data: { problems: told },
  });
}
