/** Times and amounts in readable form. */

const STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const NOW_SECONDS = 45;

export function ago(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1_000);
  if (Math.abs(seconds) < NOW_SECONDS) return seconds > 5 ? "in a moment" : "just now";
  for (const [unit, size] of STEPS)
    if (Math.abs(seconds) >= size * 0.75) return RELATIVE.format(Math.round(seconds / size), unit);
  return RELATIVE.format(Math.round(seconds / 60), "minute");
}

export function exact(at: number): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "full", timeStyle: "long" });
}

export function took(ms: number): string {
  if (ms < 1) return "<1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const minutes = ms / 60_000;
  return minutes < 60 ? `${minutes.toFixed(minutes < 10 ? 1 : 0)} min` : `${(minutes / 60).toFixed(1)} h`;
}

const COMPACT = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

/** `12,345` becomes `12.3K`; small numbers stay as they are. */
export function amount(value: number): string {
  return Math.abs(value) < 10_000 ? value.toLocaleString("en") : COMPACT.format(value);
}

export function counted(value: number, one: string, many = `${one}s`): string {
  return `${amount(value)} ${value === 1 ? one : many}`;
}

const DAYS_MOST = 30;
const DAYS_LEAST = 7;
const DAY_MS = 86_400_000;

/** The savings of one day. */
export interface Day {
  readonly day: string;
  readonly tokens: number;
  readonly runs: number;
}

/** The last days, including days without savings; starts with the first saving, but shows at least a week. */
export function lastDays(days: readonly Day[], today: Date): readonly Day[] {
  const known = new Map(days.map((one) => [one.day, one]));
  const shown = Array.from({ length: DAYS_MOST }, (_, at) => {
    const day = new Date(today.getTime() - (DAYS_MOST - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    return known.get(day) ?? { day, tokens: 0, runs: 0 };
  });
  const first = shown.findIndex(({ day }) => known.has(day));
  return shown.slice(first < 0 ? -DAYS_LEAST : Math.min(first, DAYS_MOST - DAYS_LEAST));
}
