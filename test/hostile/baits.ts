/**
 * What hostile code would like to have: a secret in a file, one in the environment, and a server to tell them to.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Baits {
  /** Code with the baits in it; the address of the server is one of its own for each `name`. */
  fill(code: string, name: string): string;
  /** None of these may come out of a run. */
  readonly secrets: readonly string[];
  /** Requests that the server got with the name in the address. */
  hits(name: string): number;
  close(): Promise<void>;
}

const VARIABLE = "PML_HOSTILE_BAIT";

export async function setBaits(): Promise<Baits> {
  const inFile = `file-${randomUUID()}`;
  const inEnvironment = `environment-${randomUUID()}`;
  const onServer = `server-${randomUUID()}`;
  const folder = mkdtempSync(join(tmpdir(), "pml-hostile-"));
  const file = join(folder, "secret.txt");
  writeFileSync(file, inFile);
  process.env[VARIABLE] = inEnvironment;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    response.end(onServer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    fill: (code, name) =>
      code
        .replaceAll("%FILE%", file)
        .replaceAll("%URL%", `http://127.0.0.1:${port}/${name}/`)
        .replaceAll("%ENV%", VARIABLE),
    secrets: [inFile, inEnvironment, onServer],
    hits: (name) => requests.filter((url) => url.startsWith(`/${name}/`)).length,
    async close() {
      delete process.env[VARIABLE];
      rmSync(folder, { recursive: true, force: true });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
