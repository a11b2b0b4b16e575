/**
 * Takes the place of the background gateway: copies bytes between a socket and a server over stdio.
 *
 *   node gateway.mjs SOCKET SERVER…
 */
import { createServer } from "node:net";
import { listen } from "./listen.mjs";
import { startServer } from "./start-server.mjs";

const [, , socketPath, ...serverArgs] = process.argv;

listen(
  createServer((client) => {
    const { stdin, stdout } = startServer(serverArgs);
    client.pipe(stdin);
    stdout.pipe(client);
  }),
  socketPath,
);
