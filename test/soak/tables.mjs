/** Tables of what was measured. */

export function quantile(values, q) {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

export function table(head, rows) {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

export const ms = (value) => (Number.isNaN(value) ? "–" : value < 100 ? value.toFixed(1) : value.toFixed(0));

/** Latencies of what was acknowledged, and how the rest ended, by operation in one phase. */
export function latencyTable(requests, phase) {
  const of = requests.filter((request) => request.phase === phase);
  const operations = [...new Set(of.map(({ operation }) => operation))].sort((a, b) => a.localeCompare(b));
  const row = (label, some) => {
    const times = some.filter(({ outcome }) => outcome === "acknowledged").map((one) => one.ms);
    const number = (outcome) => some.filter((one) => one.outcome === outcome).length;
    return [
      label,
      times.length,
      ...[0.5, 0.95, 0.99, 1].map((q) => ms(quantile(times, q))),
      number("refused"),
      number("unknown"),
    ];
  };
  return table(
    [phase, "acknowledged", "p50 ms", "p95 ms", "p99 ms", "max ms", "refused", "unknown"],
    [
      ...operations.map((operation) =>
        row(
          operation,
          of.filter((one) => one.operation === operation),
        ),
      ),
      row("all", of),
    ],
  );
}

/** How often each code or message of an end that was no acknowledgement came. */
export function endings(requests) {
  const times = new Map();
  for (const { outcome, code, phase } of requests)
    if (outcome !== "acknowledged") {
      const key = `${phase} | ${outcome} | ${String(code).replaceAll(/\d+/g, "#").slice(0, 90)}`;
      times.set(key, (times.get(key) ?? 0) + 1);
    }
  return [...times].sort(([, a], [, b]) => b - a).map(([key, n]) => [...key.split(" | "), n]);
}
