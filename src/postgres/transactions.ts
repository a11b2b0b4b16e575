/**
 * Transactions for both drivers, and a guard that refuses statements that would wait for their own transaction.
 *
 * @module
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { NamedStatement, Queryable, QueryResult, SqlValue } from "./database.js";
import { storeFailed } from "./sql-error.js";

export interface CommandResult<Row> extends QueryResult<Row> {
  /** The word of the command tag, such as `SELECT` or `ROLLBACK`. */
  readonly command: string;
}

/** Sends one statement over the connection of the transaction. */
export type Send = <Row extends object>(
  statement: string | NamedStatement,
  values?: readonly SqlValue[],
) => Promise<CommandResult<Row>>;

export class Transactions {
  /** `open` is cleared at the end, so that a timer that was set inside the transaction may query later. */
  readonly #inside: AsyncLocalStorage<{ open: boolean }> | undefined;

  /**
   * A query that bypasses the handle of its own transaction is a bug in PML, which the tests find. The check has a
   * cost: on Node 20 the first use of AsyncLocalStorage turns on hooks for every promise of the process, which made
   * calls through the gateway 8 % slower. So a running gateway does not check.
   */
  constructor(checksNesting: boolean) {
    this.#inside = checksNesting ? new AsyncLocalStorage() : undefined;
  }

  /** Throws if called from inside an open transaction of this database, if the check is on. */
  refuseInside(action: string): void {
    if (this.#inside?.getStore()?.open !== true) return;
    throw storeFailed(action, "already inside a transaction", {
      hint: "Use the handle that the transaction received.",
    });
  }

  async run<T>(send: Send, work: (transaction: Queryable) => Promise<T>): Promise<T> {
    const state: { open: boolean } = { open: true };
    const handle: Queryable = {
      async query<Row extends object>(statement: string | NamedStatement, values?: readonly SqlValue[]) {
        if (!state.open) throw storeFailed("query in a transaction", "it has ended");
        const { rows, rowCount } = await send<Row>(statement, values);
        return { rows, rowCount };
      },
    };
    await send("begin");
    try {
      const result = await (this.#inside?.run(state, () => work(handle)) ?? work(handle));
      state.open = false;
      const { command } = await send("commit");
      // If a statement failed and the code caught the error, PostgreSQL answers COMMIT with ROLLBACK and without an
      // error.
      if (command === "ROLLBACK") {
        throw storeFailed("commit a transaction", "one of its statements failed, so it was rolled back");
      }
      return result;
    } catch (thrown) {
      state.open = false;
      // The first error is the important one; a connection that cannot roll back is dropped by its driver.
      await send("rollback").catch(() => undefined);
      throw thrown;
    }
  }
}
