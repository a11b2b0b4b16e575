/**
 * Takes over a data directory that this installation did not create: one of an earlier PML, of another installation, or
 * of a configuration that was moved.
 *
 * A copy of the store is opened, so that a person can see its content before anything changes. After the person's
 * consent the copy is signed by this installation's key and replaces the current data directory, which is moved to the
 * backups. Nothing is deleted. Keys, caches and everything else in the directory stay behind.
 *
 * @module
 */

import { randomUUID } from "node:crypto";
import { cpSync, existsSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { ownDirectory } from "../daemon/own-directory.js";
import { readRegularFile } from "../daemon/regular-file.js";
import type { StandingApproval } from "../execution/wait/workflow-store.js";
import { hasStore, openStore, type Store } from "../postgres/open-store.js";
import { fingerprintOf } from "../registry/key-ring.js";
import { resign } from "../registry/signature.js";
import type { KeyStore, TrustedKey } from "../registry/trusted-keys.js";
import { SignedKeys } from "../registry/trusted-keys.js";
import type { AdoptionPlan } from "./adoption-plan.js";
import { moveToBackups } from "./backups.js";
import { sectionOf } from "./config-file.js";
import { checkDataDirectory, idContentOf, installationKeyOf, keepOutOfGit } from "./data-directory.js";
import {
  type InstallationId,
  isOwn,
  isSigned,
  readInstallationId,
  renewInstallationId,
} from "./installation-id.js";
import { type InstallationKey, KEY_FILE, openInstallationKey } from "./installation-key.js";
import { realPath } from "./places.js";
import { draftFor, putBack, removeDrafts, removeEmpty, takePlace } from "./replace-directory.js";
import { markSignedAgain } from "./resign-once.js";
import type { Settings } from "./settings.js";
import { TrustedKeysFile } from "./trusted-keys-file.js";

/** The content of a directory. */
export interface AdoptionFindings extends AdoptionPlan {
  /** Base64 of the public key that signed the content; absent if there is none. */
  readonly publicKey?: string;
  readonly ownKey: string;
  readonly capabilities: number;
  readonly approvals: readonly StandingApproval[];
  /** Keys that are trusted there, but not here. */
  readonly trustedKeys: readonly TrustedKey[];
  /** Why its trusted keys cannot be taken over. */
  readonly keysProblem?: string;
}

interface Adopted {
  /** The number of versions that were signed again. */
  readonly signed: number;
  /** Where the replaced data is now. */
  readonly backups: readonly string[];
}

export { fingerprintOf };

export interface Adoption {
  readonly found: AdoptionFindings;
  /** Call this after a person has agreed to the findings. */
  take(): Promise<Adopted>;
  /** Releases everything; changes nothing if `take` was not called. */
  close(): Promise<void>;
}

interface AdoptionOptions {
  readonly backups: string;
  /** Whether a directory with stored data is replaced by the adopted one. */
  readonly replace: boolean;
}

/** Throws `STORE_LOCKED` if a gateway runs on one of the directories. */
export async function openAdoption(
  settings: Settings,
  plan: AdoptionPlan,
  { backups, replace }: AdoptionOptions,
): Promise<Adoption> {
  const from = realPath(plan.from);
  const to = realPath(plan.to);
  const key = installationKeyOf(settings);
  const isInPlace = from === to;
  const closers: (() => unknown)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const { release: releaseFrom } = await ownDirectory(from, "adopt");
    closers.push(() => releaseFrom());
    putBack(to);
    // Even a new one is locked: no gateway may start on it while a person decides.
    const isNew = !existsSync(to);
    const { release } = isInPlace ? { release: releaseFrom } : await ownDirectory(to, "adopt");
    if (isNew) closers.push(() => removeEmpty(to));
    closers.push(() => release());
    removeDrafts(to);
    if (!isInPlace) {
      await checkDataDirectory(to, key, settings.config.file);
      if (!replace) await refuseMemory(to, "adopt");
    }
    const draft = draftFor(to);
    mkdirSync(draft, { recursive: true, mode: 0o700 });
    closers.push(() => rmSync(draft, { recursive: true, force: true }));
    if (hasStore(from)) copyPlain(join(from, "pgdata"), join(draft, "pgdata"));
    const { url: given } = sectionOf(settings.config, "store");
    const url = typeof given === "string" ? given : undefined;
    const store =
      url === undefined && !hasStore(draft)
        ? undefined
        : await openStore({ dataDir: draft, log: silentLog, ...(url === undefined ? {} : { url }) });
    let isOpen = store !== undefined;
    const closeStore = async () => {
      if (isOpen) await store?.close();
      isOpen = false;
    };
    closers.push(closeStore);
    const keptId = ownId(from, key);
    const publicKey = keptId?.publicKey ?? signerOf(from, key);
    const keys = keyStores(settings, url, store, key, from, publicKey);
    const found = { ...plan, ...(publicKey === undefined ? {} : { publicKey }), ownKey: key.publicKey };
    const brought = await keysOf(keys);
    return {
      found: { ...found, ...(await contentOf(store)), ...brought },
      async take() {
        const signed =
          store !== undefined && publicKey !== undefined && keptId === undefined
            ? await resign(store.capabilities, key, publicKey)
            : 0;
        if (store !== undefined && url === undefined && keptId === undefined) await forgetOpenRuns(store);
        // Only the keys that were found and shown: the file may have changed since.
        for (const one of brought.trustedKeys) await keys.here.keep(one);
        await closeStore();
        keepOutOfGit(draft);
        const id = keptId?.id ?? randomUUID();
        renewInstallationId(draft, key, idContentOf(settings), id);
        markSignedAgain(settings.keyDir, id);
        const replaced = takePlace(draft, to, backups, release);
        if (isInPlace) return { signed, backups: replaced };
        const moved = moveToBackups(from, backups);
        releaseFrom(moved);
        return { signed, backups: [...replaced, moved] };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Another person requested or approved these runs; the person here has not seen that. */
async function forgetOpenRuns({ database }: Store): Promise<void> {
  await database.query("delete from workflow_runs where state <> 'ended'");
}

/** @param what the requested operation, such as `adopt` */
export async function refuseMemory(directory: string, what: string): Promise<void> {
  if (!hasStore(directory)) return;
  const store = await openStore({ dataDir: directory, log: silentLog });
  try {
    const { capabilities, approvals } = await contentOf(store);
    if (capabilities === 0 && approvals.length === 0) return;
    throw new PmlError(
      "USAGE",
      `Cannot ${what} as "${directory}": it already has data (${capabilities} capabilities, ${approvals.length} permanent approvals)`,
      { hint: "Add --replace to move it to the backups first." },
    );
  } finally {
    await store.close();
  }
}

/** Copies only files and directories: a store contains no links or pipes. */
function copyPlain(from: string, to: string): void {
  cpSync(from, to, {
    recursive: true,
    filter: (path) => {
      const stats = lstatSync(path);
      return stats.isFile() || stats.isDirectory();
    },
  });
}

/** The id of a directory that this installation already owns; the id is kept. */
function ownId(directory: string, key: InstallationKey): InstallationId | undefined {
  const id = readOrNothing(() => readInstallationId(directory));
  return id !== undefined && isOwn(id, key) ? id : undefined;
}

/** The key that signed the id, or else the private key that an earlier PML kept in the directory. */
function signerOf(directory: string, key: InstallationKey): string | undefined {
  const id = readOrNothing(() => readInstallationId(directory));
  if (id !== undefined && isSigned(id, key)) return id.publicKey;
  return readOrNothing(() => {
    const signingKey = readRegularFile(join(directory, KEY_FILE));
    return openInstallationKey({ keyDir: directory, directory, signingKey }).publicKey;
  });
}

function readOrNothing<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

interface KeyStores {
  readonly there: KeyStore;
  readonly here: KeyStore;
}

function keyStores(
  { keyDir }: Settings,
  url: string | undefined,
  store: Store | undefined,
  key: InstallationKey,
  from: string,
  publicKey: string | undefined,
): KeyStores {
  if (url === undefined || store === undefined)
    return { there: new TrustedKeysFile(from), here: new TrustedKeysFile(keyDir) };
  return {
    there: new SignedKeys(store.keys, key, publicKey ?? key.publicKey),
    here: new SignedKeys(store.keys, key, key.publicKey),
  };
}

async function keysOf({
  there,
  here,
}: KeyStores): Promise<Pick<AdoptionFindings, "trustedKeys" | "keysProblem">> {
  const known = new Set((await here.list()).keys.map(({ publicKey }) => publicKey));
  try {
    return { trustedKeys: (await there.list()).keys.filter(({ publicKey }) => !known.has(publicKey)) };
  } catch (error) {
    return { trustedKeys: [], keysProblem: messageOf(error) };
  }
}

export async function contentOf(
  store: Store | undefined,
): Promise<Pick<AdoptionFindings, "capabilities" | "approvals">> {
  if (store === undefined) return { capabilities: 0, approvals: [] };
  const { rows } = await store.database.query<{ readonly n: string | number }>(
    "select count(*) as n from capability_records where record_type = 'capability'",
  );
  return { capabilities: Number(rows[0]?.n ?? 0), approvals: await store.workflows.standingApprovals() };
}
