import { wholeText } from "../parts/format.ts";
import { button } from "../parts/parts.ts";
import type { StoredEvent } from "../store/stored_event.ts";
import { CachedEvents } from "./cached_events.ts";

/** When more events are held back, the list begins again. */
const HELD_MAX = 10_000;

/** New events that wait while somebody reads further down, and the button that says how many. */
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

  /** Tells that there are some. */
  show(): void {
    this.button.hidden = this.#events.all.length === 0;
    this.button.textContent = `\u2191 ${wholeText(this.#events.all.length)} new`;
  }

  /** All of them, oldest first; none is held any more. */
  take(): StoredEvent[] {
    this.button.hidden = true;
    return this.#events.take();
  }
}
