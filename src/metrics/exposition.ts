/*
 * The text exposition format of metrics, which scrapers read.
 */

/** One value of a metric; `labels` is the text between the braces, "" when there are none. */
export interface Sample {
  readonly suffix?: string;
  readonly labels?: string;
  readonly value: number;
}

/** Returns the lines of one metric, with HELP and TYPE. */
export function metricText(
  name: string,
  type: "gauge" | "counter" | "histogram",
  help: string,
  samples: readonly Sample[],
): string {
  const lines = samples.map(({ suffix = "", labels = "", value }) =>
    `${name}${suffix}${labels === "" ? "" : `{${labels}}`} ${value}\n`
  );
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

export function gauge(name: string, help: string, value: number): string {
  return metricText(name, "gauge", help, [{ value }]);
}

/** Returns the same, or nothing when the value is unknown: no value is better than a wrong one. */
export function gaugeIfKnown(name: string, help: string, value: number | undefined): string {
  return value === undefined ? "" : gauge(name, help, value);
}

export function counter(name: string, help: string, value: number): string {
  return metricText(name, "counter", help, [{ value }]);
}
