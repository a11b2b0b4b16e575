import { fileURLToPath } from "node:url";
import { silentLog } from "../../src/base/log.js";
import type { Database } from "../../src/postgres/database.js";

// The built file, because it needs a worker thread next to it.
const { openStore } = (await import(
  fileURLToPath(new URL("../../dist/postgres/open-store.js", import.meta.url))
)) as typeof import("../../src/postgres/open-store.js");

/** Opens the embedded store of `dataDir`, which no gateway may own at that time. */
export async function inStore<T>(dataDir: string, work: (database: Database) => Promise<T>): Promise<T> {
  const store = await openStore({ dataDir, log: silentLog });
  try {
    return await work(store.database);
  } finally {
    await store.close();
  }
}
