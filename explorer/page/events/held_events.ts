import { wholeText } from "../parts/format.ts";
import { button } from "../parts/parts.ts";
import type { StoredEvent } from "../store/stored_event.ts";
import { CachedEvents } from "./cached_events.ts";

/** With more held events, the list begins again. */
const HELD_MAX = 10_000;

/** New events that are held while the user reads further down, and the button that shows their number. */
export class HeldEvents {
  readonly button: HTMLButtonElement;
  readonly #events = new CachedEvents();

  constructor(onPress: () => void) {
    this.button = button("", onPress, { class: "button strong fresh" });
    this.button.hidden = true;
  }

  get areTooMany(): boolean {
    return this.#events.isFull || this.#events.all.length > HELD_MAX;
  }

  /** @param events oldest first */
  add(events: readonly StoredEvent[]): void {
    this.#events.append(events);
  }

  /** Shows the button if there are held events. */
  show(): void {
    this.button.hidden = this.#events.all.length === 0;
    this.button.textContent = `\u2191 ${wholeText(this.#events.all.length)} new`;
  }

  /** Removes and returns all held events, oldest first. */
  take(): StoredEvent[] {
    this.button.hidden = true;
    return this.#events.take();
  }
}
