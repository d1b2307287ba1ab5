import type { App } from "../frame/app.ts";
import type { EventFeed } from "./event_feed.ts";
import { isEmpty } from "../filter/filter.ts";
import { wholeText } from "../parts/format.ts";
import { button, notice } from "../parts/parts.ts";
import { START } from "../frame/route.ts";

/**
 * Says how many events are in the list, and if there are more.
 * @param total how many there are, if that is known
 */
export function countText({ events: { length }, isFull, isAtEnd }: EventFeed, total?: number): string {
  if (length === 0) return "";
  const isPart = !isAtEnd && total !== undefined && total > length;
  const more = isFull ? ": to see more, begin at another position" : isAtEnd || isPart ? "" : " so far";
  if (isPart) return `${wholeText(length)} of ${wholeText(total)} events${more}`;
  return `${wholeText(length)} event${length === 1 ? "" : "s"}${more}`;
}

/** Explains why the list is empty. */
export function nothingNotice(app: App): HTMLElement {
  const { filter, position } = app.route;
  if (isEmpty(filter) && position === undefined) {
    return notice("No events yet", "The store is empty. Events appear here as soon as they are written.");
  }
  const clear = button("Show everything", () => app.go({ filter: START.filter, position: undefined }));
  return notice("Nothing matches", "No event of the store is of these types, tags and times.", clear);
}

/** Explains why the read failed. */
export function failureNotice(message: string, onAgain: () => void): HTMLElement {
  return notice("The events could not be read", message, button("Try again", onAgain));
}
