/**
 * The errors of PostgreSQL when it refuses a statement, the same on both drivers, and how they differ from failures of
 * the store.
 *
 * @module
 */
import { defined } from "../base/defined.js";
import { messageOf, PmlError, type PmlErrorCode, type PmlErrorOptions } from "../base/pml-error.js";

/** The fields of an error that are kept; plain data, because it is sent from the worker thread. */
export interface SqlErrorShape {
  readonly message: string;
  /** SQLSTATE, for example `23505`. */
  readonly code: string;
  readonly constraint?: string;
  readonly detail?: string;
  readonly hint?: string;
}

/** PostgreSQL refused a statement; `code` is its SQLSTATE. */
export class SqlError extends Error {
  override readonly name = "SqlError";
  readonly code: string;
  readonly constraint: string | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;

  constructor(shape: SqlErrorShape, options?: { readonly cause: unknown }) {
    super(shape.message, options);
    this.code = shape.code;
    this.constraint = shape.constraint;
    this.detail = shape.detail;
    this.hint = shape.hint;
  }
}

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** The fields of `thrown` if PostgreSQL sent it, or `undefined` for every other error. */
export function sqlErrorShape(thrown: unknown): SqlErrorShape | undefined {
  if (!(thrown instanceof Error)) return undefined;
  // Socket errors have codes too (`EPIPE` even has five letters), but only the server sends a severity.
  const { code, severity, constraint, detail, hint } = thrown as Partial<SqlErrorShape> & {
    severity?: string;
  };
  if (severity === undefined || code === undefined || !SQLSTATE.test(code)) return undefined;
  return { message: thrown.message, code, ...defined({ constraint, detail, hint }) };
}

/** An error of the store itself; `action` continues the word "Cannot". */
export function storeFailed(action: string, why: string, options: PmlErrorOptions = {}): PmlError {
  return new PmlError("STORE_FAILED", `Cannot ${action}: ${why}`, options);
}

/**
 * Runs a store's `work`, so that its callers only see PmlErrors that say what was tried. Errors with codes in `answers`
 * are meant for the callers, and pass unchanged.
 */
export async function storeAction<T>(
  action: string,
  work: () => Promise<T>,
  answers: readonly PmlErrorCode[] = [],
): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof PmlError && (thrown.code === "STORE_FAILED" || answers.includes(thrown.code)))
      throw thrown;
    const data = thrown instanceof SqlError ? { sqlstate: thrown.code } : {};
    throw storeFailed(action, messageOf(thrown), { data, cause: thrown });
  }
}
