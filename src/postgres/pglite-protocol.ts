/**
 * What the main thread and the PGlite worker say to each other: plain data that survives structured cloning.
 *
 * @module
 */
import type { NamedStatement, SqlValue } from "./database.js";
import type { SqlErrorShape } from "./sql-error.js";

/** Given to the worker when it is started. */
export interface WorkerSettings {
  readonly directory: string;
  /** A prebuilt cluster to unpack into an empty directory; `null` runs initdb. */
  readonly archive: string | null;
}

export type ToWorker =
  | {
      readonly kind: "query";
      readonly id: number;
      /** A named statement has its text the first time only. */
      readonly statement: string | (Pick<NamedStatement, "name"> & Partial<NamedStatement>);
      readonly values: readonly SqlValue[];
    }
  | { readonly kind: "close" };

export type FromWorker = { readonly kind: "ready"; readonly origin: ClusterOrigin } | WorkerAnswer;

export type WorkerAnswer =
  /** The directory cannot be opened; the thread ends after this. */
  | { readonly kind: "refused"; readonly why: string; readonly hint?: string }
  | {
      readonly kind: "rows";
      readonly id: number;
      readonly rows: readonly object[];
      readonly rowCount: number;
      readonly command: string;
    }
  | { readonly kind: "sql-error"; readonly id: number; readonly error: SqlErrorShape }
  | { readonly kind: "failed"; readonly id: number; readonly message: string };

/** Where the data came from: it was there, it was unpacked, or initdb made it (and why, where that is a surprise). */
export type ClusterOrigin =
  | { readonly kind: "existing" }
  | { readonly kind: "archive" }
  | { readonly kind: "initdb"; readonly why: string };
