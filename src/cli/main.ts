#!/usr/bin/env node
/**
 * The `pml` command: a table of commands, each in a file of its own that is loaded when it is asked for.
 *
 * @module
 */
import { runCommand } from "./run-command.js";

void runCommand(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
