import type { Migration } from "../migrate.js";
import { tools } from "./0001-tools.js";
import { capabilities } from "./0002-capabilities.js";
import { executions } from "./0003-executions.js";
import { learning } from "./0004-learning.js";
import { calls } from "./0005-calls.js";
import { registry } from "./0006-registry.js";
import { changes } from "./0007-changes.js";
import { servers } from "./0008-servers.js";
import { workflows } from "./0009-workflows.js";
import { paths } from "./0010-paths.js";
import { caches } from "./0011-caches.js";
import { sources } from "./0012-sources.js";
import { quarantine } from "./0013-quarantine.js";
import { results } from "./0014-results.js";
import { vectors } from "./0015-vectors.js";
import { graph } from "./0016-graph.js";
import { curation } from "./0017-curation.js";
import { signatures } from "./0018-signatures.js";
import { names } from "./0019-names.js";
import { memory } from "./0020-memory.js";
import { toolLists } from "./0021-tool-lists.js";
import { ledger } from "./0022-ledger.js";
import { doors } from "./0023-doors.js";
import { signIns } from "./0024-sign-ins.js";
import { watchedRuns } from "./0025-watched-runs.js";
import { observation } from "./0026-observation.js";
import { well } from "./0027-well.js";
import { versionTools } from "./0028-version-tools.js";
import { observedApart } from "./0029-observed-apart.js";

/** All migrations, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  tools,
  capabilities,
  executions,
  learning,
  calls,
  registry,
  changes,
  servers,
  workflows,
  paths,
  caches,
  sources,
  quarantine,
  results,
  vectors,
  graph,
  curation,
  signatures,
  names,
  memory,
  toolLists,
  ledger,
  doors,
  signIns,
  watchedRuns,
  observation,
  well,
  versionTools,
  observedApart,
];
