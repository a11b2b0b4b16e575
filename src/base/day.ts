export const DAY_MS = 86_400_000;

/** A day in the form for people and agents: `2026-11-16`, UTC. */
export function dayOf(date: Date | null | undefined): string {
  return date?.toISOString().slice(0, 10) ?? "";
}
