import type { Migration } from "../migrate.js";
import { tools } from "./0001-tools.js";
import { capabilities } from "./0002-capabilities.js";
import { executions } from "./0003-executions.js";
import { learning } from "./0004-learning.js";
import { calls } from "./0005-calls.js";
import { registry } from "./0006-registry.js";
import { changes } from "./0007-changes.js";
import { servers } from "./0008-servers.js";

/** Every migration there is, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  tools,
  capabilities,
  executions,
  learning,
  calls,
  registry,
  changes,
  servers,
];
