/**
 * Metrics in the text format of Prometheus, version 0.0.4.
 *
 * @module
 */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/** One metric in its output form. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** `suffix` is `_bucket`, `_sum` or `_count` of a histogram. */
  readonly samples: readonly (Sample & { readonly suffix?: string })[];
}

export const PROMETHEUS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Label combinations of one metric; further ones are counted together, which limits the memory. */
const SERIES_MOST = 1_000;
const OTHER = "other";

/** Counts up, separately for each combination of labels. */
export class Counter {
  readonly #series = new Series<{ value: number }>(() => ({ value: 0 }));
  readonly #name: string;
  readonly #help: string;
  readonly #known: readonly Labels[];

  /** `known` combinations exist from the beginning, as 0: a rate needs a start value. */
  constructor(name: string, help: string, known: readonly Labels[] = []) {
    this.#name = name;
    this.#help = help;
    this.#known = known;
    for (const labels of known) this.#series.of(labels);
  }

  add(labels: Labels = {}, by = 1): void {
    this.#series.of(labels).value += by;
  }

  get(labels: Labels = {}): number {
    return this.#series.of(labels).value;
  }

  /** Over all labels. */
  get total(): number {
    return this.#series.all().reduce((sum, [, { value }]) => sum + value, 0);
  }

  family(): MetricFamily {
    // A counter without labels exists from the beginning too.
    if (this.#known.length === 0 && this.#series.all().length === 0) this.#series.of({});
    const samples = this.#series.all().map(([labels, { value }]) => ({ labels, value }));
    return { name: this.#name, help: this.#help, type: "counter", samples };
  }
}

interface Distribution {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Counts values by size. */
export class Histogram {
  readonly #series: Series<Distribution>;
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];

  /** `bounds` are ascending; a value counts for every bound that it does not exceed. */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
    this.#series = new Series(() => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }));
  }

  observe(labels: Labels, value: number): void {
    const seen = this.#series.of(labels);
    const at = this.#bounds.findIndex((bound) => value <= bound);
    if (at !== -1) seen.counts[at] = (seen.counts[at] ?? 0) + 1;
    seen.sum += value;
    seen.count += 1;
  }

  family(): MetricFamily {
    const samples = this.#series.all().flatMap(([labels, { counts, sum, count }]) => {
      let below = 0;
      const buckets = this.#bounds.map((bound, at) => {
        below += counts[at] ?? 0;
        return { suffix: "_bucket", labels: { ...labels, le: String(bound) }, value: below };
      });
      return [
        ...buckets,
        { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count },
        { suffix: "_sum", labels, value: sum },
        { suffix: "_count", labels, value: count },
      ];
    });
    return { name: this.#name, help: this.#help, type: "histogram", samples };
  }
}

class Series<T> {
  readonly #create: () => T;
  readonly #series = new Map<string, readonly [Labels, T]>();

  constructor(create: () => T) {
    this.#create = create;
  }

  of(labels: Labels): T {
    const key = Object.values(labels).join("\0");
    const known = this.#series.get(key);
    if (known !== undefined) return known[1];
    if (this.#series.size >= SERIES_MOST && Object.values(labels).some((value) => value !== OTHER))
      return this.of(Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER])));
    const made = this.#create();
    this.#series.set(key, [labels, made]);
    return made;
  }

  all(): readonly (readonly [Labels, T])[] {
    return [...this.#series.values()];
  }
}

export function gauge(name: string, help: string, samples: number | readonly Sample[]): MetricFamily {
  return { name, help, type: "gauge", samples: typeof samples === "number" ? [{ value: samples }] : samples };
}

/** A metric without samples is omitted. */
export function prometheusText(families: readonly MetricFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) =>
      [
        `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
        `# TYPE ${name} ${type}`,
        ...samples.map(
          ({ suffix = "", labels = {}, value }) =>
            `${name}${suffix}${labelText(labels)} ${numberText(value)}`,
        ),
        "",
      ].join("\n"),
    )
    .join("");
}

function labelText(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}
