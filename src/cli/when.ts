/**
 * Points in time in the form for people: in their own time zone, and how long ago. Scripts get the exact time from
 * `--json`.
 *
 * @module
 */
const UNITS = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
] as const;
const RELATIVE_MOST_MS = 7 * 86_400_000;

/** `3 min ago`, `in 2 h`; the date if it is more than a week. A text that is not a time stays unchanged. */
export function agoText(iso: string, now = Date.now()): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const ms = Math.abs(now - at);
  if (ms > RELATIVE_MOST_MS) return localTime(iso).slice(0, "2026-11-16".length);
  const [size, unit] = UNITS.find(([size]) => ms >= size) ?? [];
  if (size === undefined) return at > now ? "in less than a minute" : "just now";
  const count = `${Math.floor(ms / size)} ${unit}`;
  return at > now ? `in ${count}` : `${count} ago`;
}

/** `2026-11-16 01:02:03`, in the time zone of the person. */
export function localTime(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  const two = (value: number) => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}
