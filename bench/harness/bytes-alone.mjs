/**
 * Gateways that do no work: as many processes in a row as PML has there, which copy bytes. What a call takes through them
 * is the price of the processes; the rest is PML's own. Each is for one client.
 */
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { IS_SMOKE } from "./options.mjs";

const program = (name) => fileURLToPath(new URL(`./bytes-alone/${name}.mjs`, import.meta.url));

/** As `pml serve`, joined. Answers what a client starts, as arguments of `node`. */
export function twoRelays(bench, serverArgs) {
  return behindSocket(bench, "gateway", serverArgs);
}

/** As `pml serve --no-daemon`. Answers what a client starts. */
export function oneRelay(serverArgs) {
  return [program("alone"), ...serverArgs];
}

/** As `pml serve --http`. Answers its endpoint. */
export async function httpRelay(bench, serverArgs) {
  const { address } = await started(bench, "http", serverArgs);
  return address;
}

/** As a run in `pml serve`, joined: a guest behind two relays, and the server behind one of them. Answers what a client starts. */
export function guestBehindRelays(bench, serverArgs) {
  return behindSocket(bench, "run-host", serverArgs);
}

/** As a capability in `pml serve`, joined. Answers what a client starts, and what waits until its guests are ready. */
export async function sandboxBehindRelay(bench, build, code) {
  const dist = `${pathToFileURL(build.file("")).href}/`;
  const socket = newSocket(bench);
  const { child, lines } = await started(bench, "sandbox", [
    socket,
    dist,
    code,
    ...(IS_SMOKE ? ["--smoke"] : []),
  ]);
  return {
    serve: [program("joined"), socket],
    async whenFull() {
      child.stdin.write("\n");
      await nextLine(lines);
    },
  };
}

async function behindSocket(bench, name, serverArgs) {
  const socket = newSocket(bench);
  await started(bench, name, [socket, ...serverArgs]);
  return [program("joined"), socket];
}

function newSocket(bench) {
  return join(bench.directory("bytes"), "socket");
}

/** Starts a program of `bytes-alone`, and waits until it listens. */
async function started(bench, name, args) {
  const child = bench.spawn("other", process.execPath, [program(name), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, lines, address: await nextLine(lines) };
}

async function nextLine(lines) {
  const { value, done } = await lines.next();
  if (done === true) throw new Error("a relay has ended");
  return value;
}
