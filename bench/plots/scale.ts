/** The most steps of a linear axis. */
const STEPS_MAX = 6;

/** Maps values to coordinates on an axis whose ends are round numbers. */
export class Scale {
  /** The values at which the axis has a line, ascending. */
  readonly ticks: readonly number[];
  readonly #logarithmic: boolean;
  readonly #low: number;
  readonly #high: number;

  /** A linear axis begins at 0. @param low the coordinate of the lowest tick @param high that of the highest */
  constructor(values: readonly number[], logarithmic: boolean, low: number, high: number) {
    const positive = values.filter((value) => value > 0);
    this.#logarithmic = logarithmic && positive.length > 0;
    this.#low = low;
    this.#high = high;
    const highest = Math.max(...positive, 0) || 1;
    this.ticks = this.#logarithmic ? logarithmicTicks(Math.min(...positive), highest) : linearTicks(highest);
  }

  at(value: number): number {
    const along = (number: number): number => this.#logarithmic ? Math.log(number) : number;
    const [first, last] = [this.ticks[0]!, this.ticks.at(-1)!];
    const within = Math.min(Math.max(value, first), last);
    const share = (along(within) - along(first)) / (along(last) - along(first));
    return this.#low + share * (this.#high - this.#low);
  }
}

function linearTicks(highest: number): number[] {
  const magnitude = 10 ** Math.floor(Math.log10(highest / STEPS_MAX));
  const step = [1, 2, 5, 10].map((factor) => factor * magnitude).find((step) => step * STEPS_MAX >= highest)!;
  const steps = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: steps + 1 }, (_, i) => i * step);
}

/** Powers of ten with 2 and 5 between them, from below the lowest to above the highest. */
function logarithmicTicks(lowest: number, highest: number): number[] {
  const ticks: number[] = [];
  for (
    let exponent = Math.floor(Math.log10(lowest));
    exponent <= Math.ceil(Math.log10(highest));
    exponent++
  ) {
    for (const factor of [1, 2, 5]) ticks.push(factor * 10 ** exponent);
  }
  const from = ticks.findLastIndex((tick) => tick <= lowest);
  const to = ticks.findIndex((tick) => tick >= highest && tick > lowest);
  return ticks.slice(from, to + 1);
}
