/**
 * The installation id: a file in each data directory, signed by the installation key, which proves that this
 * installation created the directory or that a person has adopted it. It also contains the last used configuration, so
 * that the directory is found again when that file was moved.
 *
 * The id is not secret and covers none of the data: it distinguishes directories of this installation from others.
 *
 * @module
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { canonicalJson } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import { messageOf } from "../base/pml-error.js";
import { readRegularFile } from "../daemon/regular-file.js";
import type { InstallationKey } from "./installation-key.js";
import { writeFirst, writeWhole } from "./write-whole.js";

export const ID_FILE = "installation.json";

export interface InstallationId {
  readonly id: string;
  /** Real path of the configuration that the directory was last used with. */
  readonly config: string;
  /** SHA-256 of the content of that file. */
  readonly configHash: string;
  /** Base64 of the raw public key of the signature. */
  readonly publicKey: string;
  readonly signature: string;
}

/** The facts about the configuration in an id. */
export type IdContent = Pick<InstallationId, "config" | "configHash">;

/**
 * Identifies the kind of the signed text, so that a signature of a capability or of a trusted key never counts as one
 * of an id.
 */
const KIND = "pml-data-directory-v1";
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The text that the signature covers. Must never change: stored signatures depend on it. */
function idText({ id, config, configHash }: Pick<InstallationId, "id"> & IdContent): string {
  return `${KIND}\n${canonicalJson({ id, config, configHash })}`;
}

/** The id in the file, if the file exists. Throws if it cannot be read or is not a valid id. */
export function readInstallationId(directory: string): InstallationId | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readRegularFile(join(directory, ID_FILE)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new Error(
      `${ID_FILE} cannot be read: ${error instanceof SyntaxError ? "it is not JSON" : messageOf(error)}`,
    );
  }
  if (isId(value)) return value;
  throw new Error(`${ID_FILE} is not an installation id`);
}

/** Whether the key in the id has signed it. */
export function isSigned(id: InstallationId, key: Pick<InstallationKey, "verify">): boolean {
  return key.verify(idText(id), id.signature, id.publicKey);
}

/** Whether this key has signed it. */
export function isOwn(id: InstallationId, key: InstallationKey): boolean {
  return id.publicKey === key.publicKey && isSigned(id, key);
}

/** Gives a directory its first id. If two processes do so at the same time, the first one wins. */
export function makeInstallationId(directory: string, key: InstallationKey, content: IdContent): void {
  writeFirst(join(directory, ID_FILE), textOf(randomUUID(), key, content));
}

/** Replaces the facts about the configuration; the id stays. */
export function renewInstallationId(
  directory: string,
  key: InstallationKey,
  content: IdContent,
  id: string,
): void {
  writeWhole(join(directory, ID_FILE), textOf(id, key, content));
}

function textOf(id: string, key: InstallationKey, { config, configHash }: IdContent): string {
  const content = { id, config, configHash };
  const signed: InstallationId = { ...content, ...key.sign(idText(content)) };
  return `${JSON.stringify(signed, undefined, 2)}\n`;
}

function isId(value: unknown): value is InstallationId {
  if (!isJsonObject(value)) return false;
  const { id, config, configHash, publicKey, signature } = value;
  const texts = [id, config, configHash, publicKey, signature];
  return texts.every((text) => typeof text === "string") && UUID.test(String(id));
}
