/**
 * Tests whether the embedded store loses acknowledged data when its process is killed.
 *
 *   node scripts/kill-rounds.mjs [rounds=200]
 *
 * Each round a child writes rows, prints which are committed, and is killed with SIGKILL at a random moment: while it
 * unpacks the cluster, opens it, recovers, commits, or vacuums. Then the store is opened again and must contain every
 * acknowledged row, and no partial transaction. Needs a build. Exits with 1 if anything is lost.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const { openStore } = await import(new URL("../dist/postgres/open-store.js", import.meta.url).href);

const ROUNDS_PER_DIRECTORY = 10;
/** A first start takes most of a second, and some kills must happen during it. */
const KILL_IN_START_MS = 1_200;
const KILL_IN_WORK_MS = 400;
const log = { debug() {}, info() {}, warn() {}, error() {} };

if (process.argv[2] === "--child") await writeForever(process.argv[3]);
else await killRounds(Number(process.argv[2] ?? 200));

async function killRounds(rounds) {
  const found = {
    rounds,
    killedInStart: 0,
    acknowledged: 0,
    lost: 0,
    torn: 0,
    unopenable: 0,
    slowestOpenMs: 0,
  };
  const scratch = mkdtempSync(join(tmpdir(), "pml-kill-"));
  let acknowledged = 0;
  try {
    for (let round = 0; round < rounds; round += 1) {
      const dataDir = join(scratch, String(Math.floor(round / ROUNDS_PER_DIRECTORY)));
      if (round % ROUNDS_PER_DIRECTORY === 0) {
        mkdirSync(dataDir);
        acknowledged = 0;
      }
      const last = await runAndKill(dataDir, round % 3 === 0);
      if (last === undefined) found.killedInStart += 1;
      else {
        found.acknowledged += last - acknowledged;
        acknowledged = last;
      }
      await check(dataDir, acknowledged, found);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  console.log(JSON.stringify(found));
  if (found.lost + found.torn + found.unopenable > 0) process.exitCode = 1;
}

/** Returns the last id that the child reported as committed, or `undefined` if there was none before the kill. */
async function runAndKill(dataDir, inStart) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "--child", dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = (withinMs) => setTimeout(() => child.kill("SIGKILL"), Math.random() * withinMs);
  if (inStart) kill(KILL_IN_START_MS);
  let last;
  for await (const line of createInterface({ input: child.stdout })) {
    if (last === undefined && !inStart) kill(KILL_IN_WORK_MS);
    // Ignores a line that the kill has truncated.
    const committed = /^committed (\d+)\.$/.exec(line);
    if (committed !== null) last = Number(committed[1]);
  }
  return last;
}

async function check(dataDir, acknowledged, found) {
  const started = performance.now();
  let store;
  try {
    store = await openStore({ dataDir, log });
  } catch (thrown) {
    console.error("cannot be opened:", thrown);
    found.unopenable += 1;
    return;
  }
  found.slowestOpenMs = Math.max(found.slowestOpenMs, Math.round(performance.now() - started));
  try {
    await createTables(store.database);
    const { rows } = await store.database.query(
      `select count(*) filter (where id <= $1) as kept, count(*) as rows,
              count(*) filter (where md5(id::text) <> digest) as spoilt,
              (select n from counter) as counted
         from ledger`,
      [acknowledged],
    );
    const { kept, rows: count, spoilt, counted } = rows[0];
    if (kept !== acknowledged) found.lost += acknowledged - kept;
    if (counted !== count || spoilt > 0) found.torn += 1;
  } finally {
    await store.close();
  }
}

async function createTables(database) {
  await database.transaction(async (transaction) => {
    await transaction.query(
      "create table if not exists ledger (id bigint primary key, digest text not null)",
    );
    await transaction.query(
      "create table if not exists counter (one bool primary key default true, n bigint not null)",
    );
    await transaction.query("insert into counter (n) values (0) on conflict do nothing");
  });
}

async function writeForever(dataDir) {
  const { database } = await openStore({ dataDir, log });
  await createTables(database);
  const { rows } = await database.query("select coalesce(max(id), 0) as last from ledger");
  let last = rows[0].last;
  for (let turn = 0; ; turn += 1) {
    const size = turn % 7 === 0 ? 300 : 1 + (turn % 5);
    await database.transaction(async (transaction) => {
      await transaction.query(
        "insert into ledger select id, md5(id::text) from generate_series($1::bigint, $2::bigint) as id",
        [last + 1, last + size],
      );
      await transaction.query("update counter set n = n + $1", [size]);
    });
    last += size;
    // Written synchronously, so that the report exists before the kill.
    writeSync(1, `committed ${last}.\n`);
    if (turn % 40 === 13) await database.query("vacuum ledger");
    if (turn % 60 === 29) await database.query("checkpoint");
  }
}
