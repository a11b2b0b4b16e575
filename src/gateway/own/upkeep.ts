/**
 * The gateway's part of `pml backup` and `pml prune`, since the gateway owns the store. For a person only: files of the
 * machine are written, and data is deleted.
 *
 * @module
 */
import { isAbsolute } from "node:path";
import { z } from "zod";
import { PmlError } from "../../base/pml-error.js";
import { decidesNothing, operation } from "../operation.js";

export interface PruneRequest {
  /** Older than this many days. */
  readonly days?: number | undefined;
  /** How many of the newest traces of each capability stay. */
  readonly keep?: number | undefined;
  readonly isDryRun: boolean;
}

interface PrunedRows {
  readonly rows: number;
  readonly bytes: number;
}

/** Operations on the whole store. */
interface Upkeep {
  backup(file: string): Promise<{ readonly file: string; readonly rows: number; readonly bytes: number }>;
  prune(
    request: PruneRequest,
  ): Promise<Readonly<Record<"traces" | "calls" | "results" | "runs", PrunedRows>>>;
}

export interface UpkeepParts {
  readonly upkeep: Upkeep;
}

const number = z.int();

export const pmlBackup = operation({
  id: "pml:backup",
  who: "person",
  reach: "machine",
  decides: decidesNothing,
  audits: () => true,
  summary: "Writes everything that the store has to a file.",
  input: z.strictObject({ file: z.string().min(1).max(4_096) }),
  output: z.strictObject({ file: z.string(), rows: number, bytes: number }),
  run:
    ({ upkeep }: UpkeepParts) =>
    async ({ file }) => {
      if (!isAbsolute(file)) throw new PmlError("ARGUMENTS_INVALID", `Not an absolute path: "${file}"`);
      return await upkeep.backup(file);
    },
});

const rows = z.strictObject({ rows: number, bytes: z.number() });

export const pmlPrune = operation({
  id: "pml:prune",
  who: "person",
  reach: "machine",
  decides: decidesNothing,
  audits: ({ dry_run }) => dry_run !== true,
  summary: "Deletes old traces, counted calls, expired results and expired runs. What was learnt stays.",
  input: z.strictObject({
    days: z.number().min(0).max(36_500).optional(),
    keep: z.int().min(0).max(1_000_000).optional(),
    dry_run: z.boolean().optional(),
  }),
  output: z.strictObject({
    dry_run: z.boolean(),
    traces: rows,
    calls: rows,
    results: rows,
    runs: rows,
  }),
  run:
    ({ upkeep }: UpkeepParts) =>
    async ({ days, keep, dry_run: isDryRun = false }) => ({
      dry_run: isDryRun,
      ...(await upkeep.prune({ days, keep, isDryRun })),
    }),
});
