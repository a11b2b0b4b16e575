/**
 * An intent without code: what fits it is run where that is safe and sure (speculation), or suggested.
 *
 * @module
 */
import { PmlError } from "../base/pml-error.js";
import type { Matcher } from "../registry/matcher.js";
import type { RunStart } from "./answer-run.js";
import type { ExecuteAnswer, ExecuteRequest } from "./execute-answer.js";
import type { RunCaller } from "./runner.js";

export class IntentExecution {
  readonly #matcher: Matcher | undefined;

  constructor(matcher: Matcher | undefined) {
    this.#matcher = matcher;
  }

  async speculate(_request: ExecuteRequest, _caller: RunCaller, _start: RunStart): Promise<ExecuteAnswer> {
    throw this.#none();
  }

  async suggest(_request: ExecuteRequest, _caller: RunCaller, _start: RunStart): Promise<ExecuteAnswer> {
    throw this.#none();
  }

  #none(): PmlError {
    void this.#matcher;
    return new PmlError("ARGUMENTS_INVALID", "An intent alone cannot be answered yet");
  }
}
