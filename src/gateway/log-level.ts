import type { LogMessage } from "../mcp/real-servers.js";

type Level = LogMessage["level"];

const LEVELS: readonly Level[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** The more talkative of two levels; an unknown one counts for nothing. */
export function moreTalkative(a: Level | undefined, b: Level | undefined): Level | undefined {
  const places = [a, b]
    .map((level) => (level === undefined ? -1 : LEVELS.indexOf(level)))
    .filter((place) => place >= 0);
  return places.length === 0 ? undefined : LEVELS[Math.min(...places)];
}
