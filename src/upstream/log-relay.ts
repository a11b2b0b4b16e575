/**
 * Passes log messages of one server on to clients: with the server's name, cleaned, and limited in size and rate.
 *
 * @module
 */
import { keepNewest } from "../base/keep-newest.js";
import { LIMITS } from "../base/limits.js";
import { RateLimit } from "../base/rate-limit.js";
import { cleanAll, cleanText } from "../mcp/clean-text.js";
import type { LogMessage } from "../mcp/real-servers.js";
import type { ServerName } from "../registry/tool-id.js";

type Pass = (message: LogMessage) => void;

interface Lane {
  readonly limit: RateLimit;
  dropped: number;
  pass: Pass;
  timer: NodeJS.Timeout | undefined;
}

const LANES_KEPT = 1_000;
const LOGGER_CHARS = 100;
/** How long until a client learns that messages were dropped, if no other message comes. */
const NOTICE_MS = 1_000;

export class LogRelay {
  readonly #server: ServerName;
  readonly #lanes = new Map<string, Lane>();

  constructor(server: ServerName) {
    this.#server = server;
  }

  /** Gives the message to `pass`, unless `client` has had too many in the last second. */
  relay(client: string, message: LogMessage, pass: Pass): void {
    const lane = this.#laneOf(client, pass);
    lane.pass = pass;
    if (!lane.limit.take()) {
      lane.dropped += 1;
      lane.timer ??= setTimeout(() => this.#tell(lane), NOTICE_MS).unref();
      return;
    }
    if (lane.dropped > 0) this.#tell(lane);
    pass(this.#shown(message));
  }

  #laneOf(client: string, pass: Pass): Lane {
    const lane = this.#lanes.get(client) ?? {
      limit: new RateLimit(LIMITS.logLinesPerSecond),
      dropped: 0,
      pass,
      timer: undefined,
    };
    keepNewest(this.#lanes, client, lane, LANES_KEPT);
    return lane;
  }

  #tell(lane: Lane): void {
    clearTimeout(lane.timer);
    lane.timer = undefined;
    const { dropped } = lane;
    lane.dropped = 0;
    const data = `${dropped} log messages of server "${this.#server}" were dropped: more than ${LIMITS.logLinesPerSecond} a second, the limit of logLinesPerSecond`;
    lane.pass({ level: "warning", logger: "pml", data });
  }

  #shown({ level, logger, data }: LogMessage): LogMessage {
    const part = typeof logger === "string" ? cleanText(logger).slice(0, LOGGER_CHARS) : "";
    return { level, logger: part === "" ? this.#server : `${this.#server}/${part}`, data: bounded(data) };
  }
}

function bounded(data: unknown): unknown {
  const text = logText(data);
  if (text.length <= LIMITS.logDataChars) return cleanAll(data);
  const more = text.length - LIMITS.logDataChars;
  return `${cleanText(text.slice(0, LIMITS.logDataChars))}… (${more} more characters)`;
}

function logText(data: unknown): string {
  if (typeof data === "string") return data;
  try {
    return JSON.stringify(data) ?? "";
  } catch {
    // Nested too deep to be written.
    return "(a log message that cannot be shown)".padEnd(LIMITS.logDataChars + 1);
  }
}
