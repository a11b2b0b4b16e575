/**
 * The checks of `pml doctor`: whether each part of a gateway works, and how to fix it.
 *
 * @module
 */
import { silentLog } from "../base/log.js";
import { type ErrorShape, messageOf, PmlError } from "../base/pml-error.js";
import { VERSION } from "../base/version.js";
import { reachGateway } from "../daemon/join.js";
import { describeEmbedder } from "../discovery/embedder.js";
import { cleanText } from "../mcp/clean-text.js";
import type { ServerStatus } from "../mcp/real-servers.js";
import type { GatewayStatus } from "./compose.js";
import { loadConfig } from "./config-schema.js";
import { httpProtection } from "./http-door.js";
import { joinRequest } from "./join-gateway.js";
import { startOwnGateway } from "./own-gateway.js";
import { gateSettings, PersonGate } from "./person-gate.js";
import { SecretStore } from "./secret-store.js";
import type { Settings } from "./settings.js";

export interface Finding {
  readonly part: string;
  readonly state: "ok" | "warning" | "problem";
  readonly detail: string;
  /** The remedy. */
  readonly advice?: string;
}

export interface Diagnosis {
  readonly findings: readonly Finding[];
  readonly status?: GatewayStatus;
}

const NODE_LEAST: readonly [number, number] = [20, 19];

/** Checks the running gateway, or starts one for the duration of the check. */
export async function diagnose(read: () => Settings): Promise<Diagnosis> {
  const findings: Finding[] = [node()];
  try {
    const settings = read();
    loadConfig(settings.config);
    findings.push(
      { part: "configuration", state: "ok", detail: settings.config.file },
      dataDirectory(settings),
      decisions(settings),
      httpFinding(settings),
      secrets(),
    );
    const { status, running, refusal } = await look(settings);
    findings.push(
      gateway(settings, status, running, refusal),
      ...reloading(status),
      ...key(status),
      store(status),
      ...sandbox(status),
      ...discovery(status),
      ...curation(status),
      ...status.servers.map(server),
      ...exposed(status),
      ...changed(status),
      ...trustedKeys(status),
      ...gaveWay(status),
    );
    return { findings, status };
  } catch (error) {
    findings.push(problem(error));
    return { findings };
  }
}

interface Look {
  readonly status: GatewayStatus;
  readonly running: boolean;
  /** Why a client with these settings cannot join. */
  readonly refusal?: ErrorShape | undefined;
}

async function look(settings: Settings): Promise<Look> {
  const request = { op: "status", version: VERSION, join: joinRequest(settings) } as const;
  const reached = await reachGateway(settings.dataDir, request);
  if (reached !== undefined) {
    reached.socket.destroy();
    const { status, refusal } = reached.reply;
    return { status: status as GatewayStatus, running: true, refusal };
  }
  const own = await startOwnGateway(settings, "doctor", silentLog);
  try {
    return { status: await own.status(), running: false };
  } finally {
    await own.stop();
  }
}

function node(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [leastMajor, leastMinor] = NODE_LEAST;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor))
    return { part: "node", state: "ok", detail: process.version };
  return {
    part: "node",
    state: "problem",
    detail: process.version,
    advice: `Install Node ${leastMajor}.${leastMinor} or newer`,
  };
}

function gateway(
  settings: Settings,
  status: GatewayStatus,
  running: boolean,
  refusal: ErrorShape | undefined,
): Finding {
  if (!running)
    return {
      part: "gateway",
      state: "ok",
      detail: `not running on ${settings.dataDir}; started one for this check`,
    };
  const detail = `process ${status.pid}, PML ${status.version}, up ${upText(status.uptimeSeconds)}, ${status.memoryMb} MB`;
  const advice = "Run `pml stop`; the next `pml serve` starts a new gateway";
  if (status.version !== VERSION)
    return { part: "gateway", state: "warning", detail: `${detail}; this is PML ${VERSION}`, advice };
  if (refusal !== undefined)
    return {
      part: "gateway",
      state: "warning",
      detail: `${detail}; running with different settings: ${refusal.message}`,
      advice,
    };
  return { part: "gateway", state: "ok", detail };
}

