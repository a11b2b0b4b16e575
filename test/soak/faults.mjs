/**
 * What goes wrong while the soak runs, one after the other. Each fault ends, and leaves all gateways running.
 */
import { rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { delay, isAlive } from "./cluster.mjs";

const LEAVE_MS = 15_000;

const any = (gateways) => gateways[Math.floor(Math.random() * gateways.length)];

/** By name, in the order in which they come. */
export const FAULTS = {
  async "gateway killed"(cluster, ledger) {
    const gateway = any(cluster.gateways);
    const children = await cluster.killGateway(gateway);
    await delay(1_000);
    await cluster.startGateway(gateway);
    await mustLeave(children, ledger);
  },
  async "gateway stopped in the usual way"(cluster, ledger) {
    const gateway = any(cluster.gateways);
    const children = await cluster.killGateway(gateway, "SIGTERM");
    await cluster.startGateway(gateway);
    await mustLeave(children, ledger);
  },
  async "gateway frozen for 12 s"(cluster) {
    const gateway = any(cluster.gateways);
    gateway.child.kill("SIGSTOP");
    await delay(12_000);
    gateway.child.kill("SIGCONT");
  },
  async "database restarted"(cluster) {
    await cluster.tellPostgres("stop");
    await delay(2_000);
    await cluster.tellPostgres("start");
  },
  /** A process of the server that dies takes all others with it, and the server recovers from its log. */
  async "database crashed"(cluster) {
    const [row] = await cluster.query(
      "select pid from pg_stat_activity where application_name = 'pml' limit 1",
    );
    if (row !== undefined) process.kill(row.pid, "SIGKILL");
    await delay(3_000);
  },
  async "connections to the database cut"(cluster) {
    for (let round = 0; round < 3; round += 1) {
      for (const { wire } of cluster.gateways) wire.cut();
      await delay(700);
    }
  },
  async "one gateway's database silent for 15 s"(cluster) {
    const { wire } = any(cluster.gateways);
    wire.silence(true);
    await delay(15_000);
    wire.silence(false);
  },
  async "connections of clients cut"(cluster) {
    for (let round = 0; round < 3; round += 1) {
      cluster.balancer.cutClients();
      await delay(700);
    }
  },
  async "server behind slow, 2 s"(cluster) {
    writeFileSync(cluster.slowFile, "2000");
    await delay(8_000);
    rmSync(cluster.slowFile);
  },
  async "data directory of a gateway full, and killed"(cluster) {
    const gateway = any(cluster.gateways);
    const empty = fill(gateway);
    if (empty === undefined) return "left out: this user may not mount a file system";
    await delay(5_000);
    await cluster.killGateway(gateway);
    await cluster.startGateway(gateway).catch((error) => cluster.note(String(error)));
    await delay(3_000);
    empty();
    if (gateway.exit !== undefined) await cluster.startGateway(gateway);
  },
  async "disk of the database full"(cluster) {
    const empty = fill(cluster.databasePlace);
    if (empty === undefined) return "left out: this user may not mount a file system";
    await delay(6_000);
    empty();
    await cluster.tellPostgres("stop").catch(() => {});
    await cluster.tellPostgres("start");
  },
};

/** Writes a file until nothing more fits. */
function fill({ directory, canBeFull }) {
  if (!canBeFull) return undefined;
  const file = join(directory, "filler");
  const { bavail, bsize } = statfsSync(directory);
  try {
    writeFileSync(file, Buffer.alloc(bavail * bsize));
  } catch {
    // Another process wrote meanwhile: the disk is full all the same.
  }
  return () => rmSync(file, { force: true });
}

/** Servers, brokers and guests of a gateway that is gone are orphans. */
async function mustLeave(children, ledger) {
  const until = Date.now() + LEAVE_MS;
  while (children.some(isAlive) && Date.now() < until) await delay(200);
  const left = children.filter(isAlive);
  if (left.length > 0) ledger.fault("processes of a gateway outlived it", { left });
}
