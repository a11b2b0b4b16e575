/**
 * What PostgreSQL says when it refuses a statement, the same on both drivers, and the border between that and
 * a store that is in trouble.
 *
 * @module
 */
import { defined } from "../base/defined.js";
import { messageOf, PmlError, type PmlErrorCode, type PmlErrorOptions } from "../base/pml-error.js";

/** The fields of an error that are kept; plain data, because it crosses from the worker thread. */
export interface SqlErrorShape {
  readonly message: string;
  /** SQLSTATE, for example `23505`. */
  readonly code: string;
  readonly constraint?: string;
  readonly detail?: string;
  readonly hint?: string;
}

/** PostgreSQL has refused a statement; `code` is its SQLSTATE. */
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

/** The fields of `thrown` when it is an answer of PostgreSQL, or `undefined` when it is anything else. */
export function sqlErrorShape(thrown: unknown): SqlErrorShape | undefined {
  if (!(thrown instanceof Error)) return undefined;
  // Socket errors carry codes too (`EPIPE` even has five letters), but only the server gives a severity.
  const { code, severity, constraint, detail, hint } = thrown as Partial<SqlErrorShape> & {
    severity?: string;
  };
  if (severity === undefined || code === undefined || !SQLSTATE.test(code)) return undefined;
  return { message: thrown.message, code, ...defined({ constraint, detail, hint }) };
}

/** The store is in trouble; `action` reads on from "Cannot". */
export function storeFailed(action: string, why: string, options: PmlErrorOptions = {}): PmlError {
  return new PmlError("STORE_FAILED", `Cannot ${action}: ${why}`, options);
}

/**
 * Runs a store's `work`, so that all its callers ever see is a PmlError that says what was tried. Codes in `answers`
 * are the store's answers to its callers, and pass as they are.
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
