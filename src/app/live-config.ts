/**
 * The configuration of a running gateway: which state of its files is used, and how a new one is applied.
 *
 * Servers, approvals and rules can change while the gateway runs. Everything else needs a restart. A file that is
 * broken, or that no person has accepted yet, changes nothing: the previous state is used until it is repaired or
 * accepted.
 *
 * @module
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { canonicalJson } from "../base/canonical-json.js";
import { isJsonObject } from "../base/json-object.js";
import type { Log } from "../base/log.js";
import { messageOf, PmlError } from "../base/pml-error.js";
import type { ApprovalSettings } from "../execution/prepare/approval-policy.js";
import type { ConfigurationView } from "../gateway/own/servers.js";
import type { ServerName } from "../registry/tool-id.js";
import type { ServerEntry } from "../upstream/server-entry.js";
import { acceptedFile } from "./accepted-configs.js";
import { approvalRules } from "./approval-rules.js";
import { hashOf } from "./config-facts.js";
import { type ConfigFile, readConfigBytes } from "./config-file.js";
import { type Config, loadConfig } from "./config-schema.js";
import { type CommandValues, withExecValues } from "./exec-values.js";
import { permissionsPath, readPermissionsFile } from "./permissions-file.js";
import { secretsGiven } from "./plain-secrets.js";
import { secretsFile } from "./secret-store.js";
import { serverEntries } from "./server-entries.js";
import { RELOADED_KEYS, reloadedSettings, type Settings } from "./settings.js";

/** One state of the configuration. Immutable; another state is another object. */
export interface LiveState {
  readonly settings: Settings;
  readonly config: Config;
  /** The values of secrets in it, including the output of commands, and values that look like secrets. */
  readonly secrets: readonly string[];
  /** Enabled servers, including those with an invalid entry. */
  readonly entries: readonly ServerEntry[];
  readonly rules: ApprovalSettings;
}

export interface ConfigChange {
  readonly now: LiveState;
  /** Servers whose entries have changed; others keep running. */
  readonly changed: ReadonlySet<ServerName>;
}

type Variables = Readonly<Record<string, string>>;

/** How often the files are checked. A change is applied when two checks in a row find the same state. */
const LOOK_MS = 1_000;

/** The output of commands in this process: none is run twice. */
const PRINTED: CommandValues = new Map();

export async function loadState(settings: Settings, log: Log): Promise<LiveState> {
  const env = settings.execEnv ?? process.env;
  const { config: run, secrets } = await withExecValues(settings.config, env, PRINTED);
  const { config, problems } = loadConfig(run);
  const { file } = settings.config;
  for (const { server, code, message } of problems)
    log.warn("server.disabled", { file, server, code, message });
  return {
    settings,
    config,
    secrets: [...new Set([...settings.config.secrets, ...secrets, ...secretsGiven(run.value.mcpServers)])],
    entries: serverEntries(config, settings.config, process.env, problems),
    rules: await approvalRules(settings, config, log),
  };
}

export class LiveConfig {
  readonly #started: Settings;
  readonly #log: Log;
  readonly #onChange: (change: ConfigChange) => Promise<void>;
  readonly #onRead: () => void;
  /** Values that a reload uses first: of the client that started the gateway, then of those that joined. */
  #variables: Variables;
  #now: LiveState;
  #problem: PmlError | undefined;
  #needsRestart: readonly string[] = [];
  #reloading: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** State of the files at the last check, and when they were last read. */
  #looked = "";
  #read = "";

  /** `onRead` is called whenever the files have changed, before the effect of the change is known. */
  constructor(
    first: LiveState,
    log: Log,
    onChange: (change: ConfigChange) => Promise<void>,
    onRead: () => void = () => {},
  ) {
    this.#started = first.settings;
    this.#variables = first.settings.config.variables;
    this.#now = first;
    this.#log = log;
    this.#onChange = onChange;
    this.#onRead = onRead;
  }

  get now(): LiveState {
    return this.#now;
  }

  /** Why the current files are not used. */
  get problem(): PmlError | undefined {
    return this.#problem;
  }

  watch(): void {
    this.#looked = this.#look();
    // The process that started the gateway read them; they may have changed since.
    this.#read = isAsRead(this.#started) ? this.#looked : "";
    this.#timer = setInterval(() => {
      const seen = this.#look();
      if (seen !== this.#read && seen === this.#looked) void this.reload();
      this.#looked = seen;
    }, LOOK_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#reloading;
  }

  /** Reads the files again, and uses them if they are valid and accepted. `given` are variables of a joining client. */
  reload(given: Variables = {}): Promise<void> {
    this.#reloading = this.#reloading.then(() => this.#reload(given));
    return this.#reloading;
  }

  status(): ConfigurationView {
    const servers = this.#now.settings.config.value.mcpServers;
    const { code, message, hint } = this.#problem ?? {};
    return {
      file: this.#started.config.file,
      disabled: Object.entries(isJsonObject(servers) ? servers : {}).flatMap(([name, entry]) =>
        isJsonObject(entry) && entry.disabled === true ? [name] : [],
      ),
      ...(code === undefined || message === undefined
        ? {}
        : { problem: { code, message, ...(hint === undefined ? {} : { hint }) } }),
      needsRestart: this.#needsRestart,
    };
  }

