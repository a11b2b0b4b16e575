/**
 * Permanent approvals of tools, in memory: each for one project, and for the tool's form at that time.
 *
 * @module
 */
import type { Scope } from "../../registry/scope.js";
import type { ToolId } from "../../registry/tool-id.js";
import type { KnownTool } from "../ports/tool-box.js";
import type { StandingApproval, WorkflowStore } from "./workflow-store.js";

type Store = Pick<WorkflowStore, "approveAlways" | "standingApprovals" | "revoke">;

/** Changes of another gateway are known after this time at the latest. */
const FRESH_MS = 1_000;

export class StandingApprovals {
  readonly #store: Store;
  #approved = new Map<string, StandingApproval>();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  /** According to the last read; {@link fresh} reads again. */
  has({ id, hash }: Pick<KnownTool, "id" | "hash">, scope: Scope): boolean {
    return this.#approved.has(approvalKey({ ...scope, tool: id, hash }));
  }

  /** Resolves when the approvals in memory are at most a second old. */
  async fresh(): Promise<void> {
    if (performance.now() - this.#readAt < FRESH_MS) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
  }

  async approve(approvals: readonly StandingApproval[]): Promise<void> {
    await this.#store.approveAlways(approvals);
    await this.#read();
  }

  /** False if the tool had no permanent approval. */
  async revoke({ org, project }: Scope, tool: ToolId): Promise<boolean> {
    const wasThere = await this.#store.revoke(org, project, tool);
    await this.#read();
    return wasThere;
  }

  async list({ org, project }: Scope): Promise<readonly StandingApproval[]> {
    await this.#read();
    return [...this.#approved.values()].filter((one) => one.org === org && one.project === project);
  }

  async #read(): Promise<void> {
    const startedAt = performance.now();
    const all = await this.#store.standingApprovals();
    // A later read has been applied already.
    if (startedAt < this.#readAt) return;
    this.#approved = new Map(all.map((one) => [approvalKey(one), one]));
    this.#readAt = startedAt;
  }
}

/** One tool may be approved in several forms, because gateways on one store may run it in several versions. */
function approvalKey({
  org,
  project,
  tool,
  hash,
}: Pick<StandingApproval, "org" | "project" | "tool" | "hash">): string {
  return `${org} ${project} ${hash} ${tool}`;
}
