/**
 * Gateways without work: as many processes in a row as PML has there, which copy bytes. The time of a call through them
 * is the cost of the processes; the rest is PML's own. Each serves one client.
 */
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { IS_SMOKE } from "./options.mjs";

const program = (name) => fileURLToPath(new URL(`./bytes-alone/${name}.mjs`, import.meta.url));

/** Like a joined `pml serve`. Returns the arguments of `node` that a client starts. */
export function twoRelays(bench, serverArgs) {
  return behindSocket(bench, "gateway", serverArgs);
}

/** Like `pml serve --no-daemon`. Returns what a client starts. */
export function oneRelay(serverArgs) {
  return [program("alone"), ...serverArgs];
}

/** Like `pml serve --http`. Returns its endpoint. */
export async function httpRelay(bench, serverArgs) {
  const { address } = await started(bench, "http", serverArgs);
  return address;
}

/**
 * Like a run in a joined `pml serve`: a guest behind two relays, and the server behind one of them. Returns what a
 * client starts.
 */
export function guestBehindRelays(bench, serverArgs) {
  return behindSocket(bench, "run-host", serverArgs);
}

/**
 * Like a capability in a joined `pml serve`. Returns what a client starts, and a function that waits until its guests
 * are ready.
 */
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
