import type { Sample } from "./exposition.ts";

/** Counts values, such as durations, in cumulative buckets. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** @param bounds upper bounds of the buckets, ascending, each inclusive */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count++;
    // Every request calls this, and most values belong to the first buckets.
    for (let i = 0; i < this.#bounds.length; i++) {
      if (value <= this.#bounds[i]!) {
        this.#counts[i]!++;
        return;
      }
    }
  }

  /** Returns the samples of all buckets. @param labels the labels of every sample, besides the bound of its bucket */
  samples(labels = ""): Sample[] {
    const bucket = (le: string, value: number): Sample => ({
      suffix: "_bucket",
      labels: `${labels === "" ? "" : `${labels},`}le="${le}"`,
      value,
    });
    let below = 0;
    const buckets = this.#bounds.map((bound, i) => {
      below += this.#counts[i]!;
      return bucket(String(bound), below);
    });
    return [
      ...buckets,
      bucket("+Inf", this.#count),
      { suffix: "_sum", labels, value: this.#sum },
      { suffix: "_count", labels, value: this.#count },
    ];
  }
}
