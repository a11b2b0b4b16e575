/**
 * Real PostgreSQL servers for tests, from npm packages: nothing on the machine is needed, and no test is skipped. If a
 * server cannot be started, the tests that need it fail.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export type PostgresMajor = 15 | 18;

export interface PostgresServer {
  /** The URL of a superuser, on the database `postgres`. */
  readonly url: string;
  stop(): Promise<void>;
}

export const POSTGRES_PASSWORD = "s3cret-of-tests";

const CHILD = fileURLToPath(new URL("./postgres-child.mjs", import.meta.url));

export async function startPostgres(major: PostgresMajor): Promise<PostgresServer> {
  const child = spawn(process.execPath, [CHILD, `${major}`, POSTGRES_PASSWORD]);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const output: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith("{")) continue;
    const { url } = JSON.parse(line) as { readonly url: string };
    return {
      url,
      async stop() {
        child.stdin.end();
        await ended;
      },
    };
  }
  await ended;
  throw new Error(`Cannot start PostgreSQL ${major}:\n${output.join("")}`);
}
