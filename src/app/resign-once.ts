/**
 * Signs the versions of an earlier PML again, once for a data directory.
 *
 * Old signatures do not cover numbers and sources of versions. If they were accepted again later, an attacker who can
 * write to the database could insert an old version with its old signature. So a file beside the key lists the data
 * directories, by installation id, for which this is done. Gateways that share a server have no such file: there,
 * versions of the old form are signed again at every start.
 *
 * @module
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { CapabilityStore } from "../registry/capability-store.js";
import { resignOld } from "../registry/signature.js";
import type { Installation } from "./data-directory.js";
import { writeWhole } from "./write-whole.js";

export const RESIGNED_DIRECTORY = "signed-again";

/** `keyDir` is absent if gateways share a server. Returns how many versions were signed. */
export async function resignOnce(
  store: Pick<CapabilityStore, "signAgain">,
  { key, id }: Installation,
  keyDir: string | undefined,
): Promise<number> {
  if (keyDir !== undefined && existsSync(join(keyDir, RESIGNED_DIRECTORY, id))) return 0;
  const signed = await resignOld(store, key, key.publicKey);
  if (keyDir !== undefined) markSignedAgain(keyDir, id);
  return signed;
}

/** From now on, versions of the old form in the data directory with this id are refused. */
export function markSignedAgain(keyDir: string, id: string): void {
  const directory = join(keyDir, RESIGNED_DIRECTORY);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeWhole(
    join(directory, id),
    "Versions of an earlier PML in the data directory with this id were re-signed. While this file exists, this does not happen again.\n",
  );
}
