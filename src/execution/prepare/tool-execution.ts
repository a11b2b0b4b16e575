/**
 * A tool that a client calls itself, where a person must approve that first: kept like a run of code that does nothing
 * but call it. It is no code of anybody's, so nothing is learnt from it.
 *
 * @module
 */
import { PmlError } from "../../base/pml-error.js";
import { sha256Hex } from "../../base/sha256.js";
import type { CapabilityRegistry } from "../../registry/capability-registry.js";
import type { ExecuteRequest } from "../ports/execute-answer.js";
import type { RunCaller, Runner } from "../run/runner.js";
import type { CapabilityLoader } from "./capability-loader.js";
import type { CodeExecution } from "./code-execution.js";
import { planRun } from "./plan-run.js";
import type { PreparedRun } from "./prepared-run.js";

export class ToolExecution {
  readonly #registry: CapabilityRegistry;
  readonly #runner: Runner;
  readonly #loader: CapabilityLoader;
  readonly #code: CodeExecution;

  constructor(registry: CapabilityRegistry, runner: Runner, loader: CapabilityLoader, code: CodeExecution) {
    this.#registry = registry;
    this.#runner = runner;
    this.#loader = loader;
    this.#code = code;
  }

  async prepare(request: ExecuteRequest, tool: string, { scope }: RunCaller): Promise<PreparedRun> {
    const code = `return await mcp[${JSON.stringify(tool)}](args);`;
    const analysis = await this.#code.analyse(code, scope);
    const [problem] = analysis.problems;
    if (problem !== undefined) throw new PmlError("TOOL_NOT_FOUND", problem.message);
    const main = { name: tool, code, analysis };
    const plan = await planRun(main, scope, this.#registry, this.#loader, this.#runner.planTools());
    return {
      request,
      again: request,
      plan,
      args: request.args ?? {},
      codeHash: await sha256Hex(analysis.canonicalCode),
      finish: async (ended) => ended,
      served: async (cached) => ({ cached }),
    };
  }
}
