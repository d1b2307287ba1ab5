import type { Source } from "../source/source.ts";

/** The shortest time between two updates of the line. */
const CHANGE_MILLISECONDS = 200;

/**
 * The line on the terminal that shows the progress of the copy. Sequences have no gaps, so the sequence of the
 * source's last event gives the exact number of events to copy. A few tiny reads find it.
 */
export class ProgressLine implements Disposable {
  readonly #source: Source;
  readonly #write: (text: string) => void;
  readonly #first: number;
  readonly #work: string;
  readonly #startedAt = performance.now();
  #head: number;
  #changedAt = -Infinity;

  /**
   * @param first the sequence up to which everything was already copied
   * @param head the last sequence of the source, as `findHead` found it
   * @param work the work, in words, unless it is the copy
   */
  constructor(source: Source, write: (text: string) => void, first: number, head: number, work = "") {
    this.#source = source;
    this.#write = write;
    this.#first = first;
    this.#head = head;
    this.#work = work;
  }

  async show(sequence: number): Promise<void> {
    if (performance.now() - this.#changedAt < CHANGE_MILLISECONDS) return;
    // Clients have appended events since.
    if (sequence > this.#head) this.#head = await findHead(this.#source, sequence);
    this.#changedAt = performance.now();
    const seconds = (this.#changedAt - this.#startedAt) / 1000;
    this.#write(`\r${this.#work}${progressText(this.#first, sequence, this.#head, seconds)}\x1b[K`);
  }

  /** Clears the line. */
  [Symbol.dispose](): void {
    if (this.#changedAt > -Infinity) this.#write("\r\x1b[K");
  }
}

/** @param seconds since the first event was requested */
export function progressText(first: number, sequence: number, head: number, seconds: number): string {
  const copied = sequence - first;
  const percent = head === 0 ? 100 : 100 * sequence / head;
  const eta = copied === 0 ? "-" : clockText((head - sequence) * seconds / copied);
  return `${percent.toFixed(1)} %  event ${sequence} of ${head}  ETA ${eta}`;
}

/** Formats seconds as `1:02:03`, or `2:03` below an hour. */
function clockText(seconds: number): string {
  const whole = Math.ceil(seconds);
  const pad = (value: number): string => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours === 0 ? `${minutes}:${pad(whole % 60)}` : `${hours}:${pad(minutes)}:${pad(whole % 60)}`;
}

/** Finds the last sequence of the source: doubles a step until it goes too far, then halves it. */
export async function findHead(
  source: { hasEventsAfter(sequence: number): Promise<boolean> },
  known: number,
): Promise<number> {
  let low = known;
  let step = 1000;
  while (await source.hasEventsAfter(low + step)) {
    low += step + 1;
    step *= 2;
  }
  let high = low + step;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await source.hasEventsAfter(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
