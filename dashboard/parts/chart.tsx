/** Saved tokens per day, as bars. A table has the same numbers for screen readers. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { theme } from "../theme.js";
import { amount, type Day, lastDays } from "./when.js";

const BARS = uPlot.paths.bars?.({ size: [0.62, 22], radius: 0.25 });
const HEIGHT = 170;

export function SavedChart({ days }: { readonly days: readonly Day[] }) {
  const box = useRef<HTMLDivElement>(null);
  const shown = lastDays(days, new Date());
  const text = JSON.stringify(shown);
  const colours = theme.value;
  useEffect(() => {
    const into = box.current;
    if (into === null) return;
    // The canvas does not support CSS variables, so the box resolves each one for the current theme.
    const colour = (name: string) => {
      into.style.color = `var(${name})`;
      return getComputedStyle(into).color;
    };
    const chart = new uPlot(
      {
        width: into.clientWidth,
        height: HEIGHT,
        padding: [12, 24, 0, 0],
        cursor: { y: false, points: { show: false } },
        legend: { show: false },
        scales: { x: { time: true }, y: { range: (_plot, _min, max) => [0, Math.max(10, max * 1.1)] } },
        axes: [
          {
            stroke: colour("--muted"),
            grid: { show: false },
            ticks: { show: false },
            size: 28,
            values: (_plot, at) => at.map(dayName),
          },
          {
            stroke: colour("--muted"),
            grid: { stroke: colour("--line"), width: 1 },
            ticks: { show: false },
            size: 52,
            values: (_plot, at) => at.map(amount),
          },
        ],
        series: [
          {},
          {
            label: "tokens",
            fill: colour("--accent"),
            width: 0,
            ...(BARS === undefined ? {} : { paths: BARS }),
            points: { show: false },
          },
        ],
      },
      [shown.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1_000), shown.map(({ tokens }) => tokens)],
      into,
    );
    const fit = new ResizeObserver(() => chart.setSize({ width: into.clientWidth, height: HEIGHT }));
    fit.observe(into);
    return () => {
      fit.disconnect();
      chart.destroy();
    };
  }, [text, colours]);
  return (
    <figure class="chart">
      <div ref={box} aria-hidden="true" />
      <figcaption class="sr">
        Tokens saved per day:{" "}
        {shown
          .filter(({ tokens }) => tokens > 0)
          .map(({ day, tokens }) => `${day} ${tokens}`)
          .join(", ") || "none yet"}
      </figcaption>
    </figure>
  );
}

function dayName(seconds: number): string {
  return new Date(seconds * 1_000).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
  });
}
