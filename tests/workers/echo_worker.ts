import { hostObject } from "../../src/workers/host_object.ts";
import { DEADLY, FOUR, FOUR_CALLS, TEXT_CALLS } from "./text_codec.ts";

/** An object with three methods that are called through shared memory, and one that is not. */
export class Echo {
  #ticks = 0;
  #answers = 0;
  #isDying = false;
  readonly #timer = setInterval(() => this.#ticks++, 5);

  static open(): Echo {
    return new Echo();
  }

  echo(text: string): string {
    // Calls that come together with it do not change that.
    if (text === DEADLY) this.#isDying = true;
    return text;
  }

  repeat(text: string): string {
    return text.repeat(1000);
  }

  fail(text: string): string {
    throw new RangeError(text);
  }

  /** How often its timer has gone off, and how many calls it has answered. */
  counts(): { readonly ticks: number; readonly answers: number } {
    return { ticks: this.#ticks, answers: this.#answers };
  }

  afterAnswer(): void {
    this.#answers++;
    if (this.#isDying) throw new Error("the end");
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

hostObject(Echo, self.name === FOUR ? FOUR_CALLS : TEXT_CALLS);