  async #reload(given: Variables): Promise<void> {
    this.#read = this.#look();
    this.#onRead();
    const variables = { ...this.#new({ ...process.env, ...given }), ...this.#variables };
    const before = this.#now;
    try {
      const { settings, written } = reloadedSettings(this.#started, before.settings, variables);
      // Settings that a reload does not apply must be valid too: the next gateway starts with them.
      loadConfig({ ...settings.config, value: written });
      const now = await loadState(settings, this.#log);
      this.#variables = { ...this.#variables, ...settings.config.variables };
      this.#problem = undefined;
      this.#tellRestart(restartKeys(this.#started.config.value, written));
      if (isSameState(before, now)) return;
      this.#now = now;
      const changed = changedServers(before, now);
      this.#log.info("config.reloaded", { file: settings.config.file, changed: [...changed].join(", ") });
      // While servers start, the next state may already be read.
      void this.#onChange({ now, changed }).catch((error: unknown) => {
        this.#log.error("config.not_applied", { message: messageOf(error) });
      });
    } catch (error) {
      const known =
        error instanceof PmlError
          ? error
          : new PmlError("CONFIG_INVALID", messageOf(error), { cause: error });
      if (known.message !== this.#problem?.message)
        this.#log.warn("config.not_reloaded", { code: known.code, message: known.message });
      this.#problem = known;
    }
  }

  /** The variables that may be used: if servers were started with a default, the default stays. */
  #new(given: NodeJS.Dict<string>): NodeJS.Dict<string> {
    const { defaulted } = this.#started.config;
    return Object.fromEntries(Object.entries(given).filter(([name]) => !defaulted.includes(name)));
  }

  #tellRestart(keys: readonly string[]): void {
    if (keys.length > 0 && keys.join() !== this.#needsRestart.join())
      this.#log.warn("config.needs_restart", { keys: keys.join(", "), hint: "Run `pml stop`." });
    this.#needsRestart = keys;
  }

  /** Changes whenever one of the files does. */
  #look(): string {
    const { config, keyDir } = this.#now.settings;
    const files = [config.file, permissionsPath(config), acceptedFile(keyDir), secretsFile(keyDir)];
    return [...files, ...envFilesOf(config)].map(stampOf).join(" ");
  }
}

function stampOf(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? "none" : `${stats.ino}:${stats.size}:${stats.mtimeMs}`;
  } catch {
    return "unknown";
  }
}

function isAsRead({ config, permissions }: Settings): boolean {
  try {
    return (
      hashOf(readConfigBytes(config.file)) === config.hash &&
      readPermissionsFile(config)?.text === permissions?.text
    );
  } catch {
    return false;
  }
}

/** The files with variables of servers. */
function envFilesOf({ value, broken, directory }: ConfigFile): readonly string[] {
  return [value.mcpServers, broken].flatMap((servers) =>
    Object.values(isJsonObject(servers) ? servers : {}).flatMap((entry) =>
      isJsonObject(entry) && typeof entry.envFile === "string" ? resolve(directory, entry.envFile) : [],
    ),
  );
}

function isSameState(one: LiveState, other: LiveState): boolean {
  return partsOf(one) === partsOf(other);
}

/** The parts of a state that a running gateway uses. */
function partsOf({ settings: { config, permissions }, entries }: LiveState): string {
  const keys = RELOADED_KEYS.map((key) => [key, config.value[key] ?? null]);
  return JSON.stringify([keys, entries, permissions]);
}

function changedServers(before: LiveState, now: LiveState): ReadonlySet<ServerName> {
  const was = new Map(before.entries.map((entry) => [entry.name, entryText(before, entry)]));
  return new Set(
    now.entries.filter((entry) => was.get(entry.name) !== entryText(now, entry)).map(({ name }) => name),
  );
}

/** The entry as text, with fields that are used elsewhere, such as `trusted`. */
function entryText({ config }: LiveState, entry: ServerEntry): string {
  return JSON.stringify([entry, canonicalJson(config.mcpServers?.[entry.name] ?? null)]);
}

/** Sections that each client has separately, or that have no effect. */
const OF_CLIENTS: ReadonlySet<string> = new Set(["$schema", "exposure"]);

/** Keys that were changed in the file since the gateway started, and that need a restart. */
function restartKeys(
  started: Readonly<Record<string, unknown>>,
  written: Readonly<Record<string, unknown>>,
): readonly string[] {
  const sections = new Set([...Object.keys(started), ...Object.keys(written)]);
  return [...sections]
    .filter((key) => !OF_CLIENTS.has(key) && !RELOADED_KEYS.some((one) => one === key))
    .flatMap((section) => {
      const [was, is] = [started[section], written[section]];
      if (!isJsonObject(was) || !isJsonObject(is)) return isSame(was, is) ? [] : [section];
      const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
      return [...keys].filter((key) => !isSame(was[key], is[key])).map((key) => `${section}.${key}`);
    })
    .sort();
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}
