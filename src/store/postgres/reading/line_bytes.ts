import { EVENT_LINE_END, eventLineStart } from "../../../wire/event.ts";
import type { EventRow } from "../tables/events.ts";

const encoder = new TextEncoder();

/** The lines of a chunk, encoded into one buffer once all of them are known. */
export class LineBytes {
  readonly #rows: { readonly start: string; readonly body: Uint8Array }[] = [];
  #length = 0;

  /** In bytes. */
  get length(): number {
    return this.#length;
  }

  add({ sequence, timeMicros, body }: EventRow): void {
    const start = eventLineStart(sequence, timeMicros);
    this.#rows.push({ start, body });
    // The text around a body is ASCII, so its length is its size in bytes.
    this.#length += start.length + body.length + EVENT_LINE_END.length;
  }

  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const { start, body } of this.#rows) {
      at += encoder.encodeInto(start, bytes.subarray(at)).written;
      bytes.set(body, at);
      at += body.length;
      at += encoder.encodeInto(EVENT_LINE_END, bytes.subarray(at)).written;
    }
    return bytes;
  }
}
