import type { StoredEvent } from "../store/stored_event.ts";
import type { VirtualList } from "./virtual_list.ts";

/** The row from which the arrow keys move. */
export class ListCursor {
  /** The sequence of the event in that row. */
  sequence: number | undefined;
  readonly #list: VirtualList<StoredEvent>;

  constructor(list: VirtualList<StoredEvent>) {
    this.#list = list;
  }

  /** False when the list, as it is read, has no row in that direction. */
  canStep(by: number, events: readonly StoredEvent[]): boolean {
    const at = events.findIndex(({ sequence }) => sequence === this.sequence);
    return at >= 0 && events[at + by] !== undefined;
  }

  /** Moves to another row and scrolls it into view. Returns false if there is none. */
  step(by: number, events: readonly StoredEvent[]): boolean {
    const at = events.findIndex(({ sequence }) => sequence === this.sequence);
    const next = at < 0 ? 0 : Math.min(events.length - 1, Math.max(0, at + by));
    if (events[next] === undefined) return false;
    this.moveTo(events[next].sequence);
    this.#list.scrollTo(next);
    this.mark();
    return true;
  }

  moveTo(sequence: number): void {
    if (this.sequence !== undefined) this.#list.rowOf(this.sequence)?.classList.remove("current");
    this.sequence = sequence;
    this.mark();
  }

  /** Marks the row, if it is in the document. */
  mark(): void {
    if (this.sequence !== undefined) this.#list.rowOf(this.sequence)?.classList.add("current");
  }
}