const upText = (seconds: number) => (seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`);

/** Changes of files that the running gateway has not applied. */
function reloading({ configuration }: GatewayStatus): readonly Finding[] {
  const part = "configuration";
  const { problem: why, needsRestart: keys = [] } = configuration ?? {};
  return [
    ...(why === undefined
      ? []
      : [
          {
            part,
            state: "warning" as const,
            detail: `it has changed, and the gateway still uses the old version: ${why.message} [${why.code}]`,
            ...(why.hint === undefined ? {} : { advice: why.hint }),
          },
        ]),
    ...(keys.length === 0
      ? []
      : [
          {
            part,
            state: "warning" as const,
            detail: `changed keys that need a restart: ${keys.join(", ")}`,
            advice: "Run `pml stop`; connected clients go on with the next gateway",
          },
        ]),
  ];
}

function dataDirectory({ dataDir, earlierData }: Settings): Finding {
  const part = "data directory";
  if (earlierData === undefined) return { part, state: "ok", detail: dataDir };
  return {
    part,
    state: "warning",
    detail: `${dataDir}; data of an earlier PML in ${earlierData} is not used`,
    advice: "`pml adopt` takes it over",
  };
}

function httpFinding(settings: Settings): Finding {
  return { part: "http", state: "ok", detail: httpProtection(settings) };
}

/** How a person can approve, trust and accept. */
function decisions(settings: Settings): Finding {
  const part = "decisions";
  try {
    return { part, state: "ok", detail: new PersonGate(gateSettings(settings)).describe() };
  } catch (error) {
    const advice = error instanceof PmlError ? error.hint : undefined;
    return { part, state: "problem", detail: messageOf(error), ...(advice === undefined ? {} : { advice }) };
  }
}

function key({ key: status }: GatewayStatus): readonly Finding[] {
  // Absent in a gateway of an earlier version.
  if (status === undefined) return [];
  return [{ part: "key", state: "ok", detail: `${status.fingerprint}, key directory ${status.directory}` }];
}

function store({ store: { kind, state, problem: why } }: GatewayStatus): Finding {
  if (state === "open")
    return { part: "store", state: "ok", detail: kind === "pglite" ? "embedded (PGlite)" : "PostgreSQL" };
  return {
    part: "store",
    state: "problem",
    detail: why ?? state,
    advice:
      kind === "pglite"
        ? "Check that the data directory is writable and has room"
        : "Check store.url, and that the server is running and accepts this user",
  };
}

function discovery({ embedder }: GatewayStatus): readonly Finding[] {
  return embedder === undefined ? [] : [{ part: "discovery", ...describeEmbedder(embedder) }];
}

function curation({ curation: status }: GatewayStatus): readonly Finding[] {
  // Absent in a gateway of an earlier version.
  if (status === undefined) return [];
  const { unnamed, mode, model } = status;
  const how = mode === "off" ? "does not start automatically" : `starts automatically (${mode})`;
  const with_ = model === undefined ? "" : `, with ${model}`;
  const detail = `${unnamed === 0 ? "no capability waits" : unnamed === 1 ? "1 capability waits" : `${unnamed} capabilities wait`} for a name; curation ${how}${with_}`;
  return [
    {
      part: "curation",
      state: "ok",
      detail,
      ...(unnamed === 0 ? {} : { advice: "`pml cap curate` suggests names" }),
    },
  ];
}

/** The engine that runs code, and which of its defences are active on this system. */
function sandbox({ sandbox: status }: GatewayStatus): readonly Finding[] {
  // Absent in a gateway of an earlier version.
  if (status === undefined) return [];
  const { engine, version, state, problem: why, defences } = status;
  if (state === "failed")
    return [
      {
        part: "sandbox",
        state: "problem",
        detail: `${engine}: ${why ?? "it does not start"}`,
        advice: "Run `npm ci` or reinstall PML; sandbox.engine selects another engine",
      },
    ];
  const missing = defences.filter(({ active }) => !active);
  const on = defences.length - missing.length;
  const detail = `${engine} ${version}; ${on} of ${defences.length} defences on`;
  if (missing.length === 0) return [{ part: "sandbox", state: "ok", detail }];
  const off = missing.map(({ name, detail: reason }) =>
    reason === undefined ? name : `${name} (${reason})`,
  );
  return [
    {
      part: "sandbox",
      state: "warning",
      detail: `${detail}; off: ${off.join(", ")}`,
      advice: "Code runs with weaker isolation",
    },
  ];
}

function secrets(): Finding {
  const part = "secrets";
  const store = new SecretStore(process.env);
  try {
    const { from, name } = store.keySource;
    const count = store.list().length;
    const key = { keyring: name, variable: `the variable ${name}`, file: `the file ${name}` }[from];
    const note =
      from === "file" ? ". It lies beside the secrets: a user who reads both files can decrypt them" : "";
    return { part, state: "ok", detail: `${count} kept; master key from ${key}${note}` };
  } catch (error) {
    return { part, state: "problem", detail: messageOf(error) };
  }
}

function server(status: ServerStatus): Finding {
  const part = `server ${status.name}`;
  if (status.state === "sign_in_required")
    return {
      part,
      state: "warning",
      detail: `sign-in required: ${shown(status.problem ?? "")}; its tools stay listed`,
      advice: status.hint ?? `Run \`pml login ${status.name}\``,
    };
  if (status.problemCode !== undefined && status.state !== "ready")
    return {
      part,
      state: "problem",
      detail: `not started: ${shown(status.problem ?? "")} [${status.problemCode}]`,
      advice: status.hint ?? `Correct mcpServers.${status.name}; the gateway reloads it automatically`,
    };
  if (status.state !== "ready") {
    const last = status.stderr.at(-1);
    return {
      part,
      state: "problem",
      detail: `${status.state}: ${shown(status.problem ?? "not connected yet")}${last === undefined ? "" : ` (last output: ${shown(last)})`}`,
      advice:
        status.transport === "stdio"
          ? `\`pml logs ${status.name}\` shows its output. Run its command by hand; check mcpServers.${status.name}`
          : `Check mcpServers.${status.name}.url and headers`,
    };
  }
  const detail = `${status.tools === 1 ? "1 tool" : `${status.tools} tools`}, ${status.transport}, protocol ${shown(status.protocolVersion ?? "unknown")}`;
  const [refused] = status.refused;
  if (status.problemCode !== undefined)
    return {
      part,
      state: "warning",
      detail: `${detail}; ${shown(status.problem ?? "")}`,
      ...(status.hint === undefined ? {} : { advice: status.hint }),
    };
  if (refused === undefined) return { part, state: "ok", detail: `${detail}${signedIn(status)}` };
  return {
    part,
    state: "warning",
    detail: `${detail}; ${status.refused.length} rejected, the first: ${shown(refused)}`,
    advice: "`pml doctor --json` lists all reasons; report them to the server's author",
  };
}

