#!/usr/bin/env node
/**
 * The `pml` command: a table of commands, each in a separate file that is loaded on demand.
 *
 * @module
 */
import { runCommand } from "./run-command.js";

void runCommand(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
