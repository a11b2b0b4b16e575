/**
 * Reads the text format of Prometheus 0.0.4, and throws if a server would refuse it, or a person would misread it.
 *
 * @module
 */

interface ParsedSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ParsedFamily {
  readonly help: string;
  readonly type: string;
  readonly samples: readonly ParsedSample[];
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const HELP = new RegExp(`^# HELP (${NAME}) (.+)$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (NaN|[+-]Inf|-?\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?)$`);
const LABEL = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)/;

export function parsePrometheus(text: string): ReadonlyMap<string, ParsedFamily> {
  if (!text.endsWith("\n")) throw new Error("The last line does not end");
  const families = new Map<string, { help: string; type: string; samples: ParsedSample[] }>();
  const seen = new Set<string>();
  let current = "";
  let expected: "help" | "type" | "sample" = "help";
  for (const line of text.slice(0, -1).split("\n")) {
    const help = HELP.exec(line);
    if (help !== null) {
      if (expected === "type") throw new Error(`No TYPE before: ${line}`);
      const [, name = "", words = ""] = help;
      if (families.has(name)) throw new Error(`Twice: ${name}`);
      families.set(name, { help: words, type: "", samples: [] });
      current = name;
      expected = "type";
      continue;
    }
    const family = families.get(current);
    if (family === undefined) throw new Error(`No HELP before: ${line}`);
    const type = TYPE.exec(line);
    if (type !== null) {
      if (type[1] !== current || expected !== "type") throw new Error(`Not the place for: ${line}`);
      family.type = type[2] ?? "";
      expected = "sample";
      continue;
    }
    const sample = SAMPLE.exec(line);
    if (sample === null || expected !== "sample") throw new Error(`No line of the format: ${line}`);
    const [, name = "", labelText = "", number = ""] = sample;
    const suffixes = family.type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    if (!suffixes.some((suffix) => name === `${current}${suffix}`))
      throw new Error(`Not of ${current}: ${line}`);
    const labels = parseLabels(labelText);
    const key = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
    if (seen.has(key)) throw new Error(`Twice: ${line}`);
    seen.add(key);
    const value = numberOf(number);
    if (family.type === "counter" && !(value >= 0)) throw new Error(`A counter below nothing: ${line}`);
    family.samples.push({ name, labels, value });
  }
  for (const [name, family] of families) {
    if (family.samples.length === 0) throw new Error(`Nothing of ${name}`);
    if (family.type === "histogram") checkHistogram(name, family.samples);
  }
  return families;
}

/** The one value with these labels. */
export function sampleOf(
  families: ReadonlyMap<string, ParsedFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ""));
  const found = family?.samples.filter(
    (sample) =>
      sample.name === name &&
      Object.keys(sample.labels).length === Object.keys(labels).length &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found?.[0]?.value;
}

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (let rest = text; rest !== ""; ) {
    const label = LABEL.exec(rest);
    if (label === null) throw new Error(`No labels: ${text}`);
    const [whole, name = "", value = ""] = label;
    if (name in labels) throw new Error(`Label twice: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_, sign: string) => (sign === "n" ? "\n" : sign));
    rest = rest.slice(whole.length);
    if (whole.endsWith(",") && rest === "") throw new Error(`A comma too many: ${text}`);
  }
  return labels;
}

function numberOf(text: string): number {
  if (text === "+Inf") return Number.POSITIVE_INFINITY;
  return text === "-Inf" ? Number.NEGATIVE_INFINITY : Number(text);
}

/** Buckets are cumulative, and the last one equals the count. */
function checkHistogram(name: string, samples: readonly ParsedSample[]): void {
  const groups = new Map<string, ParsedSample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(Object.entries(labels).sort());
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const [key, group] of groups) {
    const buckets = group.filter((one) => one.name === `${name}_bucket`);
    const count = group.find((one) => one.name === `${name}_count`)?.value;
    const bounds = buckets.map(({ labels }) => numberOf(labels.le ?? ""));
    const isGrowing = (values: readonly number[], isStrict: boolean) =>
      values.every(
        (value, at) => at === 0 || value > (values[at - 1] ?? 0) || (!isStrict && value === values[at - 1]),
      );
    if (!isGrowing(bounds, true) || bounds.at(-1) !== Number.POSITIVE_INFINITY)
      throw new Error(`Bounds of ${name} ${key}: ${bounds.join(" ")}`);
    const values = buckets.map(({ value }) => value);
    if (!isGrowing(values, false) || values.at(-1) !== count) throw new Error(`Buckets of ${name} ${key}`);
    if (!group.some((one) => one.name === `${name}_sum`)) throw new Error(`No sum of ${name} ${key}`);
  }
}
