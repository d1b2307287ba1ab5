type Timer = {
  readonly id: number;
  at: number;
  readonly every: number | undefined;
  readonly run: () => void;
};

const NAMES = ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;

/** Replaces the timers of this process until disposal. Time passes only by `advance` and `runNext`. */
export class VirtualTimers implements Disposable {
  readonly #real = NAMES.map((name) => [name, globalThis[name]] as const);
  #now = 0;
  #ids = 0;
  readonly #timers = new Map<number, Timer>();

  constructor() {
    const start = (run: () => void, delay: number, every?: number): number => {
      const id = ++this.#ids;
      this.#timers.set(id, { id, at: this.#now + delay, every, run });
      return id;
    };
    const stop = (id: number | undefined): void => void this.#timers.delete(id ?? 0);
    Object.assign(globalThis, {
      setTimeout: (run: () => void, delay = 0) => start(run, delay),
      setInterval: (run: () => void, delay = 0) => start(run, delay, delay),
      clearTimeout: stop,
      clearInterval: stop,
    });
  }

  /** Runs the timers that fall due within the time, in order, and waits for `settle` after each. */
  async advance(milliseconds: number, settle: () => Promise<void>): Promise<void> {
    const until = this.#now + milliseconds;
    while ((this.#next()?.at ?? Infinity) <= until) {
      this.runNext();
      await settle();
    }
    this.#now = until;
  }

  /** Moves the time to the next timer, and runs it. */
  runNext(): void {
    const timer = this.#next();
    if (timer === undefined) throw new Error("there is no timer");
    this.#now = timer.at;
    if (timer.every === undefined) this.#timers.delete(timer.id);
    else timer.at += timer.every;
    timer.run();
  }

  get count(): number {
    return this.#timers.size;
  }

  #next(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers.values()) if (next === undefined || timer.at < next.at) next = timer;
    return next;
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, Object.fromEntries(this.#real));
  }
}
