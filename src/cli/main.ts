#!/usr/bin/env node
/**
 * The `pml` command: a table of commands, each in a file of its own that is loaded when it is asked for.
 *
 * @module
 */
import { runCommand } from "./run-command.js";

process.exitCode = await runCommand(process.argv.slice(2));
