/** Buckets in each power of two: a value is off by less than 1.6 %. */
const BUCKETS_PER_OCTAVE = 64;
const OCTAVE_BITS = 6;
const MICROSECONDS_MAX = 2 ** 31 - 1;
const BUCKETS = bucketOf(MICROSECONDS_MAX) + 1;

/**
 * Counts latencies in buckets that are as wide as their values are large, like HDR histograms. Any number of
 * latencies takes 13 KB, and rare long ones stay visible.
 */
export class Histogram {
  readonly #counts = new Float64Array(BUCKETS);
  #total = 0;

  get total(): number {
    return this.#total;
  }

  add(milliseconds: number): void {
    this.#counts[bucketOf(Math.min(Math.round(milliseconds * 1000), MICROSECONDS_MAX))]! += 1;
    this.#total++;
  }

  addAll(other: Histogram): void {
    other.#counts.forEach((count, bucket) => this.#counts[bucket]! += count);
    this.#total += other.#total;
  }

  /** The smallest value, in milliseconds, that is at least as large as this share of all values; NaN without values. */
  quantile(share: number): number {
    const rank = Math.max(1, Math.ceil(this.#total * share));
    let seen = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      seen += this.#counts[bucket]!;
      if (seen >= rank) return highestOf(bucket) / 1000;
    }
    return NaN;
  }
}

/** Below two octaves every microsecond has a bucket of its own. Above, the widths double. */
function bucketOf(microseconds: number): number {
  const shift = Math.max(0, 31 - Math.clz32(microseconds) - OCTAVE_BITS);
  return shift * BUCKETS_PER_OCTAVE + (microseconds >> shift);
}

/** The largest value of a bucket, so that no quantile looks better than it is. */
function highestOf(bucket: number): number {
  const shift = Math.max(0, Math.floor(bucket / BUCKETS_PER_OCTAVE) - 1);
  return (bucket - shift * BUCKETS_PER_OCTAVE + 1) * 2 ** shift - 1;
}
