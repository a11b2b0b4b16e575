/** A time as "how long ago", with the exact time as a tooltip. */
import { signal } from "@preact/signals";
import { ago, exact } from "./when.js";

const TICK_MS = 15_000;
const now = signal(Date.now());
globalThis.setInterval?.(() => {
  now.value = Date.now();
}, TICK_MS);

export function Time({ at }: { readonly at: string | undefined }) {
  if (at === undefined) return <span class="muted">never</span>;
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={exact(time)}>
      {ago(time, Math.max(now.value, Date.now()))}
    </time>
  );
}
