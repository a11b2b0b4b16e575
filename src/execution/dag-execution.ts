/**
 * A graph of tasks: made into code, and from there on run, approved, continued and remembered like any code.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import type { CodeExecution } from "./code-execution.js";
import type { Dag, ExecuteRequest } from "./execute-answer.js";
import type { PreparedRun } from "./prepared-run.js";
import type { RunCaller } from "./runner.js";

export class DagExecution {
  readonly #code: CodeExecution;

  constructor(code: CodeExecution) {
    this.#code = code;
  }

  async prepare(_request: ExecuteRequest, _dag: Dag, _caller: RunCaller): Promise<PreparedRun> {
    void this.#code;
    throw new PmlError("DAG_INVALID", "Graphs of tasks cannot be run yet");
  }
}
