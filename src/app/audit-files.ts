/**
 * The files of the audit log beside the key: the signed end of the chain of each store, and decisions of commands that
 * ran without a gateway. The next gateway writes these decisions to the store.
 *
 * @module
 */

import { randomBytes } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { sha256 } from "../base/sha256.js";
import { isAlive } from "../daemon/owner-file.js";
import type { PendingFacts } from "../gateway/audit.js";
import type { AuditFact, AuditHead, AuditHeads } from "../registry/audit.js";
import type { Scope } from "../registry/scope.js";
import { creatorOf } from "../registry/visibility.js";
import { sectionOf } from "./config-file.js";
import type { InstallationKey } from "./installation-key.js";
import { PrivateJson, parsedBy } from "./private-json.js";
import type { Settings } from "./settings.js";

const HEADS_FILE = "audit-heads.json";
const KIND = "pml-audit-head-v1";

const headsSchema = z.record(
  z.string(),
  z.strictObject({ number: z.int(), hash: z.string(), signature: z.string() }),
);

type Place = Pick<Settings, "dataDir" | "config">;

/** One key directory serves several stores. */
function storeOf({ dataDir, config }: Place): string {
  const { url } = sectionOf(config, "store");
  return sha256(typeof url === "string" ? url : dataDir).slice(0, 16);
}

function headsFile(keyDir: string) {
  return new PrivateJson(join(keyDir, HEADS_FILE), {
    what: "the end of the audit log",
    parse: parsedBy(headsSchema),
    repair: "Remove it. After that PML cannot tell whether entries are missing at the end of the log.",
    repairRights: (command) => `Run ${command}.`,
  });
}

export function auditHeads(settings: Place & Pick<Settings, "keyDir">, key: InstallationKey): AuditHeads {
  const file = headsFile(settings.keyDir);
  const store = storeOf(settings);
  const textOf = ({ number, hash }: AuditHead) => `${KIND}\n${store}\n${number}\n${hash}`;
  return {
    read() {
      const kept = file.read()?.[store];
      if (kept === undefined) return undefined;
      if (!key.verify(textOf(kept), kept.signature, key.publicKey))
        throw new Error(`the end of the log in "${file.file}" is not signed by this installation`);
      return { number: kept.number, hash: kept.hash };
    },
    keep(head) {
      file.change((present = {}) => {
        const known = present[store];
        // Another gateway with the same key may have seen a later entry.
        if (known !== undefined && known.number > head.number) return present;
        return { ...present, [store]: { ...head, signature: key.sign(textOf(head)).signature } };
      });
    },
  };
}

/** Must be called when the log of a store is replaced by that of a backup. */
export function forgetAuditHead(settings: Place & Pick<Settings, "keyDir">): void {
  if (!existsSync(join(settings.keyDir, HEADS_FILE))) return;
  headsFile(settings.keyDir).change((present = {}) => {
    const { [storeOf(settings)]: _, ...rest } = present;
    return rest;
  });
}

const pendingText = z.string().max(1_000);
const pendingSchema = z.strictObject({
  at: z.iso.datetime(),
  actor: pendingText,
  role: pendingText,
  via: pendingText,
  org: pendingText,
  project: pendingText,
  operation: pendingText,
  subject: pendingText,
  outcome: pendingText,
});

/** For one store, or for all stores that the key signs for. */
function pendingFile({ keyDir, dataDir, config }: Decider): string {
  const store = dataDir === undefined || config === undefined ? "all" : storeOf({ dataDir, config });
  return join(keyDir, `audit-pending-${store}.jsonl`);
}

/** The context of a command that decided without a gateway: one store, or none. */
type Decider = Pick<Settings, "keyDir"> & Partial<Place> & { readonly scope?: Scope };

/**
 * For commands that decide without a gateway: the next gateway writes the decision to the log. Values must never be
 * included.
 */
export function noteDecision(
  settings: Decider,
  { operation, subject, outcome = "done" }: { operation: string; subject: string; outcome?: string },
): void {
  const { org, project, user } = settings.scope ?? {
    org: "local",
    project: "default",
    user: userInfo().username,
  };
  const fact = {
    at: new Date().toISOString(),
    actor: creatorOf({ org, project, user }),
    role: "person",
    via: "terminal",
    org,
    project,
    operation,
    subject: subject.slice(0, 300),
    outcome,
  };
  mkdirSync(settings.keyDir, { recursive: true, mode: 0o700 });
  appendFileSync(pendingFile(settings), `${JSON.stringify(fact)}\n`, { mode: 0o600 });
}

/**
 * Returns the decisions of commands until they are written to the log. An unreadable line is reported as such, since
 * its existence matters.
 */
export function pendingFacts(settings: Place & Pick<Settings, "keyDir">): () => PendingFacts {
  const files = [pendingFile(settings), pendingFile({ keyDir: settings.keyDir })];
  /** Renamed to names that only this process uses. */
  const taken = new Set<string>();
  return () => {
    for (const file of files)
      for (const found of leftIn(file)) {
        const own = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
        // Another gateway may take it at the same time: only one of them succeeds.
        if (!isRenamed(found, own)) continue;
        taken.add(own);
        takenHere.add(own);
      }
    return {
      facts: [...taken].flatMap(factsIn),
      written() {
        for (const file of taken) {
          rmSync(file, { force: true });
          takenHere.delete(file);
        }
        taken.clear();
      },
    };
  };
}

/** The files that this process has taken. In a container, the previous process most likely had the same id. */
const takenHere = new Set<string>();

/** The file, and files that a killed process had taken without writing all of them to the log. */
function leftIn(file: string): readonly string[] {
  const directory = dirname(file);
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const left = names.filter((name) => {
    const rest = name.startsWith(basename(file)) ? name.slice(basename(file).length) : undefined;
    const [, pid] = TAKEN.exec(rest ?? "") ?? [];
    return rest === "" || (pid !== undefined && !isTaken(join(directory, name), Number(pid)));
  });
  return left.map((name) => join(directory, name));
}

function isTaken(file: string, pid: number): boolean {
  return pid === process.pid ? takenHere.has(file) : isAlive(pid);
}

const TAKEN = /^\.(\d+)(?:\.[0-9a-f]+)?$/;

function isRenamed(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}

function factsIn(file: string): readonly AuditFact[] {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const lines = text.split("\n").filter(Boolean);
  return lines.map((line) => {
    try {
      const { at, ...fact } = pendingSchema.parse(JSON.parse(line));
      return { ...fact, at: new Date(at) };
    } catch {
      const scope = { org: "local", project: "default" };
      return {
        at: new Date(),
        actor: "",
        role: "",
        via: "file",
        ...scope,
        operation: "unreadable",
        subject: "",
        outcome: "",
      };
    }
  });
}
