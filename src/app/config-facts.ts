/**
 * The parts of a configuration and its rules that decide how much is allowed, in a form that can be stored and
 * compared.
 *
 * The facts are those of the text as written: variables are not replaced. Values that may be secret are stored as
 * hashes.
 *
 * @module
 */
import { resolve } from "node:path";
import { canonicalJson, type Json } from "../base/canonical-json.js";
import { defined } from "../base/defined.js";
import { isJsonObject } from "../base/json-object.js";
import { sha256 } from "../base/sha256.js";
import type { ApprovalMode, Permissions } from "../execution/prepare/approval-policy.js";
import type { ConfigFile } from "./config-file.js";
import { PERMISSIONS_NAME } from "./permissions-file.js";

export interface ConfigFacts extends WrittenFacts {
  readonly rules: RuleFacts;
}

/** The facts of the configuration alone, without its rules. */
export interface WrittenFacts {
  readonly servers: Readonly<Record<string, ServerFacts>>;
  /** By key of the configuration, such as `approvals.scripted`. Unset keys are absent. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
}

export interface ServerFacts {
  /** Hashes, by key of the server. */
  readonly keys: Readonly<Record<string, string>>;
  readonly isDisabled: boolean;
}

export interface RuleFacts {
  readonly defaults?: ApprovalMode;
  readonly servers: Readonly<Record<string, ServerRuleFacts>>;
}

interface ServerRuleFacts {
  readonly approvalMode?: ApprovalMode;
  readonly trusted?: boolean;
  readonly tools: Readonly<Record<string, ApprovalMode>>;
}

/** The fields that start or reach a server, and whether its annotations are trusted. */
const SERVER_KEYS = [
  "type",
  "command",
  "args",
  "env",
  "envFile",
  "cwd",
  "url",
  "headers",
  "auth",
  "trusted",
] as const;
/** The content of the file in `envFile`, if it can be read. */
export const ENV_FILE_CONTENT = "envFileContent";
const DEFAULTS: Readonly<Record<string, unknown>> = { trusted: true, args: [], env: {}, headers: {} };
/** Sections whose keys are compared individually. */
const SECTIONS = ["approvals", "http", "scope"] as const;
/** Keys whose values are not secret. */
const OPEN_KEYS: ReadonlySet<string> = new Set([
  "approvals.unannotated",
  "approvals.direct",
  "approvals.expiresSeconds",
  "approvals.scripted",
  "approvals.pin",
  "http.host",
  "http.port",
  "http.requestsPerSecond",
  "scope.org",
  "scope.project",
  "scope.user",
]);

/** @param written the JSON of the configuration, with unresolved variables */
export function writtenFacts(
  written: Readonly<Record<string, unknown>>,
  { directory, envFiles }: Pick<ConfigFile, "directory" | "envFiles">,
): WrittenFacts {
  const {
    mcpServers,
    discovery,
    curation,
    store,
    telemetry,
    permissions: named = PERMISSIONS_NAME,
  } = written;
  const settings = new Map<string, string | number | boolean>();
  for (const section of SECTIONS) {
    const value = written[section];
    if (isJsonObject(value))
      for (const [key, item] of Object.entries(value)) add(settings, `${section}.${key}`, item);
    else add(settings, section, value);
  }
  settings.set("permissions", typeof named === "string" ? resolve(directory, named) : hashOf(named));
  add(settings, "store", store);
  add(settings, "discovery.embedder", isJsonObject(discovery) ? discovery.embedder : discovery);
  add(settings, "curation.model", isJsonObject(curation) ? curation.model : curation);
  add(settings, "telemetry", telemetry);
  return {
    servers: isJsonObject(mcpServers)
      ? Object.fromEntries(
          Object.entries(mcpServers).map(([name, server]) => [
            name,
            serverFacts(server, Object.hasOwn(envFiles, name) ? envFiles[name] : undefined),
          ]),
        )
      : {},
    settings: Object.fromEntries(settings),
  };
}

/** SHA-256 of a value, or of raw bytes. */
export function hashOf(value: unknown): string {
  return sha256(Buffer.isBuffer(value) ? value : canonicalJson(value));
}

/** Values that send nothing out of the machine are stored literally, so that a change to them is recognised. */
const STAYING_HERE: readonly unknown[] = ["none", "bundled"];

function add(settings: Map<string, string | number | boolean>, key: string, value: unknown): void {
  if (value === undefined) return;
  const isOpen = OPEN_KEYS.has(key) || STAYING_HERE.includes(value);
  const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
  settings.set(key, isOpen && isPlain ? value : hashOf(value));
}

/** @param variables the hash of its file with variables, which are part of its environment */
function serverFacts(server: unknown, variables: string | undefined): ServerFacts {
  if (!isJsonObject(server)) return { keys: { command: hashOf(server) }, isDisabled: false };
  const keys = SERVER_KEYS.flatMap((key): readonly [string, string][] => {
    const value = server[key] ?? DEFAULTS[key];
    return value === undefined ? [] : [[key, hashOf(value as Json)]];
  });
  return {
    keys: {
      ...Object.fromEntries(keys),
      ...(variables === undefined ? {} : { [ENV_FILE_CONTENT]: variables }),
    },
    isDisabled: server.disabled === true,
  };
}

export function ruleFacts({ defaults, servers }: Permissions): RuleFacts {
  return {
    ...defined({ defaults: defaults.approvalMode }),
    servers: Object.fromEntries(
      Array.from(servers, ([name, { approvalMode, trusted, tools }]) => [
        name,
        {
          ...defined({ approvalMode, trusted }),
          tools: Object.fromEntries(
            Array.from(tools).flatMap(([tool, { approvalMode: mode }]) =>
              mode === undefined ? [] : [[tool, mode]],
            ),
          ),
        },
      ]),
    ),
  };
}

/** The rules in the form of the approval policy. */
export function permissionsOf({ defaults, servers }: RuleFacts): Permissions {
  return {
    defaults: defaults === undefined ? {} : { approvalMode: defaults },
    servers: new Map(
      Object.entries(servers).map(([name, { tools, ...entry }]) => [
        name,
        {
          ...entry,
          tools: new Map(Object.entries(tools).map(([tool, approvalMode]) => [tool, { approvalMode }])),
        },
      ]),
    ),
  };
}
