import type { Database } from "../../connection/database.ts";
import { blockOf } from "../../../core/ranges/time_blocks.ts";

/** Compares the time index with the events, which are added one by one in order. */
export class TimeIndexCheck {
  readonly #db: Database;
  #block = -1;
  #first = 0;
  #last = 0;
  #lowest = Infinity;
  #highest = -Infinity;
  #blocks = 0;
  #fault: string | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  add(sequence: number, timeMicros: number): void {
    const block = blockOf(sequence);
    if (block !== this.#block) {
      this.#compare();
      this.#block = block;
      this.#blocks++;
      this.#first = sequence;
      this.#lowest = Infinity;
      this.#highest = -Infinity;
    }
    this.#last = sequence;
    this.#lowest = Math.min(this.#lowest, timeMicros);
    this.#highest = Math.max(this.#highest, timeMicros);
  }

  /** Returns the first fault after the last event, or undefined. */
  fault(): string | undefined {
    this.#compare();
    const entries = this.#db.get("SELECT count(*) FROM time_block")?.[0];
    if (entries !== this.#blocks) {
      this.#fault ??= `the time index has ${String(entries)} entries instead of ${this.#blocks}`;
    }
    return this.#fault;
  }

  #compare(): void {
    if (this.#block < 0 || this.#fault !== undefined) return;
    const row = this.#db.get(
      "SELECT time_min, time_max FROM time_block WHERE block = ?",
      BigInt(this.#block),
    );
    if (row?.[0] === this.#lowest && row[1] === this.#highest) return;
    this.#fault = `the time index differs from the times of events ${this.#first} to ${this.#last}`;
  }
}
