import { Age } from "../time/clock.ts";

/** The admission of a request to the write queue: what it is, which client waits, its size, and since when. */
export class Admission {
  /** Names the request in `/debug`. */
  readonly kind: string;
  readonly client: AbortSignal | undefined;
  readonly bytes: number;
  readonly age = new Age();
  /** True once the queue has admitted the request. It then goes before later requests, and only a shutdown rejects it. */
  isAdmitted = false;

  /**
   * @param client aborts when the client disconnects, which withdraws a waiting request. Without it, the request runs
   *   even if no client receives the result
   * @param bytes size of the requests that brought what it writes
   */
  constructor(kind: string, client?: AbortSignal, bytes = 0) {
    this.kind = kind;
    this.client = client;
    this.bytes = bytes;
  }
}

/** A request in the queue, as `/debug` shows it. */
export interface QueueEntry {
  readonly kind: string;
  /** Since when it waits, or holds the turn. */
  readonly age: Pick<Age, "sinceMicros" | "seconds">;
}
