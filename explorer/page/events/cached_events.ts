import { type StoredEvent, tagsOf } from "../store/stored_event.ts";

/** The list holds at most so many events, and so many bytes of them. To see more, choose another position. */
export const EVENTS_MAX = 100_000;
export const BYTES_MAX = 100_000_000;

/** A row shows so many characters of a payload. Opening the event reads the whole. */
const PREVIEW_CHARACTERS = 400;
/** Memory of an event and of a tag, besides their texts. */
const EVENT_BYTES = 400;
const TAG_BYTES = 100;

/** The events of a list in their order. Payloads are shortened to what rows show, and the memory is limited. */
export class CachedEvents {
  readonly all: StoredEvent[] = [];
  #bytes = 0;
  /** True after events were removed at the end, or when nothing more fits there. */
  isFull = false;

  /** Adds events at the end until the list is full. */
  append(events: readonly StoredEvent[]): void {
    for (const event of events.map(previewOf)) {
      if (this.isFull) return;
      this.all.push(event);
      this.#bytes += bytesOf(event);
      this.isFull = this.all.length >= EVENTS_MAX || this.#bytes >= BYTES_MAX;
    }
  }

  /** Adds events at the beginning. If the limits are exceeded, events at the end are removed. */
  prepend(events: readonly StoredEvent[]): void {
    const previews = events.map(previewOf);
    this.all.unshift(...previews);
    for (const event of previews) this.#bytes += bytesOf(event);
    while (this.all.length > EVENTS_MAX || this.#bytes > BYTES_MAX) {
      this.#bytes -= bytesOf(this.all.pop()!);
      this.isFull = true;
    }
  }

  /** Empties the list. Returns its events. */
  take(): StoredEvent[] {
    this.#bytes = 0;
    this.isFull = false;
    return this.all.splice(0);
  }
}

function previewOf(event: StoredEvent): StoredEvent {
  if (event.payload.length <= PREVIEW_CHARACTERS) return event;
  const start = event.payload.slice(0, PREVIEW_CHARACTERS);
  // A copy, because a substring keeps the whole text in memory.
  return { ...event, payload: JSON.parse(JSON.stringify(start)) };
}

/** The approximate memory of an event. */
function bytesOf(event: StoredEvent): number {
  let characters = event.type.length + event.payload.length;
  const tags = tagsOf(event);
  for (const { name, value } of tags) characters += name.length + value.length;
  return EVENT_BYTES + TAG_BYTES * tags.length + 2 * characters;
}
