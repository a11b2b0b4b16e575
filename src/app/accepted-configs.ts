/**
 * The accepted configurations, each in its accepted state: a file beside the keys, which only its owner may access.
 *
 * A configuration is identified by the real path of its file, so that links to one file do not make several of it.
 *
 * @module
 */
import { join } from "node:path";
import { isJsonObject } from "../base/json-object.js";
import type { ConfigFacts } from "./config-facts.js";
import { PrivateJson } from "./private-json.js";

export interface AcceptedConfig {
  /** SHA-256 of the configuration as written. */
  readonly config: string;
  /** The same for its rules, if it has any. */
  readonly rules: string | undefined;
  readonly facts: ConfigFacts;
}

type Accepted = Readonly<Record<string, AcceptedConfig>>;

const FILE = "accepted.json";

export function acceptedFile(keyDir: string): string {
  return join(keyDir, FILE);
}

/** The accepted state of the configuration with this real path; undefined if there is none. */
export function acceptedConfig(keyDir: string, realFile: string): AcceptedConfig | undefined {
  const all = fileIn(keyDir).read() ?? {};
  return Object.hasOwn(all, realFile) ? all[realFile] : undefined;
}

/** The accepted configurations, by real path. */
export function acceptedFiles(keyDir: string): readonly string[] {
  return Object.keys(fileIn(keyDir).read() ?? {});
}

export function keepAccepted(keyDir: string, realFile: string, state: AcceptedConfig): void {
  change(keyDir, (all) => ({ ...all, [realFile]: state }));
}

/** Withdraws the acceptance; returns false if there was none. */
export function removeAccepted(keyDir: string, realFile: string): boolean {
  if (acceptedConfig(keyDir, realFile) === undefined) return false;
  change(keyDir, (all) => Object.fromEntries(Object.entries(all).filter(([file]) => file !== realFile)));
  return true;
}

function change(keyDir: string, work: (all: Accepted) => Accepted): void {
  fileIn(keyDir).change((all) => ({ configurations: work(all ?? {}) }));
}

const AGAIN = "Then accept your configurations again with `pml trust FILE`.";

function fileIn(keyDir: string): PrivateJson<Accepted> {
  return new PrivateJson(acceptedFile(keyDir), {
    what: "the accepted configurations",
    parse,
    repair: `Remove it. ${AGAIN}`,
    repairRights: (command) => `Run ${command} if only you have written to it; otherwise remove it. ${AGAIN}`,
  });
}

/**
 * Parses by hand: a client that joins a gateway reads this file, and a schema library takes longer to load than that.
 */
function parse(value: unknown): Accepted {
  const all = isJsonObject(value) ? value.configurations : undefined;
  if (!isAccepted(all)) throw new Error("PML did not write this content");
  return all;
}

function isAccepted(value: unknown): value is Accepted {
  return isJsonObject(value) && Object.values(value).every(isState);
}

function isState(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value.config !== "string" || !isJsonObject(value.facts)) return false;
  const { servers, settings, rules } = value.facts;
  return (
    isJsonObject(servers) && isJsonObject(settings) && isJsonObject(rules) && isJsonObject(rules.servers)
  );
}
