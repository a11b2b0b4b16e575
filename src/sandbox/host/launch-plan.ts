/**
 * The command line that starts a guest, with every available defence of the system, and the list of them for people.
 *
 * @module
 */
import type { BrokerConfig, BrokerDefence } from "../protocol/broker-frames.js";
import { quickjsLaunch } from "../quickjs/quickjs-launch.js";
import { denoLaunch } from "./deno-launch.js";
import type { EngineLaunch, GuestSize } from "./engine-launch.js";
import type { SystemDefences } from "./system-defences.js";

export interface LaunchPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

const ENGINES = { deno: denoLaunch, quickjs: quickjsLaunch };
/** A guest's memory beyond its heap: buffers of the longest lines, compiled code, thread stacks. */
const DATA_SLACK_MB = 96;
/** Helper threads of the engine count too. */
const CPU_SHARE = 2;

/** `idleDataKb` is the data size of an idle guest; without it that limit is omitted. */
export function planLaunch(
  config: BrokerConfig,
  system: SystemDefences,
  size: GuestSize,
  idleDataKb: number | undefined,
): LaunchPlan {
  const isOn = (defence: string): boolean => !config.off.includes(defence);
  const engine = ENGINES[config.engine](config, size);
  const line = [
    ...(isOn("no-network-namespace") ? system.noNetwork : []),
    ...system.tied,
    ...limited(config, system, size, idleDataKb, engine.line),
  ];
  return {
    command: line[0] ?? config.binary,
    args: line.slice(1),
    env: environment(config, engine),
    cwd: "/",
  };
}

function limited(
  config: BrokerConfig,
  { shell, limitsData }: SystemDefences,
  { memoryMb, timeMs }: GuestSize,
  idleDataKb: number | undefined,
  guest: readonly string[],
): readonly string[] {
  if (shell === undefined) return guest;
  const limits = ["ulimit -c 0"];
  if (!config.off.includes("cpu-limit")) limits.push(`ulimit -t ${cpuSeconds(timeMs)}`);
  if (!config.off.includes("data-limit") && limitsData && idleDataKb !== undefined)
    limits.push(`ulimit -d ${idleDataKb + (memoryMb + DATA_SLACK_MB) * 1024}`);
  // One call for each limit: given two, some shells set neither, without an error.
  return [shell, "-c", `${limits.join(" && ")} && exec "$@"`, shell, ...guest];
}

function cpuSeconds(timeMs: number): number {
  return Math.ceil((timeMs * CPU_SHARE) / 1000) + 1;
}

function environment({ off }: BrokerConfig, { env }: EngineLaunch): Readonly<Record<string, string>> {
  const inherited = off.includes("empty-environment") ? (process.env as Record<string, string>) : {};
  return { ...inherited, ...env };
}

/** The defences of a process, with the texts of `pml doctor`. */
export function listDefences(config: BrokerConfig, system: SystemDefences): readonly BrokerDefence[] {
  const { off, memoryMb, timeMs } = config;
  const defence = (name: string, isThere: boolean, detail: string, absent: string): BrokerDefence => {
    if (off.includes(name)) return { name, active: false, detail: "switched off" };
    return isThere ? { name, active: true, detail } : { name, active: false, detail: absent };
  };
  const hasShell = system.shell !== undefined;
  const platform = `not on ${process.platform}`;
  return [
    ...ENGINES[config.engine](config, config).defences.map(({ name, isThere, detail }) =>
      defence(name, isThere, detail, detail),
    ),
    defence("empty-environment", true, "", ""),
    defence(
      "data-limit",
      // No run starts before the size of an idle guest is measured, so the limit applies from the first run on.
      hasShell && system.limitsData,
      `${memoryMb + DATA_SLACK_MB} MB more than an idle guest`,
      `${platform}; the resident size is monitored instead, if it can be read`,
    ),
    defence("cpu-limit", hasShell, `${cpuSeconds(timeMs)} s`, platform),
    defence(
      "no-network-namespace",
      system.noNetwork.length > 0,
      system.noNetwork.join(" "),
      "unshare is missing, or user namespaces are not allowed here",
    ),
    defence("ends-with-broker", system.tied.length > 0, "setpriv --pdeathsig", "setpriv is missing"),
  ];
}
