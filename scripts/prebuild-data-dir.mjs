/**
 * Makes dist/postgres/pgdata.br: a cluster with every migration applied, so that a first start unpacks a file instead
 * of running initdb. Does nothing if the archive is up to date, because every build runs this.
 */
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = (file) => new URL(`../dist/postgres/${file}`, import.meta.url);
const source = (file) => new URL(`../src/postgres/${file}`, import.meta.url);
const { migrate } = await import(dist("migrate.js").href);
const { MIGRATIONS } = await import(dist("migrations/index.js").href);
const { packCluster, readArchiveHeader } = await import(dist("pgdata-archive.js").href);
const { openPglite } = await import(dist("pglite-driver.js").href);
const { pgliteVersion } = await import(dist("pglite-version.js").href);

const archive = fileURLToPath(dist("pgdata.br"));
const key = createHash("sha256")
  .update(JSON.stringify([pgliteVersion(), MIGRATIONS]))
  // The hash covers how the cluster is made and packed, as well as its content.
  .update(readFileSync(source("pglite-worker.ts")))
  .update(readFileSync(source("pgdata-archive.ts")))
  .update(readFileSync(fileURLToPath(import.meta.url)))
  .digest("hex");

if (readArchiveHeader(archive)?.key !== key) await build();

async function build() {
  const started = performance.now();
  const scratch = mkdtempSync(join(tmpdir(), "pml-prebuild-"));
  try {
    const directory = join(scratch, "pgdata");
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const database = await openPglite({ directory, log, archive: null });
    await migrate(database, MIGRATIONS);
    // PML creates no databases, so it needs no templates to copy: they are two thirds of the files to unpack.
    for (const template of ["template0", "template1"]) {
      await database.query(`alter database ${template} is_template false`);
      await database.query(`drop database ${template}`);
    }
    await database.query("vacuum (freeze, analyze)");
    await database.query("checkpoint");
    await database.close();
    const packed = packCluster(directory, { format: 1, pglite: pgliteVersion(), key });
    // Several builds may run at once; the rename makes sure that one complete archive results.
    const staging = `${archive}.${process.pid}`;
    writeFileSync(staging, packed);
    renameSync(staging, archive);
    console.log(
      `prebuilt cluster: ${(packed.length / 1024).toFixed(0)} KiB in ${(performance.now() - started).toFixed(0)} ms`,
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
