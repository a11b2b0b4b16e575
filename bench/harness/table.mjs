import { cpus, loadavg } from "node:os";

/** Prints rows as a Markdown table. */
export function printTable(head, rows) {
  console.log(`${tableOf(head, rows)}\n`);
}

/** A Markdown table with aligned columns; the first column is text, the others are numbers. */
export function tableOf(head, rows) {
  const lines = [head, ...rows.map((row) => row.map((cell) => cell ?? ""))];
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column].length)));
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]));
  const rule = widths.map((width, column) =>
    column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [head.map(pad), rule, ...lines.slice(1).map((cells) => cells.map(pad))].map(line).join("\n");
}

export function ms(value) {
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

/** @param {import("./sampling.mjs").Ratio} ratio */
export function times({ middle, low, high }) {
  return `${middle.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}

export function printHead(title, what) {
  const load = loadavg()[0] ?? 0;
  const cores = cpus().length;
  console.log(`## ${title}: ${what}\n`);
  console.log(
    `Node ${process.versions.node}, ${cores} cores, load ${load.toFixed(1)}${load > cores ? " — BUSY: trust the ratios only" : ""}\n`,
  );
}

export function printSpread(rounds) {
  console.log(`${rounds} rounds; ratios: median of the rounds (its 95 % interval)\n`);
}
