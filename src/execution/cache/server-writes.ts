/**
 * Calls that may have changed what is read from a server, and when the newest ended: a run that began before that may
 * have read what was there before.
 *
 * @module
 */
import type { ServerName } from "../../registry/tool-id.js";

export class ServerWrites {
  #count = 0;
  readonly #newest = new Map<ServerName, number>();
  readonly #underWay = new Map<ServerName, number>();

  /** Grows with each beginning and each end. */
  get count(): number {
    return this.#count;
  }

  /** Call what it returns when the call has ended, however it has. */
  begin(server: ServerName): () => void {
    this.seen(server);
    this.#underWay.set(server, (this.#underWay.get(server) ?? 0) + 1);
    return () => {
      this.seen(server);
      const others = (this.#underWay.get(server) ?? 1) - 1;
      if (others > 0) this.#underWay.set(server, others);
      else this.#underWay.delete(server);
    };
  }

  seen(server: ServerName): void {
    this.#count += 1;
    this.#newest.set(server, this.#count);
  }

  /** Whether what a run has read that began when there were `since` may be old. */
  mayHaveChanged(servers: readonly ServerName[], since: number): boolean {
    return servers.some((server) => this.#underWay.has(server) || (this.#newest.get(server) ?? 0) > since);
  }
}
