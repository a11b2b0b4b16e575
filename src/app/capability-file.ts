/**
 * The named capabilities, in a file beside the embedded store, so that the next start can list them before the store is
 * open.
 *
 * The file is either up to date or absent: it is deleted before a change is written to the store, and written again
 * afterwards. A gateway that is killed in between leaves none, and the next one waits for the store. So this only works
 * for a store with a single gateway.
 *
 * @module
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "../base/json-object.js";
import type { Log } from "../base/log.js";
import { messageOf } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { readRegularFile } from "../daemon/regular-file.js";
import type { Capability } from "../registry/capability.js";
import { isDisplayName } from "../registry/display-name.js";
import { isFqdn } from "../registry/fqdn.js";
import { writeWhole } from "./write-whole.js";

/** A larger file is not written: reading it would take as long as opening the store. */
const CAPABILITIES_MOST = 2_000;
const FILE_BYTES = 16 * 1024 * 1024;
const WRITE_MS = 500;

/** Returns undefined if there is no usable file. */
export function readCapabilities(dataDir: string): readonly Capability[] | undefined {
  try {
    const value: unknown = JSON.parse(readRegularFile(capabilityFile(dataDir), { most: FILE_BYTES }));
    // The file of another version may have a different format; the store has everything.
    if (!isJsonObject(value) || value.version !== VERSION || !Array.isArray(value.capabilities))
      return undefined;
    return value.capabilities.every(isCapability) ? value.capabilities.map(revived) : undefined;
  } catch {
    return undefined;
  }
}

export class CapabilityFile {
  readonly #file: string;
  readonly #log: Log;
  readonly #named: () => readonly Capability[];
  /** Whether the file may exist. */
  #isThere = true;
  /** Number of changes under way: until they end, memory and store can differ. */
  #open = 0;
  #isStopped = false;
  #timer: NodeJS.Timeout | undefined;

  /** `named` returns the capabilities to list, once the store has been read. */
  constructor(dataDir: string, log: Log, named: () => readonly Capability[]) {
    this.#file = capabilityFile(dataDir);
    this.#log = log;
    this.#named = named;
  }

  /**
   * Call this before a listed capability changes in the store; call the returned function when the change has succeeded
   * or failed.
   */
  changing(): () => void {
    if (this.#isThere) rmSync(this.#file, { force: true });
    this.#isThere = false;
    this.#open += 1;
    return () => {
      this.#open -= 1;
      this.changed();
    };
  }

  /** Writes the file after a short delay. */
  changed(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), WRITE_MS);
  }

  /** Writes pending changes for the last time. */
  stop(): void {
    this.#isStopped = true;
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#write();
  }

  #write(): void {
    this.#timer = undefined;
    const capabilities = this.#named();
    if (this.#open > 0 || capabilities.length > CAPABILITIES_MOST) return;
    try {
      writeWhole(this.#file, JSON.stringify({ version: VERSION, capabilities }));
      this.#isThere = true;
    } catch (error) {
      this.#log.warn("capabilities.not_written", { message: messageOf(error) });
    }
  }
}

function capabilityFile(dataDir: string): string {
  return join(dataDir, "capabilities.json");
}

function isCapability(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value.fqdn === "string" &&
    isFqdn(value.fqdn) &&
    typeof value.displayName === "string" &&
    isDisplayName(value.displayName) &&
    isJsonObject(value.parameters) &&
    [value.aliases, value.creators, value.dependencies, value.tags].every(Array.isArray)
  );
}

/** Restores what JSON cannot represent. Without its revision, so that every state from the store counts as newer. */
function revived({ revision: _, ...value }: Capability): Capability {
  const { createdAt, updatedAt, lastUsedAt, deletedAt, reservedUntil, description, versionTag } = value;
  return {
    ...value,
    description: description ?? undefined,
    versionTag: versionTag ?? undefined,
    createdAt: new Date(createdAt),
    updatedAt: updatedAt === undefined ? undefined : new Date(updatedAt),
    lastUsedAt: lastUsedAt === undefined ? undefined : new Date(lastUsedAt),
    ...(deletedAt === undefined ? {} : { deletedAt: new Date(deletedAt) }),
    ...(reservedUntil === undefined ? {} : { reservedUntil: new Date(reservedUntil) }),
  };
}
