/**
 * The messages between the gateway and the broker of guest processes, one line each. If guests have a wire to the
 * gateway, their lines do not pass here; otherwise they are passed on unchanged, after the number of their run, and the
 * broker never parses them.
 *
 * @module
 */

/** The configuration of a broker; its one argument, as JSON. */
export interface BrokerConfig {
  readonly engine: "deno" | "quickjs";
  /** The engine's version, for people. */
  readonly version: string;
  /** The program that runs the guest's file: Deno, or Node for the other engine. */
  readonly binary: string;
  /** The file that a guest runs. */
  readonly guest: string;
  readonly poolSize: number;
  /** Waiting processes end when nothing has run for this long. */
  readonly idleMs: number;
  readonly memoryMb: number;
  /** Runs with a longer time limit get a separate process, with more processor time. */
  readonly timeMs: number;
  /** Names of the defences that a test has disabled. */
  readonly off: readonly string[];
  /** The socket for guests' wires to the gateway; without it their lines go through the broker. */
  readonly wire?: string;
}

/** Whether a guest whose run has ended normally is used again. */
export function isUsedAgain({ engine }: Pick<BrokerConfig, "engine">): boolean {
  return engine === "quickjs";
}

/** The variable with the broker's token for {@link BrokerConfig.wire}. */
export const WIRE_TOKEN = "PML_WIRE_TOKEN";

/** The first line on a guest's wire, which the broker writes for the guest. */
export function wireGreeting(guest: number, token: string): string {
  return `guest ${guest} ${token}`;
}

export interface StartOrder {
  readonly run: number;
  readonly memoryMb: number;
  readonly timeMs: number;
  /** The waiting guest that already has the run, on its wire; the broker refuses if the guest has ended. */
  readonly guest?: number | undefined;
}

/** Why a guest has ended. */
export type GuestEnd =
  | { readonly kind: "killed" }
  | { readonly kind: "time" }
  | { readonly kind: "memory" }
  /** It sent a line that is too long. */
  | { readonly kind: "line" }
  /** It does not read its input. */
  | { readonly kind: "backlog" }
  | {
      readonly kind: "exit";
      readonly code: number | null;
      readonly signal: string | null;
      /** The end of its stderr. */
      readonly stderr: string;
    }
  /** Its process could not be started. */
  | { readonly kind: "unstartable"; readonly message: string };

export interface BrokerDefence {
  readonly name: string;
  readonly active: boolean;
  readonly detail?: string;
}

export interface BrokerStatus {
  readonly version: string;
  readonly ready: number;
  readonly running: number;
  readonly defences: readonly BrokerDefence[];
  /** Why no guest can be started. */
  readonly problem?: string;
}

export type BrokerOrder =
  | { readonly kind: "start"; readonly order: StartOrder; readonly text: Buffer }
  | { readonly kind: "line"; readonly run: number; readonly text: Buffer }
  /** `end` is the outcome that the run reports; the gateway itself decided to end the run. */
  | { readonly kind: "kill"; readonly run: number; readonly end: GuestEnd }
  /** The run has ended normally: its guest may be used again, if the engine supports it. */
  | { readonly kind: "release"; readonly run: number }
  /** A guest has reported on its wire that it waits for a run. */
  | { readonly kind: "ready"; readonly guest: number }
  | { readonly kind: "status"; readonly id: number };

export type BrokerReport =
  /** The guest waits for any run of the usual size; the gateway may give it one without asking. */
  | { readonly kind: "waiting"; readonly guest: number }
  /** The guest has its run, or will get it on its wire; from here on a restart would run it twice. */
  | { readonly kind: "started"; readonly run: number; readonly guest: number }
  /** The guest that was given the run no longer waits. */
  | { readonly kind: "refused"; readonly run: number }
  | { readonly kind: "line"; readonly run: number; readonly text: Buffer }
  | { readonly kind: "end"; readonly run: number; readonly end: GuestEnd }
  | { readonly kind: "status"; readonly id: number; readonly status: BrokerStatus };

const TAB = 0x09;
const NEWLINE = Buffer.from("\n");

/** The bytes of an order or report, including the line end. */
export function writeBrokerLine(message: BrokerOrder | BrokerReport): Buffer {
  switch (message.kind) {
    case "start":
      return joined(`start\t${JSON.stringify(message.order)}\t`, message.text);
    case "line":
      return joined(`line\t${message.run}\t`, message.text);
    case "release":
    case "refused":
      return Buffer.from(`${message.kind}\t${message.run}\t\n`);
    case "ready":
    case "waiting":
      return Buffer.from(`${message.kind}\t${message.guest}\t\n`);
    case "started":
      return Buffer.from(`started\t${message.run}\t${message.guest}\n`);
    case "kill":
    case "end":
      return Buffer.from(`${message.kind}\t${message.run}\t${JSON.stringify(message.end)}\n`);
    case "status":
      return Buffer.from(
        `status\t${message.id}\t${"status" in message ? JSON.stringify(message.status) : ""}\n`,
      );
  }
}

function joined(head: string, text: Buffer): Buffer {
  return Buffer.concat([Buffer.from(head), text, NEWLINE]);
}

/** Parses a line of {@link writeBrokerLine}, without its end; throws on any other line. */
export function readBrokerOrder(line: Buffer): BrokerOrder {
  const { kind, head, text } = parts(line);
  switch (kind) {
    case "start":
      return { kind, order: JSON.parse(head) as StartOrder, text };
    case "line":
      return { kind, run: Number(head), text };
    case "kill":
      return { kind, run: Number(head), end: JSON.parse(text.toString()) as GuestEnd };
    case "release":
      return { kind, run: Number(head) };
    case "ready":
      return { kind, guest: Number(head) };
    case "status":
      return { kind, id: Number(head) };
    default:
      throw new TypeError("Not an order for the broker");
  }
}

/** Like {@link readBrokerOrder}, for reports. */
export function readBrokerReport(line: Buffer): BrokerReport {
  const { kind, head, text } = parts(line);
  switch (kind) {
    case "line":
      return { kind, run: Number(head), text };
    case "waiting":
      return { kind, guest: Number(head) };
    case "refused":
      return { kind, run: Number(head) };
    case "started":
      return { kind, run: Number(head), guest: Number(text.toString()) };
    case "end":
      return { kind, run: Number(head), end: JSON.parse(text.toString()) as GuestEnd };
    case "status":
      return { kind, id: Number(head), status: JSON.parse(text.toString()) as BrokerStatus };
    default:
      throw new TypeError("Not a report of the broker");
  }
}

function parts(line: Buffer): { readonly kind: string; readonly head: string; readonly text: Buffer } {
  const headAt = line.indexOf(TAB) + 1;
  const textAt = line.indexOf(TAB, headAt) + 1;
  if (headAt === 0 || textAt === 0) throw new TypeError("Not a line of the broker");
  return {
    kind: line.toString("latin1", 0, headAt - 1),
    head: line.toString("utf8", headAt, textAt - 1),
    text: line.subarray(textAt),
  };
}
