/**
 * The list of all operations: those for agents, and those for a person at a command only. A caller gets the types of
 * input and answer from the id of an operation.
 *
 * @module
 */

import type { z } from "zod";
import type { Operation } from "../gateway/operation.js";
import { pmlDecide, pmlView } from "../gateway/own/app.js";
import { pmlApprovals, pmlApprove } from "../gateway/own/approvals.js";
import { pmlAudit } from "../gateway/own/audit.js";
import { pmlCache } from "../gateway/own/cache.js";
import { capCurate } from "../gateway/own/cap-curate.js";
import { capDelete } from "../gateway/own/cap-delete.js";
import { capFork } from "../gateway/own/cap-fork.js";
import { capHistory } from "../gateway/own/cap-history.js";
import { capList } from "../gateway/own/cap-list.js";
import { capLookup } from "../gateway/own/cap-lookup.js";
import { capMerge } from "../gateway/own/cap-merge.js";
import { capPromote } from "../gateway/own/cap-promote.js";
import { capRename } from "../gateway/own/cap-rename.js";
import { capSave } from "../gateway/own/cap-save.js";
import { capVerify } from "../gateway/own/cap-verify.js";
import { capWhois } from "../gateway/own/cap-whois.js";
import { pmlDiscover } from "../gateway/own/discover.js";
import { pmlExecute } from "../gateway/own/execute.js";
import { formerTools } from "../gateway/own/former-names.js";
import { pmlGetTaskResult } from "../gateway/own/get-task-result.js";
import { pmlGraph } from "../gateway/own/graph.js";
import { pmlKeys } from "../gateway/own/keys.js";
import { pmlLearn } from "../gateway/own/learn.js";
import { pmlOpen } from "../gateway/own/open.js";
import { pmlRepair } from "../gateway/own/repair.js";
import { pmlSecrets } from "../gateway/own/secrets.js";
import { pmlServers } from "../gateway/own/servers.js";
import { pmlExport, pmlImport } from "../gateway/own/sharing.js";
import { pmlLogin, pmlLoginFinish, pmlLogout } from "../gateway/own/sign-in.js";
import { pmlStats } from "../gateway/own/stats.js";
import { pmlTest, pmlTestExport, pmlTestRecord } from "../gateway/own/test.js";
import { pmlTokens } from "../gateway/own/tokens.js";
import { pmlToolsAccept, pmlToolsChanged } from "../gateway/own/tools-accept.js";
import { pmlTrace } from "../gateway/own/trace.js";
import { pmlBackup, pmlPrune } from "../gateway/own/upkeep.js";

/** In the order of the clients' list. */
export const OPERATIONS = [
  pmlDiscover,
  pmlExecute,
  pmlGetTaskResult,
  pmlStats,
  pmlTrace,
  capLookup,
  capList,
  capWhois,
  capHistory,
  capRename,
  capCurate,
  capSave,
  capFork,
  capMerge,
  capDelete,
  capVerify,
  capPromote,
  pmlExport,
  pmlImport,
  pmlLearn,
  pmlKeys,
  pmlTokens,
  pmlAudit,
  pmlCache,
  pmlToolsChanged,
  pmlToolsAccept,
  pmlApprovals,
  pmlApprove,
  pmlServers,
  pmlSecrets,
  pmlLogin,
  pmlLoginFinish,
  pmlLogout,
  pmlTest,
  pmlTestRecord,
  pmlTestExport,
  pmlRepair,
  pmlView,
  pmlDecide,
  pmlGraph,
  pmlOpen,
  pmlBackup,
  pmlPrune,
] as const;

type Declared = (typeof OPERATIONS)[number];

/** All operations, and their former names. */
export function allOperations(parts: OperationParts): readonly Operation[] {
  const all = OPERATIONS.map((one) => one.with(parts));
  return [...all, ...formerTools(all)];
}

/** The parts that all operations together need. */
type OperationParts = (
  Declared extends infer One extends Declared
    ? One extends unknown
      ? (parts: Parameters<One["with"]>[0]) => void
      : never
    : never
) extends (parts: infer All) => void
  ? All
  : never;

export type OperationId = Declared["id"];

/** The input type of an operation. */
export type InputOf<Id extends OperationId> = Given<z.output<Extract<Declared, { id: Id }>["input"]>>;

/** The input type for callers: deeply read-only. */
type Given<T> = T extends object ? { readonly [K in keyof T]: Given<T[K]> } : T;

/** The answer type of an operation. */
export type AnswerOf<Id extends OperationId> = z.output<Extract<Declared, { id: Id }>["output"]>;
