/**
 * Learns from what is used what goes together: inside of runs, and from one request of a connection to its next.
 *
 * A run that failed or was given up teaches nothing; so does one that waits for a person, until it has ended: it is run
 * again from its beginning.
 *
 * @module
 */
import type { GraphNode } from "../../registry/tool-graph.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { PreparedRun } from "../prepare/prepared-run.js";
import type { EndedRun, RunCaller } from "../run/runner.js";
import type { RecentUse } from "./recent-use.js";
import { runSequences } from "./run-sequences.js";

export interface UseLearningOptions {
  readonly recent: RecentUse;
  /** Takes in what followed what. */
  readonly followed: (pairs: readonly (readonly [GraphNode, GraphNode])[]) => void;
}

export class UseLearning {
  readonly #options: UseLearningOptions;

  constructor(options: UseLearningOptions) {
    this.#options = options;
  }

  /** A run has ended. */
  ran(
    { request, of }: Pick<PreparedRun, "request" | "of">,
    { report, error }: Pick<EndedRun, "report" | "error">,
    { connection }: Pick<RunCaller, "connection">,
  ): void {
    if (error !== undefined) return;
    const { followed, recent } = this.#options;
    const { called, pairs } = runSequences(report);
    followed(pairs);
    const isCode = request.code !== undefined || request.dag !== undefined;
    // Who runs a capability has used that, and not what it is made of.
    followed(recent.add(connection, isCode || of === undefined ? called : [of.capability.fqdn]));
  }

  /** A client has called a tool itself, and it has answered. */
  called(connection: string, tool: ToolId): void {
    const { followed, recent } = this.#options;
    followed(recent.add(connection, [tool]));
  }
}
