import type { Log } from "../base/log.js";
import type { OutsideVectors } from "../discovery/vector-index.js";
import type { Database } from "./database.js";
import { openPgVectorIndex } from "./pgvector-index.js";
import { extensionProblem } from "./pgvector-space.js";
import { storeAction } from "./sql-error.js";

/** pgvector on a server. The embedded store has none: its vectors would be in the same memory. */
export function postgresVectors(database: Database, log: Log): OutsideVectors {
  return {
    name: "pgvector",
    problem: () => storeAction("look for pgvector", () => extensionProblem(database)),
    open: (space) => openPgVectorIndex({ ...space, database, log }),
  };
}
