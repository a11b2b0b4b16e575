/**
 * Which `./pml.json` files the user has accepted, by the hash of their content.
 *
 * A configuration starts programs. One that merely lies in the current directory, as in a repository that was just
 * cloned, does so only after its owner has looked at it; a change of the file asks again. The same goes for the
 * `mcp-permissions.yaml` of such a configuration, which says what may happen without a question.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject } from "../base/json-object.js";
import { PmlError } from "../base/pml-error.js";
import { userConfigDirectory } from "./user-config-directory.js";
import { writeWhole } from "./write-whole.js";

type Trusted = Readonly<Record<string, string>>;

/** Throws `CONFIG_UNTRUSTED` unless exactly this content of `file` was accepted; `danger` is what it could do. */
export function checkTrusted(
  file: string,
  content: Buffer | undefined,
  env: Readonly<NodeJS.ProcessEnv>,
  danger = "it starts programs",
): void {
  const known = readTrusted(env)[file];
  if (known === (content === undefined ? undefined : hashOf(content))) return;
  throw new PmlError(
    "CONFIG_UNTRUSTED",
    `Cannot use "${file}" unasked, since ${danger}: ${change(known, content)}`,
    {
      hint: "Look at it, then accept it with `pml trust`, or name the configuration with --config.",
      data: { file },
    },
  );
}

function change(known: string | undefined, content: Buffer | undefined): string {
  if (content === undefined) return "it is gone since it was accepted";
  return known === undefined ? "nobody has accepted it yet" : "it has changed since it was accepted";
}

/** Accepts the file with this content. */
export function trust(file: string, content: Buffer, env: Readonly<NodeJS.ProcessEnv>): void {
  write({ ...readTrusted(env), [file]: hashOf(content) }, env);
}

/** Takes it back; answers whether there was anything to take back. */
export function distrust(file: string, env: Readonly<NodeJS.ProcessEnv>): boolean {
  const { [file]: gone, ...rest } = readTrusted(env);
  if (gone !== undefined) write(rest, env);
  return gone !== undefined;
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function trustFile(env: Readonly<NodeJS.ProcessEnv>): string {
  return join(userConfigDirectory(env), "trusted.json");
}

function readTrusted(env: Readonly<NodeJS.ProcessEnv>): Trusted {
  try {
    const value: unknown = JSON.parse(readFileSync(trustFile(env), "utf8"));
    return isJsonObject(value) ? (value as Trusted) : {};
  } catch {
    return {};
  }
}

function write(trusted: Trusted, env: Readonly<NodeJS.ProcessEnv>): void {
  const file = trustFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeWhole(file, `${JSON.stringify(trusted, undefined, 2)}\n`);
}
