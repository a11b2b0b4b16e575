/**
 * Takes the place of a joined `pml serve`: copies bytes between stdio and a socket.
 *
 *   node joined.mjs SOCKET
 */
import { connect } from "node:net";

process.stdin.pipe(connect(process.argv[2])).pipe(process.stdout);
