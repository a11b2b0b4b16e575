// Runs the tests of vectors on a real PostgreSQL with pgvector: `npm run test:pgvector [vitest arguments]`.
//
// No npm package has pgvector for a server, so this builds it from source, for the newest PostgreSQL whose headers are
// on the machine. It is installed into a copy of that PostgreSQL in a temporary directory; the machine's own is not
// changed. Needs PostgreSQL with its headers, make and a C compiler, on Debian:
//
//   apt-get install postgresql postgresql-server-dev-all make gcc
//
// The source comes from the Debian mirror that the machine uses. PGVECTOR_SOURCE names another archive, PG_CONFIG
// another pg_config.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** The path in a Debian mirror. */
const ARCHIVE = "pool/main/p/pgvector/pgvector_0.8.0.orig.tar.gz";
const ARCHIVE_SHA256 = "867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0";
const TESTS = ["src/postgres/pgvector-index.test.ts", "test/e2e/vectors-on-servers.test.ts"];
const DEBIAN = "/usr/lib/postgresql";

const pgConfig = process.env.PG_CONFIG ?? newestPgConfig();
const scratch = mkdtempSync(join(tmpdir(), "pml-pgvector-"));
// If the tests run as root, the server runs as another user, who must be able to reach its files.
chmodSync(scratch, 0o755);
let stop = () => {};
let code = 1;
try {
  build();
  const url = await startServer();
  const { status } = spawnSync(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", ...TESTS, ...process.argv.slice(2)],
    { env: { ...process.env, PML_TEST_POSTGRES: url }, stdio: "inherit" },
  );
  code = status ?? 1;
} finally {
  stop();
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(code);

/** Debian has a directory for each version. */
function newestPgConfig() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((one) => join(DEBIAN, one, "bin", "pg_config")).find(existsSync) ?? "pg_config";
}

function setting(name) {
  try {
    return execFileSync(pgConfig, [`--${name}`], { encoding: "utf8" }).trim();
  } catch (error) {
    throw new Error(
      `Cannot build pgvector: ${pgConfig} does not run. Install PostgreSQL with its headers, or set PG_CONFIG.`,
      { cause: error },
    );
  }
}

/** The path in the copy of a file of the machine's PostgreSQL. */
function copied(path) {
  return join(scratch, "root", path);
}

function build() {
  // A server finds its libraries and extensions relative to its own program.
  for (const name of ["bindir", "pkglibdir", "sharedir"]) {
    const from = setting(name);
    cpSync(from, copied(from), { recursive: true, dereference: true });
  }
  const source = join(scratch, "source");
  mkdirSync(source);
  const archive = process.env.PGVECTOR_SOURCE ?? downloaded();
  execFileSync("tar", ["xzf", archive, "-C", source, "--strip-components", "1"]);
  const options = [`PG_CONFIG=${pgConfig}`, "OPTFLAGS=", "with_llvm=no"];
  execFileSync("make", [...options, "all"], { cwd: source, stdio: ["ignore", "ignore", "inherit"] });
  const install = [...options, `DESTDIR=${join(scratch, "root")}`, "install"];
  execFileSync("make", install, { cwd: source, stdio: ["ignore", "ignore", "inherit"] });
}

function downloaded() {
  const file = join(scratch, "pgvector.tar.gz");
  const url = `${debianMirror()}/${ARCHIVE}`;
  execFileSync("curl", ["--fail", "--silent", "--show-error", "--location", "--output", file, url]);
  const found = createHash("sha256").update(readFileSync(file)).digest("hex");
  if (found !== ARCHIVE_SHA256)
    throw new Error(`${url} is not the expected archive: its SHA-256 is ${found}`);
  return file;
}

/** The mirror from which apt would download a package. */
function debianMirror() {
  const said = execFileSync("apt-get", ["download", "--print-uris", "tar"], { encoding: "utf8" });
  const [, mirror] = /'(\S+)\/pool\//.exec(said) ?? [];
  if (mirror === undefined)
    throw new Error(
      "Cannot find the source of pgvector: this machine uses no Debian mirror. Set PGVECTOR_SOURCE.",
    );
  return mirror;
}

async function startServer() {
  const data = join(scratch, "data");
  mkdirSync(data);
  // PostgreSQL refuses to run as root.
  const user = userInfo().uid === 0 ? ownerOfServers() : undefined;
  if (user !== undefined) chownSync(data, user.uid, user.gid);
  const run = (program, args) =>
    execFileSync(join(copied(setting("bindir")), program), args, {
      ...user,
      cwd: data,
      stdio: ["ignore", "ignore", "inherit"],
    });
  const port = await freePort();
  run("initdb", [
    "--pgdata",
    data,
    "--username",
    "postgres",
    "--auth",
    "trust",
    "--no-sync",
    "--encoding",
    "UTF8",
  ]);
  const options = `-p ${port} -h 127.0.0.1 -c unix_socket_directories= -c fsync=off`;
  run("pg_ctl", ["start", "--wait", "--pgdata", data, "--log", join(data, "log"), "-o", options]);
  stop = () => run("pg_ctl", ["stop", "--mode", "immediate", "--pgdata", data]);
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

function ownerOfServers() {
  const id = (flag) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
