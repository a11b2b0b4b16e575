import type { Log } from "../../base/log.js";
import { messageOf } from "../../base/pml-error.js";
import type { Lease, WorkflowStore } from "./workflow-store.js";

/** Another gateway may take over a run of one that has not been heard of for this long. */
const LEASE_MS = 20_000;
const RENEW_MS = 5_000;

/** The runs that this gateway has, and says so of for as long as it does. */
export class RunLeases {
  readonly lease: Lease = { owner: crypto.randomUUID(), ms: LEASE_MS };
  readonly #store: Pick<WorkflowStore, "renew">;
  readonly #log: Log;
  /** How many hold each: who continues a run, and the run itself. */
  readonly #held = new Map<string, number>();
  #renewing: ReturnType<typeof setInterval> | undefined;

  constructor(store: Pick<WorkflowStore, "renew">, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Which gateway this is, to the store. */
  get owner(): string {
    return this.lease.owner;
  }

  has(workflowId: string): boolean {
    return this.#held.has(workflowId);
  }

  /** Until what is answered is called. */
  hold(workflowId: string): () => void {
    this.#held.set(workflowId, (this.#held.get(workflowId) ?? 0) + 1);
    this.#renewing ??= setInterval(() => this.#renew(), RENEW_MS);
    return () => {
      const others = (this.#held.get(workflowId) ?? 1) - 1;
      if (others > 0) this.#held.set(workflowId, others);
      else this.#held.delete(workflowId);
    };
  }

  stop(): void {
    clearInterval(this.#renewing);
  }

  #renew(): void {
    if (this.#held.size === 0) return;
    this.#store.renew([...this.#held.keys()], this.lease).catch((error: unknown) => {
      this.#log.warn("run.lease_not_renewed", { message: messageOf(error) });
    });
  }
}
