/**
 * Log lines in the form for people.
 *
 * @module
 */
import type { LogLine } from "../app/read-logs.js";
import { type Colour, type Paint, plainPaint } from "./colour.js";
import { visible } from "./output.js";
import { localTime } from "./when.js";

const LEVEL_COLOUR: Readonly<Record<string, Colour>> = { warn: "yellow", error: "red", debug: "dim" };
const LEVEL_CHARS = 5;

/** `2026-11-16 01:02:03 warn  server.unavailable server=git problem="it exited"`; `… git: the text that it wrote` */
export function logText({ raw, fields }: LogLine, paint: Paint = plainPaint): string {
  const { time, level, event, server, line, ...rest } = fields;
  if (typeof time !== "string") return visible(raw);
  const when = paint("dim", visible(localTime(time)));
  if (typeof line === "string")
    return `${when} ${"".padEnd(LEVEL_CHARS)} ${paint("cyan", `${visible(String(server))}:`)} ${visible(line)}`;
  const colour = LEVEL_COLOUR[String(level)];
  const mark = visible(String(level ?? "")).padEnd(LEVEL_CHARS);
  const shown = Object.entries({ ...(server === undefined ? {} : { server }), ...rest }).map(
    ([key, value]) => `${visible(key)}=${valueText(value)}`,
  );
  return [
    when,
    colour === undefined ? mark : paint(colour, mark),
    visible(String(event ?? "")),
    ...shown,
  ].join(" ");
}

function valueText(value: unknown): string {
  const isPlain = typeof value === "string" && /^[^\s"=]+$/.test(value);
  return visible(isPlain ? value : (JSON.stringify(value) ?? ""));
}
