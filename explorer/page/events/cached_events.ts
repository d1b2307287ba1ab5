import { type StoredEvent, tagsOf } from "../store/stored_event.ts";

/** So many events, and so many bytes of them, are kept; who wants to see more begins at another position. */
export const EVENTS_MAX = 100_000;
export const BYTES_MAX = 100_000_000;

/** Of a payload, what a row shows; the whole is read when the event is opened. */
const PREVIEW_CHARACTERS = 400;
/** What an event takes besides its texts, and a tag. */
const EVENT_BYTES = 400;
const TAG_BYTES = 100;

/** The events of a list in their order, as much of them as rows show, and not more than memory has room for. */
export class CachedEvents {
  readonly all: StoredEvent[] = [];
  #bytes = 0;
  /** The end was cut off, or nothing more fits there. */
  isFull = false;

  /** Puts events at the end, until it is full. */
  append(events: readonly StoredEvent[]): void {
    for (const event of events.map(previewOf)) {
      if (this.isFull) return;
      this.all.push(event);
      this.#bytes += bytesOf(event);
      this.isFull = this.all.length >= EVENTS_MAX || this.#bytes >= BYTES_MAX;
    }
  }

  /** Puts events at the beginning. What no longer fits is cut off at the end. */
  prepend(events: readonly StoredEvent[]): void {
    const previews = events.map(previewOf);
    this.all.unshift(...previews);
    for (const event of previews) this.#bytes += bytesOf(event);
    while (this.all.length > EVENTS_MAX || this.#bytes > BYTES_MAX) {
      this.#bytes -= bytesOf(this.all.pop()!);
      this.isFull = true;
    }
  }

  /** Takes everything out. */
  take(): StoredEvent[] {
    this.#bytes = 0;
    this.isFull = false;
    return this.all.splice(0);
  }
}

function previewOf(event: StoredEvent): StoredEvent {
  if (event.payload.length <= PREVIEW_CHARACTERS) return event;
  const start = event.payload.slice(0, PREVIEW_CHARACTERS);
  // A copy: the part of a text keeps the whole of it in memory.
  return { ...event, payload: JSON.parse(JSON.stringify(start)) };
}

/** Nearly what an event takes in memory. */
function bytesOf(event: StoredEvent): number {
  let characters = event.type.length + event.payload.length;
  const tags = tagsOf(event);
  for (const { name, value } of tags) characters += name.length + value.length;
  return EVENT_BYTES + TAG_BYTES * tags.length + 2 * characters;
}
