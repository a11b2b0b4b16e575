import { describe, expect, it } from "vitest";
import { parsePrometheus, sampleOf } from "../../test/support/prometheus.js";
import { Counter, gauge, Histogram, prometheusText } from "./prometheus.js";

describe("the text format of Prometheus", () => {
  it("[UX-3] shows counters and gauges", () => {
    const calls = new Counter("calls_total", "Calls");
    calls.add({ server: "fs" });
    calls.add({ server: "fs" }, 2);
    expect(prometheusText([calls.family(), gauge("up", "Whether it is up", 1)])).toBe(
      '# HELP calls_total Calls\n# TYPE calls_total counter\ncalls_total{server="fs"} 3\n' +
        "# HELP up Whether it is up\n# TYPE up gauge\nup 1\n",
    );
  });

  it("[UX-3] shows counters from the beginning, and leaves out what has no samples", () => {
    const plain = new Counter("a_total", "A");
    const known = new Counter("b_total", "B", [{ level: "x" }]);
    const parsed = parsePrometheus(prometheusText([plain.family(), known.family(), gauge("c", "C", [])]));
    expect([...parsed.keys()]).toEqual(["a_total", "b_total"]);
    expect(sampleOf(parsed, "a_total")).toBe(0);
    expect(sampleOf(parsed, "b_total", { level: "x" })).toBe(0);
  });

  it("[UX-3] counts values by size, those that are too large for any bound too", () => {
    const seconds = new Histogram("took_seconds", "Time", [0.1, 1]);
    for (const value of [0.05, 0.1, 0.5, 7]) seconds.observe({ mode: "direct" }, value);
    const parsed = parsePrometheus(prometheusText([seconds.family()]));
    const at = (le: string) => sampleOf(parsed, "took_seconds_bucket", { mode: "direct", le });
    expect([at("0.1"), at("1"), at("+Inf")]).toEqual([2, 3, 4]);
    expect(sampleOf(parsed, "took_seconds_sum", { mode: "direct" })).toBeCloseTo(7.65);
    expect(sampleOf(parsed, "took_seconds_count", { mode: "direct" })).toBe(4);
  });

  it("[UX-3] keeps names of others in their place", () => {
    const name = 'a"b\\c\nd} 1';
    const text = prometheusText([gauge("up", "Of\nmany \\", [{ labels: { name }, value: Number.NaN }])]);
    expect(sampleOf(parsePrometheus(text), "up", { name })).toBeNaN();
    expect(prometheusText([gauge("x", "X", Number.POSITIVE_INFINITY)])).toContain("\nx +Inf\n");
  });

  it("[UX-3] puts together what has more names than anybody can look at", () => {
    const calls = new Counter("calls_total", "Calls");
    for (let at = 0; at < 5_000; at += 1) calls.add({ server: `s${at}`, outcome: "success" });
    const { samples } = calls.family();
    expect(samples).toHaveLength(1_001);
    expect(samples.at(-1)).toEqual({ labels: { server: "other", outcome: "other" }, value: 4_000 });
    expect(calls.total).toBe(5_000);
  });
});

describe("the strict reader", () => {
  const head = "# HELP a A\n# TYPE a gauge\n";
  it.each([
    ["a line that does not end", `${head}a 1`],
    ["a sample without a head", "a 1\n"],
    ["a sample twice", `${head}a 1\na 2\n`],
    ["another metric's sample", `${head}b 1\n`],
    ["a label without quotes", `${head}a{b=c} 1\n`],
    ["a raw line break in a label", `${head}a{b="c\nd"} 1\n`],
    ["a number that is none", `${head}a one\n`],
    ["an empty line", `${head}\na 1\n`],
    [
      "a histogram that shrinks",
      '# HELP h H\n# TYPE h histogram\nh_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n',
    ],
  ])("refuses %s", (_, text) => {
    expect(() => parsePrometheus(text)).toThrow();
  });
});
