/**
 * Whether a configuration and its rules may be used in their current state.
 *
 * A configuration starts programs, and its rules say what happens without a question. A person accepts both. After
 * that, a change that makes nothing weaker is used at once, and every other change waits until a person accepts it
 * (`pml trust FILE`). A file named with `--config` is accepted when a gateway starts with it.
 *
 * @module
 */
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import { NO_PERMISSIONS } from "../execution/prepare/approval-policy.js";
import { type AcceptedConfig, acceptedConfig, keepAccepted } from "./accepted-configs.js";
import { ENV_FILE_CONTENT, hashOf, ruleFacts, type WrittenFacts, writtenFacts } from "./config-facts.js";
import { type ConfigFile, writtenConfig } from "./config-file.js";
import type { PermissionsFile } from "./permissions-file.js";
import { parsePermissions } from "./permissions-yaml.js";
import type { GateSettings } from "./person-gate.js";
import { realPath } from "./places.js";
import { weaker } from "./weaker.js";

/** A configuration and its rules, each read once. */
export interface ReadConfig {
  readonly config: ConfigFile;
  readonly bytes: Buffer;
  readonly permissions: PermissionsFile | undefined;
}

/** A named configuration, which a gateway accepts when it starts with it. Plain JSON, like all settings. */
export interface NamedConfig {
  readonly realFile: string;
  readonly hash: string;
  readonly envFiles: ConfigFile["envFiles"];
  readonly facts: WrittenFacts;
}

const WEAKER_TOLD = 20;

/** Throws `CONFIG_UNTRUSTED` if no person has accepted the file yet, before anything in it is used. */
export function refuseUnknown(file: string, keyDir: string): void {
  if (acceptedConfig(keyDir, realPath(file)) !== undefined) return;
  throw new PmlError("CONFIG_UNTRUSTED", `Cannot use "${file}": it starts programs and is not trusted yet`, {
    hint: `Review it, then run \`pml trust ${file}\`, or name it with --config.`,
    data: { file },
  });
}

/**
 * Throws `CONFIG_UNTRUSTED`, with a list of what became weaker, if a person has to accept the change. Otherwise the
 * given state is the accepted one from now on. A file without an accepted state is the user's own, used for the first
 * time.
 */
export function checkAccepted(read: ReadConfig, keyDir: string): void {
  const { file } = read.config;
  const became = weakerThanAccepted(read, keyDir);
  if (became === "unchanged") return;
  if (became.length === 0) {
    keepAccepted(keyDir, realPath(file), stateOf(read));
    return;
  }
  const more = became.length - WEAKER_TOLD;
  throw new PmlError(
    "CONFIG_UNTRUSTED",
    `Cannot use "${file}": it is no longer trusted, because it or its rules became weaker since it was accepted: ${became
      .slice(0, WEAKER_TOLD)
      .join("; ")}${more > 0 ? `; and ${more} more` : ""}`,
    {
      hint: `Review it, then run \`pml trust ${file}\`, or undo the change.`,
      data: { file, weaker: became },
    },
  );
}

/** Whether a person has accepted it, and nothing became weaker since then. */
export function isAccepted(read: ReadConfig, keyDir: string): boolean {
  if (acceptedConfig(keyDir, realPath(read.config.file)) === undefined) return false;
  const became = weakerThanAccepted(read, keyDir);
  return became === "unchanged" || became.length === 0;
}

/**
 * What became weaker since the accepted state; empty if there is no accepted state. Used at start and at
 * reload.
 */
function weakerThanAccepted(read: ReadConfig, keyDir: string): readonly string[] | "unchanged" {
  const known = acceptedConfig(keyDir, realPath(read.config.file));
  if (known === undefined) return [];
  if (isSame(known, read.config, read.permissions)) return "unchanged";
  return weaker(known.facts, stateOf(read).facts);
}

/**
 * How PML's own edit of a file affects its trust; undefined if the file was not trusted before. `gate` is set if the
 * edit allows more: the gate that it must pass, according to the last accepted state.
 */
export function editTrust(
  before: ReadConfig,
  after: ReadConfig,
  keyDir: string,
): { readonly gate?: GateSettings } | undefined {
  const known = acceptedConfig(keyDir, realPath(before.config.file));
  if (known === undefined) return undefined;
  const became = weakerThanAccepted(before, keyDir);
  if (became !== "unchanged" && became.length > 0) return undefined;
  return weaker(known.facts, stateOf(after).facts).length === 0 ? {} : { gate: acceptedGate(keyDir, known) };
}

/** The gate according to the last accepted state, never according to the current file. */
export function acceptedGate(keyDir: string, known: AcceptedConfig | undefined): GateSettings {
  const settings = known?.facts.settings ?? {};
  return {
    keyDir,
    scripted: settings["approvals.scripted"] === true,
    needsPin: settings["approvals.pin"] === true,
  };
}

/** The state to store when it is accepted. */
export function stateOf(read: ReadConfig): AcceptedConfig {
  return acceptedState(hashOf(read.bytes), factsOf(read), read.permissions);
}

export function namedConfig(read: ReadConfig): NamedConfig {
  const { file, envFiles } = read.config;
  return { realFile: realPath(file), hash: hashOf(read.bytes), envFiles, facts: factsOf(read) };
}

function factsOf({ config, bytes }: ReadConfig): WrittenFacts {
  return writtenFacts(writtenConfig(config.file, bytes), config);
}

/** The same file and rules, and the same files with variables, as far as they can be read. */
function isSame(
  known: AcceptedConfig,
  { hash, envFiles }: Pick<ConfigFile, "hash" | "envFiles">,
  permissions: PermissionsFile | undefined,
): boolean {
  return (
    known.config === hash &&
    known.rules === rulesHash(permissions) &&
    Object.entries(envFiles).every(([server, content]) => {
      const { servers } = known.facts;
      return Object.hasOwn(servers, server) && servers[server]?.keys[ENV_FILE_CONTENT] === content;
    })
  );
}

/** Called when a gateway starts: accepts the named configuration and its rules, in the state that was read. */
export function acceptNamed(
  {
    named,
    permissions,
    keyDir,
  }: {
    readonly named?: NamedConfig;
    readonly permissions?: PermissionsFile;
    readonly keyDir: string;
  },
  log: Log,
): void {
  if (named === undefined) return;
  const known = acceptedConfig(keyDir, named.realFile);
  if (known !== undefined && isSame(known, named, permissions)) return;
  const state = acceptedState(named.hash, named.facts, permissions);
  try {
    keepAccepted(keyDir, named.realFile, state);
  } catch (error) {
    // The directory is read-only: without --config, the file then still counts as never accepted.
    log.warn("config.not_recorded", { file: named.realFile, message: messageOf(error) });
  }
}

function acceptedState(
  config: string,
  facts: WrittenFacts,
  permissions: PermissionsFile | undefined,
): AcceptedConfig {
  const rules = permissions === undefined ? NO_PERMISSIONS : parsePermissions(permissions);
  return { config, rules: rulesHash(permissions), facts: { ...facts, rules: ruleFacts(rules) } };
}

function rulesHash(permissions: PermissionsFile | undefined): string | undefined {
  return permissions === undefined ? undefined : hashOf(Buffer.from(permissions.text));
}
