import { resolve } from "node:path";
import { call } from "../app/call-operation.js";
import { withGateway } from "../app/gateway-client.js";
import { pmlBackup } from "../gateway/own/upkeep.js";
import { action, single } from "./operation-command.js";
import { printJson, printLine, sizeText, visible } from "./output.js";

/** A large store takes minutes. */
const BACKUP_MS = 3_600_000;

export const backup = single(
  "backup",
  action({
    operation: pmlBackup,
    about: `Writes a consistent copy of the whole store to FILE, also while the gateway runs: capabilities with all
versions, names and signatures, runs that wait, permanent approvals, traces and statistics. The file contains code and
arguments, so only you may read it. It does not contain the signing key, the PIN, the configuration or the list of
trusted keys: back up the key directory separately. pml restore reads the file.`,
    takes: "file",
    exits: "0 done, 1 failed, 2 wrong usage.",
    examples: ["pml backup pml-2026-11-17.backup"],
    async session({ file }, { json }, settings) {
      const done = await withGateway(settings, (client) =>
        call(client, "pml:backup", { file: resolve(file) }, { waitMs: BACKUP_MS }),
      );
      if (json === true) printJson(done);
      else printLine(`${done.rows} rows written to ${visible(done.file)} (${sizeText(done.bytes)})`);
      return 0;
    },
  }),
);
