/** A clock for tests, which moves only when it is set. */
export class TestClock {
  #time: number;

  /** Begins at a time, such as `2026-11-28T09:00:00Z`. */
  constructor(time: string | Date) {
    this.#time = valid(time);
  }

  /** The time that it shows. Pass it to other code as its clock. */
  readonly now = (): Date => new Date(this.#time);

  /** Sets the time, also back. */
  set(time: string | Date): void {
    this.#time = valid(time);
  }

  /** Moves it forwards. */
  advance(seconds: number): void {
    this.#time += 1000 * seconds;
  }
}

function valid(time: string | Date): number {
  const milliseconds = new Date(time).getTime();
  if (Number.isNaN(milliseconds)) {
    throw new TypeError(`"${time}" is no time; give one like 2026-11-28T09:00:00Z`);
  }
  return milliseconds;
}
