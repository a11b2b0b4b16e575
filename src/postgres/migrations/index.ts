import type { Migration } from "../migrate.js";
import { tools } from "./0001-tools.js";
import { capabilities } from "./0002-capabilities.js";
import { executions } from "./0003-executions.js";
import { learning } from "./0004-learning.js";
import { calls } from "./0005-calls.js";

/** Every migration there is, oldest first. */
export const MIGRATIONS: readonly Migration[] = [tools, capabilities, executions, learning, calls];
