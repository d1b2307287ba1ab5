/** One value of a metric; `labels` is the text between the braces, "" when there are none. */
export interface Sample {
  readonly suffix?: string;
  readonly labels?: string;
  readonly value: number;
}

/** The lines of one metric, with HELP and TYPE. */
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

/** The lines of a gauge of one value. */
export function gauge(name: string, help: string, value: number): string {
  return metricText(name, "gauge", help, [{ value }]);
}

/** The lines of a counter of one value. */
export function counter(name: string, help: string, value: number): string {
  return metricText(name, "counter", help, [{ value }]);
}

/** Counts durations in cumulative buckets. */
export class Histogram {
  readonly #boundsSeconds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** @param boundsSeconds upper bounds of the buckets, ascending, each inclusive */
  constructor(boundsSeconds: readonly number[]) {
    this.#boundsSeconds = boundsSeconds;
    this.#counts = boundsSeconds.map(() => 0);
  }

  observe(seconds: number): void {
    this.#sum += seconds;
    this.#count++;
    const bucket = this.#boundsSeconds.findIndex((bound) => seconds <= bound);
    if (bucket >= 0) this.#counts[bucket]!++;
  }

  get samples(): Sample[] {
    let below = 0;
    const buckets = this.#boundsSeconds.map((bound, i) => {
      below += this.#counts[i]!;
      return { suffix: "_bucket", labels: `le="${bound}"`, value: below };
    });
    return [
      ...buckets,
      { suffix: "_bucket", labels: 'le="+Inf"', value: this.#count },
      { suffix: "_sum", value: this.#sum },
      { suffix: "_count", value: this.#count },
    ];
  }
}