function signedIn({ signIn }: ServerStatus): string {
  return signIn === undefined ? "" : `, signed in at ${shown(signIn.issuer)}`;
}

function exposed({ exposed: found = [] }: GatewayStatus): readonly Finding[] {
  return found.map(({ server: name, root, file }) => ({
    part: `server ${name}`,
    state: "warning" as const,
    detail: `it can access ${shown(root)}, which contains PML's own files: ${shown(file)}`,
    advice:
      "Give it another directory. Calls that name those files need approval, as far as PML can detect them",
  }));
}

function changed({ changedTools }: GatewayStatus): readonly Finding[] {
  return changedTools.map((id) => ({
    part: `tool ${shown(id)}`,
    state: "warning" as const,
    detail: "quarantined: it has changed since it was first seen",
    advice: `\`pml tools changed\` shows the change; \`pml tools accept ${shown(id)}\` accepts it`,
  }));
}

function trustedKeys({ trustedKeys: status }: GatewayStatus): readonly Finding[] {
  // Absent in a gateway of an earlier version.
  if (status === undefined) return [];
  const { trusted, ignored, problem: why } = status;
  const part = "trusted keys";
  if (why !== undefined)
    return [
      {
        part,
        state: "problem",
        detail: why,
        advice: "Until this is fixed, only capabilities signed by this installation run",
      },
    ];
  if (ignored.length > 0)
    return [
      {
        part,
        state: "warning",
        detail: `${ignored.length} in the store ignored, because this installation did not sign them: ${ignored.join(", ")}`,
        advice: "`pml key trust KEY` trusts one of them again, `pml key untrust KEY` removes it",
      },
    ];
  return trusted === 0 ? [] : [{ part, state: "ok", detail: `${trusted} of other installations` }];
}

function gaveWay({ gaveWay: given = [] }: GatewayStatus): readonly Finding[] {
  return given.map(({ capability, oldName, tool }) => ({
    part: `capability ${shown(capability)}`,
    state: "warning" as const,
    detail: `its former name ${shown(oldName)} now belongs to the tool ${shown(tool)}; saved code still calls the capability`,
    advice: `\`pml cap rename ${shown(capability)} NAME\` gives it a name of your choice`,
  }));
}

/** A server's text, in one line and without control sequences for the terminal. */
function shown(text: string): string {
  return cleanText(text).replace(/\s+/g, " ");
}

function problem(error: unknown): Finding {
  const known = error instanceof PmlError ? error : undefined;
  const part =
    known?.code === "DATA_FOREIGN"
      ? "data directory"
      : known?.code.startsWith("CONFIG") === true
        ? "configuration"
        : "gateway";
  return {
    part,
    state: "problem",
    detail: `${messageOf(error)}${known === undefined ? "" : ` [${known.code}]`}`,
    ...(known?.hint === undefined ? {} : { advice: known.hint }),
  };
}
