/*
 * Parses the metrics of the store from their text for scrapers.
 */

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** The samples, except the buckets of a histogram, which are in `buckets`. */
  readonly samples: readonly Sample[];
  /** Upper bound and cumulative count, summed over all labels, in ascending order. */
  readonly buckets: readonly (readonly [number, number])[];
  readonly sum: number;
  readonly count: number;
}

export type Metrics = ReadonlyMap<string, Family>;

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

interface Growing {
  name: string;
  type: string;
  help: string;
  samples: Sample[];
  buckets: Map<number, number>;
  sum: number;
  count: number;
}

export function parseMetrics(text: string): Metrics {
  const families = new Map<string, Growing>();
  const family = (name: string): Growing => {
    const known = families.get(name);
    if (known !== undefined) return known;
    const added: Growing = { name, type: "", help: "", samples: [], buckets: new Map(), sum: 0, count: 0 };
    families.set(name, added);
    return added;
  };
  for (const line of text.split("\n")) {
    const about = /^# (TYPE|HELP) (\S+) (.*)$/.exec(line);
    if (about !== null) family(about[2]!)[about[1] === "TYPE" ? "type" : "help"] = about[3]!;
    const match = line.startsWith("#") ? null : SAMPLE.exec(line);
    if (match !== null) addSample(families, family, match[1]!, labelsOf(match[2] ?? ""), numberOf(match[3]!));
  }
  return new Map([...families].map(([name, { buckets, ...rest }]) => [
    name,
    { ...rest, buckets: [...buckets].sort(([a], [b]) => a - b) },
  ]));
}

function addSample(
  families: ReadonlyMap<string, Growing>,
  family: (name: string) => Growing,
  name: string,
  labels: Record<string, string>,
  value: number,
): void {
  const [, base, part] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? [];
  const histogram = base === undefined ? undefined : families.get(base);
  if (histogram?.type !== "histogram") {
    family(name).samples.push({ labels, value });
  } else if (part === "bucket") {
    const bound = numberOf(labels["le"] ?? "");
    histogram.buckets.set(bound, (histogram.buckets.get(bound) ?? 0) + value);
  } else histogram[part === "sum" ? "sum" : "count"] += value;
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(LABEL)].map(([, name, value]) => [
      name!,
      value!.replace(/\\(.)/g, (_, character: string) => character === "n" ? "\n" : character),
    ]),
  );
}

function numberOf(text: string): number {
  return text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text);
}

/** The value of a metric, summed over all labels. Undefined when the store has no such metric. */
export function valueOf(
  metrics: Metrics,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const samples = metrics.get(name)?.samples.filter((sample) =>
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  );
  if (samples === undefined || samples.length === 0) return undefined;
  return samples.reduce((sum, { value }) => sum + value, 0);
}

/** The quantile of the values between two samples of a histogram. Undefined when there were none. */
export function quantile(share: number, now: Family, before: Family | undefined): number | undefined {
  const earlier = new Map(before?.buckets);
  const counts = now.buckets.map(([bound, count]) => [bound, count - (earlier.get(bound) ?? 0)] as const);
  const all = counts.at(-1)?.[1] ?? 0;
  if (all <= 0) return undefined;
  let [below, from] = [0, 0];
  for (const [bound, count] of counts) {
    if (count >= share * all) {
      if (bound === Infinity) return from;
      return from + (bound - from) * (count === below ? 1 : (share * all - below) / (count - below));
    }
    [below, from] = [count, bound];
  }
  return from;
}
