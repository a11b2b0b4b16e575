/**
 * Takes the place of `pml serve --no-daemon`: copies bytes between stdio and a server over stdio.
 *
 *   node alone.mjs SERVER…
 */
import { startServer } from "./start-server.mjs";

const { stdin, stdout } = startServer(process.argv.slice(2));
process.stdin.pipe(stdin);
stdout.pipe(process.stdout);
