import type { App } from "../frame/app.ts";
import type { EventFeed } from "./event_feed.ts";
import type { ListCursor } from "./list_cursor.ts";

const OPEN_MILLISECONDS = 120;

/** Moves the cursor, and opens its event. While an event is open, the one to which the cursor moves is opened. */
export class EventOpener {
  readonly #app: App;
  readonly #cursor: ListCursor;
  #opening: ReturnType<typeof setTimeout> | undefined;

  constructor(app: App, cursor: ListCursor) {
    this.#app = app;
    this.#cursor = cursor;
  }

  /** Opens nothing that a step before this call has asked for. */
  stop(): void {
    clearTimeout(this.#opening);
  }

  /** Moves to the next or the previous event of the list. */
  step(by: 1 | -1, feed: EventFeed | undefined): void {
    const events = feed?.events ?? [];
    const isOpen = this.#app.route.open !== undefined;
    if (isOpen && !this.#cursor.canStep(by, events)) return void this.#openNeighbour(by, feed);
    if (!this.#cursor.step(by, events) || !isOpen) return;
    // A key that is held down steps faster than browsers let an address change.
    clearTimeout(this.#opening);
    this.#opening = setTimeout(() => this.open("replace"), OPEN_MILLISECONDS);
  }

  /** Opens the event of the cursor. */
  open(how: "step" | "replace" = "step"): void {
    const { sequence } = this.#cursor;
    if (sequence !== undefined) this.#app.go({ open: sequence }, how);
  }

  /** Opens an event of the list whose row is not read, such as next to an event that a link has opened. */
  async #openNeighbour(by: 1 | -1, feed: EventFeed | undefined): Promise<void> {
    const { sequence } = this.#cursor;
    const from = sequence ?? this.#app.route.open!;
    try {
      const next = await feed?.neighbourOf(from, by);
      if (this.#cursor.sequence !== sequence || this.#app.route.open === undefined) return;
      if (next === undefined) this.#app.say(`The list has no ${by === 1 ? "next" : "previous"} event`);
      else this.#app.go({ open: next }, "replace");
    } catch {
      // StoreCalls has already reported the failure.
    }
  }
}
