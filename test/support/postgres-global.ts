/**
 * Starts each PostgreSQL at most once per run, when the first test needs it: runs without a store do not wait for a
 * server. Tests run in separate processes, so they ask over HTTP.
 */
import { createServer } from "node:http";
import type { TestProject } from "vitest/node";
import { type PostgresMajor, type PostgresServer, startPostgres } from "./postgres-server.js";

declare module "vitest" {
  interface ProvidedContext {
    /** The address to ask: `/15` and `/18` return the URL of that server. */
    postgresStarter: string;
  }
}

const MAJORS: Readonly<Record<string, PostgresMajor>> = { "/15": 15, "/18": 18 };

/** Set by the first project that is set up, for the others. */
const STARTER = "PML_TEST_POSTGRES_STARTER";

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const running = process.env[STARTER];
  if (running !== undefined) {
    project.provide("postgresStarter", running);
    return async () => {};
  }
  const servers = new Map<PostgresMajor, Promise<PostgresServer>>();
  const starter = createServer(async (request, response) => {
    try {
      const major = MAJORS[request.url ?? ""];
      if (major === undefined) throw new Error(`No PostgreSQL "${request.url}"`);
      const server = servers.get(major) ?? startPostgres(major);
      servers.set(major, server);
      response.end((await server).url);
    } catch (thrown) {
      response.statusCode = 500;
      response.end(String(thrown));
    }
  });
  await new Promise<void>((resolve) => starter.listen(0, "127.0.0.1", resolve));
  const address = starter.address();
  if (address === null || typeof address === "string")
    throw new Error("Cannot listen for tests that want PostgreSQL");
  const url = `http://127.0.0.1:${address.port}`;
  process.env[STARTER] = url;
  project.provide("postgresStarter", url);
  return async () => {
    starter.close();
    starter.closeAllConnections();
    for (const server of servers.values()) await (await server.catch(() => undefined))?.stop();
  };
}
