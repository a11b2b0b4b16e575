/**
 * The messages between the main thread and the PGlite worker: plain data that survives structured cloning.
 *
 * @module
 */
import type { NamedStatement, SqlValue } from "./database.js";
import type { SqlErrorShape } from "./sql-error.js";

/** The worker receives these at its start. */
export interface WorkerSettings {
  readonly directory: string;
  /** A prebuilt cluster to unpack into an empty directory; `null` runs initdb. */
  readonly archive: string | null;
}

export type ToWorker =
  | {
      readonly kind: "query";
      readonly id: number;
      /** A named statement includes its text only the first time. */
      readonly statement: string | (Pick<NamedStatement, "name"> & Partial<NamedStatement>);
      readonly values: readonly SqlValue[];
    }
  | { readonly kind: "close" };

export type FromWorker = { readonly kind: "ready"; readonly origin: ClusterOrigin } | WorkerAnswer;

export type WorkerAnswer =
  /** The directory cannot be opened; the thread ends after this message. */
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

/** The origin of the data: it existed, it was unpacked, or initdb created it (`why` is set if that is unexpected). */
export type ClusterOrigin =
  | { readonly kind: "existing" }
  | { readonly kind: "archive" }
  | { readonly kind: "initdb"; readonly why: string };
