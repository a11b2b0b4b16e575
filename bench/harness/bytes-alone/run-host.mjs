/**
 * Takes the place of the background gateway while it runs code: copies bytes between the client's socket and a guest,
 * and between the guest and a server over stdio.
 *
 *   node run-host.mjs SOCKET SERVER…
 */
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { listen } from "./listen.mjs";
import { startServer } from "./start-server.mjs";

const GUEST = fileURLToPath(new URL("./guest.mjs", import.meta.url));
const [, , socketPath, ...serverArgs] = process.argv;

listen(
  createServer((client) => {
    const server = startServer(serverArgs);
    const guest = spawn(process.execPath, [GUEST], { stdio: ["pipe", "pipe", "inherit", "pipe"] });
    client.pipe(guest.stdio[3]).pipe(client);
    guest.stdout.pipe(server.stdin);
    server.stdout.pipe(guest.stdin);
  }),
  socketPath,
);
